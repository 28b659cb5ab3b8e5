import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireSocket

@Suite("NetlinkReader: when a change is one")
struct NetlinkReaderTests {
    private typealias Bytes = NetlinkBytes
    private typealias Kind = NetlinkMessage.Kind
    private static let port: UInt32 = 77

    private let up: [(UInt16, [UInt8])] = [
        (Kind.newLink, Bytes.link(2)), (Kind.newAddress, Bytes.address(2, [10, 0, 0, 1])),
        (Kind.newRoute, Bytes.route()),
    ]
    private let down: [(UInt16, [UInt8])] = [(Kind.newLink, Bytes.link(2, flags: 0))]

    /// Answers a whole reading with these entries; gives what the last list came to.
    private func answer(
        _ reader: inout NetlinkReader, _ entries: [(UInt16, [UInt8])], flags: UInt16 = 0,
        beginning first: NetlinkReader.Step? = nil
    ) -> NetlinkReader.Step {
        var step = first ?? reader.begin()
        for kind in [Kind.getLink, Kind.getAddress, Kind.getRoute] {
            guard case .ask(let request) = step else {
                Issue.record("asked for nothing, but \(step)")
                return step
            }
            let asked = NetlinkMessage.parse(request)[0]
            #expect(asked.type == kind)
            func said(_ type: UInt16, _ body: [UInt8]) -> [UInt8] {
                Bytes.message(
                    type, body, flags: flags, sequence: asked.sequence, port: Self.port)
            }
            let list = entries.filter { $0.0 == kind - 2 }.flatMap { said($0.0, $0.1) }
            #expect(reader.take(list) == .none)
            #expect(reader.isReading)
            step = reader.take(said(Kind.done, [0, 0, 0, 0]))
        }
        #expect(!reader.isReading)
        return step
    }

    @Test("L3: the first reading is what later ones are compared with, and is not reported")
    func first() {
        var reader = NetlinkReader(port: Self.port)
        #expect(reader.isStale)
        #expect(answer(&reader, up) == .none)
        #expect(!reader.isStale)
    }

    @Test(
        "L3: a reading that differs is reported with what the paths are good for; the same again is not"
    )
    func changes() {
        var reader = NetlinkReader(port: Self.port)
        _ = answer(&reader, up)
        #expect(answer(&reader, up) == .none)
        #expect(answer(&reader, down) == .report(.unusable))
        #expect(answer(&reader, down) == .none)
        #expect(answer(&reader, up) == .report(.usable))
    }

    @Test(
        "L3: an announcement makes the last reading stale, whoever caused it; one that concerns nobody does not"
    )
    func news() {
        var reader = NetlinkReader(port: Self.port)
        _ = answer(&reader, up)
        #expect(reader.take(Bytes.message(Kind.newRoute, Bytes.route(table: 255))) == .none)
        #expect(!reader.isStale)
        let deleted = Bytes.message(
            Kind.deletedAddress, Bytes.address(2, []), sequence: 1, port: 4_711)
        #expect(reader.take(deleted) == .none)
        #expect(reader.isStale)
    }

    @Test("L3: news during a reading lead to another one, and the change is reported all the same")
    func newsDuringAReading() {
        var reader = NetlinkReader(port: Self.port)
        _ = answer(&reader, up)
        let step = reader.begin()
        _ = reader.take(Bytes.message(Kind.newLink, Bytes.link(2)))
        #expect(answer(&reader, down, beginning: step) == .report(.unusable))
        #expect(reader.isStale)
    }

    @Test("L3: a list that changed while it was told is not compared, but read again")
    func interrupted() {
        var reader = NetlinkReader(port: Self.port)
        _ = answer(&reader, up)
        #expect(answer(&reader, down, flags: NetlinkMessage.Flags.interrupted) == .none)
        #expect(reader.isStale)
        #expect(answer(&reader, down) == .report(.unusable))
    }

    @Test("L3: words that were lost, and a refusal, end a reading and ask for another")
    func lostWords() {
        for isRefusal in [false, true] {
            var reader = NetlinkReader(port: Self.port)
            _ = answer(&reader, up)
            guard case .ask(let request) = reader.begin() else { return }
            let sequence = NetlinkMessage.parse(request)[0].sequence
            if isRefusal {
                let refusal = Bytes.message(
                    Kind.error, [0, 0, 0, 0], sequence: sequence, port: Self.port)
                #expect(reader.take(refusal) == .none)
            } else {
                reader.lostWords()
            }
            #expect(!reader.isReading)
            #expect(reader.isStale)
            let late = Bytes.message(Kind.done, [], sequence: sequence, port: Self.port)
            #expect(reader.take(late) == .none, "the answers to a reading that was given up")
            #expect(answer(&reader, down) == .report(.unusable))
        }
    }

    @Test("L3: answers to an earlier request, and to others, are not ours")
    func otherAnswers() {
        var reader = NetlinkReader(port: Self.port)
        _ = reader.begin()
        for (sequence, port) in [(0, Self.port), (2, Self.port), (1, 78)] as [(UInt32, UInt32)] {
            let done = Bytes.message(Kind.done, [], sequence: sequence, port: port)
            #expect(reader.take(done) == .none)
        }
        #expect(reader.isReading)
    }

    @Test("L3: where there are more routes than are kept, only default routes are news")
    func fullTable() {
        var reader = NetlinkReader(port: Self.port)
        let routes = (0..<UInt32(NetworkSnapshot.maximumRoutes)).map { number in
            (Kind.newRoute, Bytes.route(to: 32, Bytes.attribute(1, Bytes.number(number))))
        }
        _ = answer(&reader, up.prefix(2) + routes)
        _ = reader.take(Bytes.message(Kind.newRoute, Bytes.route(to: 24)))
        #expect(!reader.isStale)
        _ = reader.take(Bytes.message(Kind.deletedRoute, Bytes.route()))
        #expect(reader.isStale)
    }

    @Test("L3: nothing that arrives traps the reader", arguments: 1...20 as ClosedRange<UInt64>)
    func garbage(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var reader = NetlinkReader(port: Self.port)
        _ = reader.begin()
        let good = up.flatMap { Bytes.message($0.0, $0.1, sequence: 1, port: Self.port) }
        for _ in 0..<500 {
            var bytes = good
            for _ in 0..<1 + random.next() % 8 {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(
                    truncatingIfNeeded: random.next())
            }
            _ = reader.take(Array(bytes.prefix(Int(random.next() % UInt64(bytes.count + 1)))))
            if !reader.isReading { _ = reader.begin() }
        }
    }
}
