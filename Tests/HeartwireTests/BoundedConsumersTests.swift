import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("Consumers that are too slow")
struct BoundedConsumersTests {
    private let world = World()

    private func send(_ range: Range<Int>) throws {
        try world.atEndpoint { for number in range { try $0.send(text: "\(number)") } }
    }

    @Test("S2: a consumer that drops sees the newest in order and can say how many it missed")
    func drops() throws {
        let client = try world.openClient()
        let latest = client.messages.droppingOldest(beyond: BufferBounds(count: 3))
        var iterator = latest.makeAsyncIterator()
        world.executor.runUntilIdle()
        try send(0..<10)
        #expect(latest.dropped == 7)
        nonisolated(unsafe) let consumer = iterator
        let seen = try world.run {
            var own = consumer
            var seen: [Message?] = []
            for _ in 0..<3 { seen.append(await own.next()) }
            return seen
        }
        #expect(seen == [.text("7"), .text("8"), .text("9")])
        #expect(try world.run { await client.streamStatus.droppedMessages } == 7)
        #expect(client.messages.dropped == 0)
        _ = iterator
        iterator = client.messages.makeAsyncIterator()
    }

    @Test("S2: what a consumer drops is no other's loss, and each counts its own")
    func independent() throws {
        let client = try world.openClient()
        let bounded = [1, 5].map {
            client.messages.droppingOldest(beyond: BufferBounds(count: $0))
        }
        let iterators = bounded.map { $0.makeAsyncIterator() }
        let all = Box<[Message]>([])
        world.start { for await message in client.messages { all.value.append(message) } }
        try send(0..<20)
        #expect(all.value == (0..<20).map { .text("\($0)") })
        #expect(bounded.map(\.dropped) == [19, 15])
        let status = try world.run { await client.streamStatus }
        #expect(status.droppedMessages == 34)
        #expect(status.messageConsumers == 3)
        #expect(status.backlogBytes == 0)
        _ = iterators
    }

    @Test(
        "K09-01, S2: a flood past a consumer that drops never suspends reading, in bounded memory")
    func dropsInAFlood() throws {
        let (count, size) = (20_000, 1_024)
        let client = try world.client("/?hello=\(count)x\(size)") {
            $0.receiveBufferBytes = 1 << 16
            $0.heartbeat = .every(.seconds(2), timeout: .seconds(2))
        }
        let latest = client.messages.droppingOldest(beyond: BufferBounds(count: 10))
        let iterator = latest.makeAsyncIterator()
        try world.run {
            await client.connect()
            try await client.waitUntilOpen()
        }
        world.executor.advance(by: .seconds(10))
        #expect(latest.dropped == count - 10)
        #expect(!world.journal.contains { $0.kind == .readingPaused })
        #expect(try world.state(client) == .open(Generation(1)))
        _ = iterator
    }

    @Test("S2: a consumer that fails gets what fitted, then the overflow once, then the end")
    func fails() throws {
        let client = try world.openClient()
        let bounds = BufferBounds(count: 3)
        let outcome = Box<[String]>([])
        let world = world
        let isReady = Box(false)
        world.start {
            var iterator = client.messages.failing(beyond: bounds).makeAsyncIterator()
            isReady.value = true
            try? await world.sleep(.seconds(1))
            for _ in 0..<6 {
                do throws(BufferOverflow) {
                    switch try await iterator.next() {
                    case .text(let text)?: outcome.value.append(text)
                    case .binary?: outcome.value.append("binary")
                    case nil: outcome.value.append("end")
                    }
                } catch { outcome.value.append("\(error.bounds.count)") }
            }
        }
        #expect(isReady.value)
        try send(0..<5)
        world.executor.advance(by: .seconds(1))
        #expect(outcome.value == ["0", "1", "2", "3", "end", "end"])
        #expect(try world.state(client) == .open(Generation(1)), "the connection goes on")
        let rest = Box<[Message]>([])
        world.start { for await message in client.messages { rest.value.append(message) } }
        try send(7..<8)
        #expect(rest.value == [.text("7")])
    }

    @Test("S2: a consumer that keeps up never fails, and ends with the session like any other")
    func keepsUp() throws {
        let client = try world.openClient()
        let seen = Box(0)
        let ended = Box(false)
        world.start {
            do {
                let messages = client.messages.failing(beyond: BufferBounds(count: 2))
                for try await _ in messages { seen.value += 1 }
                ended.value = true
            } catch {}
        }
        for number in 0..<20 { try send(number..<number + 1) }
        try world.run { await client.disconnect() }
        #expect(seen.value == 20)
        #expect(ended.value)
        try world.checkNothingLeft(client)
    }

    @Test("S2: a consumer that fails and is cancelled ends without an error")
    func failingCancelled() throws {
        let client = try world.openClient()
        let outcome = Box("")
        let task = world.start {
            var iterator = client.messages.failing(beyond: BufferBounds()).makeAsyncIterator()
            do {
                outcome.value = try await iterator.next() == nil ? "end" : "message"
            } catch { outcome.value = "error" }
        }
        task.cancel()
        try world.run { await task.value }
        #expect(outcome.value == "end")
    }

    @Test("S2: while one consumer drops and one suspends, the one that suspends sets the pace")
    func mixed() throws {
        let client = try world.openClient("/?hello=3000x1024") {
            $0.receiveBufferBytes = 1 << 18
            $0.heartbeat = .every(.seconds(2), timeout: .seconds(2))
        }
        let slow = client.messages.makeAsyncIterator()
        let fast = client.messages.droppingOldest(beyond: BufferBounds(count: 1))
        let dropping = fast.makeAsyncIterator()
        world.executor.advance(by: .seconds(30))
        #expect(world.journal.contains { $0.kind == .readingPaused })
        #expect(
            try world.state(client) == .open(Generation(1)), "a slow consumer is no dead peer")
        _ = (slow, dropping)
    }

    @Test("S2: what a session's slow consumer left is not added to by each new connection")
    func pausedFromTheOpening() throws {
        let client = try world.client("/?hello=100x1024") { $0.receiveBufferBytes = 1 << 14 }
        let world = world
        try world.run { await client.connect() }
        world.executor.advance(by: .milliseconds(10))
        let held = world.executor.perform { client.core.messages.weight }
        #expect(held > 1 << 14)
        for _ in 0..<20 {
            try world.atEndpoint { $0.drop(.rst) }
            try world.run {
                await client.connect()
                try await client.waitUntilOpen()
            }
            world.executor.advance(by: .milliseconds(10))
        }
        let later = world.executor.perform { client.core.messages.weight }
        #expect(world.journal.count { $0.kind == .opened } == 21)
        // At most what one read brings along with the answer to the handshake.
        #expect(later <= held + 20 * VirtualNetwork.defaultReadSize)
        #expect(world.journal.count { $0.kind == .readingPaused } == 21)
    }

    @Test("S2: what comes while the app is closing and nobody has room for it is counted")
    func droppedWhileClosing() throws {
        let client = try world.openClient("/?hello=500x1024") { $0.receiveBufferBytes = 1 << 14 }
        world.executor.advance(by: .seconds(1))
        try world.run { await client.disconnect() }
        let status = try world.run { await client.streamStatus }
        #expect(status.droppedMessages > 400)
        #expect(status.droppedMessages < 500)
        #expect(status.messageConsumers == 0)
    }
}
