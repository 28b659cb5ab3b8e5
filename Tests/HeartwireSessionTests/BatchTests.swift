import HeartwireProtocol
import Testing

@testable import HeartwireSession

@Suite("Batch: gathering messages")
struct BatchTests {
    private func batch(
        _ count: Int = 3, bytes: Int = 100, age: Duration? = .milliseconds(50),
        _ encoding: BatchEncoding = .concatenation
    ) -> Batch {
        Batch(BatchBounds(count: count, bytes: bytes, age: age), encoding: encoding)
    }

    private func parcel(_ texts: String...) -> Batch.Parcel {
        Batch.Parcel(messages: texts.map { .text($0) }, payload: .text(texts.joined()))
    }

    @Test("S5: a batch begins empty, with nothing to wait for and nothing to flush")
    func empty() {
        var batch = Batch(encoding: .newline)
        #expect(batch.bounds == BatchBounds())
        #expect(batch.count == 0)
        #expect(batch.nextDeadline == nil)
        #expect(batch.tick(at: at(1_000_000)) == nil)
        #expect(batch.flush() == nil)
    }

    @Test("S5: the count is reached by the message that completes it, not by the one before")
    func byCount() throws {
        var batch = batch(3)
        #expect(try batch.add(.text("a"), at: at(0)) == [])
        #expect(try batch.add(.text("b"), at: at(0)) == [])
        #expect(batch.count == 2)
        #expect(try batch.add(.text("c"), at: at(0)) == [parcel("a", "b", "c")])
        #expect(batch.count == 0)
        #expect(batch.nextDeadline == nil)
        #expect(try batch.add(.text("d"), at: at(0)) == [])
        #expect(batch.flush() == parcel("d"))
    }

    @Test("S5: by default the hundredth message completes a batch")
    func byDefaultCount() throws {
        var batch = Batch(encoding: .jsonArray)
        for number in 1...99 { #expect(try batch.add(.text("\(number)"), at: at(0)) == []) }
        let parcels = try batch.add(.text("100"), at: at(0))
        #expect(parcels.count == 1)
        #expect(parcels.first?.messages.count == 100)
        let numbers = (1...100).map { "\($0)" }.joined(separator: ",")
        #expect(parcels.first?.payload == .text("[\(numbers)]"))
    }

    @Test("S5: the bytes are those of the encoding: one below, at, and one above the bound")
    func byBytes() throws {
        // An empty message and a second one, and two line feeds. The last does not fit, and is full by itself.
        for (length, expected) in [(7, 0), (8, 1), (9, 2)] {
            var batch = batch(bytes: 10, .newline)
            #expect(try batch.add(.text(""), at: at(0)) == [])
            let text = String(repeating: "x", count: length)
            let parcels = try batch.add(.text(text), at: at(0))
            #expect(parcels.count == expected, "\(length)")
            #expect(batch.count == (expected == 0 ? 2 : 0))
            if expected == 2 { #expect(parcels.first?.payload == .text("\n")) }
        }
    }

    @Test("S5: a message that does not fit lets go what waited and begins the next batch")
    func overflowing() throws {
        var batch = batch(bytes: 10)
        #expect(try batch.add(.text("123456"), at: at(0)) == [])
        #expect(try batch.add(.text("78901"), at: at(20)) == [parcel("123456")])
        #expect(batch.count == 1)
        #expect(batch.nextDeadline == at(70), "the next batch has a time of its own")
        #expect(batch.flush() == parcel("78901"))
    }

    @Test("S5: a message larger than a batch goes out alone, behind what waited")
    func large() throws {
        var batch = batch(bytes: 10)
        #expect(try batch.add(.text("a"), at: at(0)) == [])
        let large = String(repeating: "x", count: 11)
        #expect(try batch.add(.text(large), at: at(0)) == [parcel("a"), parcel(large)])
        #expect(batch.count == 0)
        #expect(try batch.add(.text(large), at: at(0)) == [parcel(large)])
    }

    @Test("S5: the time runs from the first message: one unit before it, at it, one after it")
    func byTime() throws {
        let due = at(60)
        for (offset, goes) in [(-1, false), (0, true), (1, true)] {
            var batch = batch()
            _ = try batch.add(.text("a"), at: at(10))
            _ = try batch.add(.text("b"), at: at(59))
            #expect(batch.nextDeadline == due)
            let now = MonotonicInstant(nanoseconds: due.nanoseconds + Int64(offset))
            #expect(batch.tick(at: now) == (goes ? parcel("a", "b") : nil))
            #expect(batch.count == (goes ? 0 : 2))
            #expect(batch.nextDeadline == (goes ? nil : due))
        }
    }

    @Test("S5: without an age a batch waits for its count, its bytes or a flush")
    func noAge() throws {
        var batch = batch(age: nil)
        _ = try batch.add(.text("a"), at: at(0))
        #expect(batch.nextDeadline == nil)
        #expect(batch.tick(at: .distantFuture) == nil)
        #expect(batch.flush() == parcel("a"))
    }

    @Test("S5: texts and binary messages are never in one batch, and keep their order")
    func kinds() throws {
        var batch = batch(10)
        var parcels = try batch.add(.text("a"), at: at(0))
        parcels += try batch.add(.text("b"), at: at(0))
        parcels += try batch.add(.binary([1]), at: at(0))
        parcels += try batch.add(.binary([2]), at: at(0))
        parcels += try batch.add(.text("c"), at: at(0))
        if let last = batch.flush() { parcels.append(last) }
        #expect(
            parcels.map(\.payload) == [.text("ab"), .binary([1, 2]), .text("c")])
    }

    @Test("S5: a count below one is one: each message goes at once")
    func smallestCount() throws {
        for count in [1, 0, -1] {
            var batch = batch(count)
            #expect(try batch.add(.text("a"), at: at(0)) == [parcel("a")])
        }
    }

    @Test("S5: what the encoding refuses changes nothing")
    func refused() throws {
        var batch = batch(10, .newline)
        _ = try batch.add(.text("a"), at: at(0))
        #expect(throws: BatchRefusal.holdsNewline) { try batch.add(.binary([0x0A]), at: at(1)) }
        #expect(throws: BatchRefusal.holdsNewline) { try batch.add(.text("\n"), at: at(1)) }
        #expect(batch.count == 1)
        #expect(batch.nextDeadline == at(50))
        #expect(batch.flush()?.payload == .text("a\n"))
    }

    @Test("S5: whatever comes and whenever, every message goes out once, in order, within bounds")
    func walk() throws {
        for seed in 1...200 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            var batch = batch(Int(random.next() % 6), bytes: Int(random.next() % 40), .newline)
            var sent: [Message] = []
            var parcels: [Batch.Parcel] = []
            var now = 0
            for number in 0..<100 {
                now += Int(random.next() % 30)
                if let parcel = batch.tick(at: at(now)) { parcels.append(parcel) }
                if random.next() % 20 == 0, let parcel = batch.flush() { parcels.append(parcel) }
                let body = String(repeating: "x", count: Int(random.next() % 12)) + "\(number)"
                let message: Message =
                    random.next() % 4 == 0 ? .binary(Array(body.utf8)) : .text(body)
                sent.append(message)
                parcels += try batch.add(message, at: at(now))
                #expect(batch.count < max(1, batch.bounds.count))
            }
            if let parcel = batch.flush() { parcels.append(parcel) }
            #expect(parcels.flatMap(\.messages) == sent)
            for parcel in parcels {
                #expect(parcel.payload == batch.encoding.payload(of: parcel.messages))
                #expect(
                    parcel.messages.count == 1
                        || parcel.payload.byteCount <= batch.bounds.bytes)
            }
        }
    }
}
