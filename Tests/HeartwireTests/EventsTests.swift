import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("The sequence of events")
struct EventsTests {
    private let world = World()

    /// Writes down a client's events from now on.
    private func log(_ client: WebSocketClient) -> (Box<[ClientEvent]>, Task<Void, Never>) {
        let events = Box<[ClientEvent]>([])
        let task = world.start {
            for await event in client.events { events.value.append(event) }
        }
        return (events, task)
    }

    private func events(_ generation: UInt64, _ kinds: ClientEvent.Kind...) -> [ClientEvent] {
        kinds.map { ClientEvent(Generation(generation), $0) }
    }

    @Test("S6: everything that happens comes in order, typed, and the close last with its cause")
    func everything() throws {
        let client = try world.client("/?echo=off") {
            $0.heartbeat = .every(.seconds(2), timeout: .seconds(2))
        }
        let (seen, task) = log(client)
        let world = world
        try world.run {
            await client.connect()
            try await client.waitUntilOpen()
        }
        try world.atEndpoint {
            try $0.send(text: "a")
            try $0.ping([7, 8])
            try $0.send(binary: [1])
        }
        world.executor.advance(by: .seconds(2))
        try world.run {
            await client.disconnect()
            await task.value
        }
        let cause = CloseCause.closedByApp(sent: 1000, answer: PeerClose(code: 1000))
        #expect(
            seen.value
                == events(
                    1, .opened(OpenedConnection()), .text("a"), .ping([7, 8]), .binary([1]),
                    .pong(PingID(1)), .closed(cause)))
        try world.checkNothingLeft(client)
    }

    @Test(
        "S6: a failure is an error with its cause, then the close; the next connection is told apart"
    )
    func failures() throws {
        let client = try world.openClient("/?hello=1x1")
        let (seen, _) = log(client)
        try world.atEndpoint { $0.drop(.rst) }
        world.executor.advance(by: .seconds(2))
        try world.atEndpoint { $0.close(1_012, reason: "restart") }
        guard case .error(.connectionLost(let failure))? = seen.value.first?.kind else {
            Issue.record("\(seen.value)")
            return
        }
        let lost = CloseCause.connectionLost(failure)
        let closed = CloseCause.closedByPeer(PeerClose(code: 1_012, reason: "restart"))
        var expected = events(1, .error(lost), .closed(lost))
        expected += events(2, .opened(OpenedConnection()))
        #expect(Array(seen.value.prefix(3)) == expected)
        #expect(seen.value[3].generation == Generation(2))
        #expect(Array(seen.value.dropFirst(4)) == events(2, .closed(closed)))
    }

    @Test("S6: each attempt that comes to nothing is an error and a close, without an opening")
    func attempts() throws {
        let client = try world.client(port: World.closedPort) {
            $0.reconnect = ReconnectPolicy(backoff: try Backoff(jitter: .none, attempts: 2))
        }
        let (seen, task) = log(client)
        try world.run {
            await client.connect()
            await task.value
        }
        #expect(seen.value.map(\.generation.number) == [1, 1, 2, 2, 3, 3])
        for (place, event) in seen.value.enumerated() {
            switch event.kind {
            case .error(.connectFailed): #expect(place.isMultiple(of: 2))
            case .closed(.connectFailed): #expect(!place.isMultiple(of: 2))
            default: Issue.record("\(event)")
            }
        }
    }

    @Test("S6, G1: what an old connection still reports is no event")
    func stale() throws {
        let client = try world.openClient()
        try world.atEndpoint { $0.drop(.rst) }
        world.executor.advance(by: .seconds(2))
        #expect(try world.state(client) == .open(Generation(2)))
        let (seen, _) = log(client)
        world.executor.perform { world.transports.reportEverything(as: Generation(1)) }
        world.executor.runUntilIdle()
        #expect(seen.value.isEmpty)
    }

    @Test("S6: several consumers hear the same, each from its creation on")
    func several() throws {
        let client = try world.openClient()
        let (first, _) = log(client)
        try world.atEndpoint { try $0.send(text: "a") }
        let (second, _) = log(client)
        try world.atEndpoint { try $0.send(text: "b") }
        #expect(first.value == events(1, .text("a"), .text("b")))
        #expect(second.value == events(1, .text("b")))
        #expect(try world.run { await client.streamStatus.eventConsumers } == 2)
    }

    @Test("S2, S6: a slow consumer suspends reading and is no dead peer; then all comes in order")
    func suspends() throws {
        let (count, size, buffer) = (5_000, 1_024, 1 << 18)
        let client = try world.client("/?hello=\(count)x\(size)") {
            $0.receiveBufferBytes = buffer
            $0.heartbeat = .every(.seconds(2), timeout: .seconds(2))
        }
        nonisolated(unsafe) let slow = client.events.makeAsyncIterator()
        try world.run { await client.connect() }
        world.executor.advance(by: .seconds(60))
        let held = world.executor.perform { client.core.events.weight }
        #expect(held > buffer)
        #expect(held <= buffer + 2 * VirtualNetwork.defaultReadSize)
        #expect(world.journal.count { $0.kind == .readingPaused } == 1)
        #expect(try world.state(client) == .open(Generation(1)))
        let seen = try world.run {
            var iterator = slow
            var seen = 0
            while seen < count, let event = await iterator.next() {
                if case .binary = event.kind { seen += 1 }
                if case .text = event.kind { seen += 1 }
            }
            return seen
        }
        #expect(seen == count)
        #expect(world.causes.isEmpty)
    }

    @Test("S2, S6: a flood that only events are read of is not collected for a reader of messages")
    func notCollected() throws {
        let client = try world.client("/?hello=5000x1024") { $0.receiveBufferBytes = 1 << 16 }
        let (seen, _) = log(client)
        try world.run { await client.connect() }
        world.executor.advance(by: .seconds(10))
        #expect(seen.value.count == 5_001)
        #expect(world.executor.perform { client.core.messages.weight } == 0)
        let texts = Box<[Message]>([])
        world.start { for await message in client.messages { texts.value.append(message) } }
        try world.atEndpoint { try $0.send(text: "both") }
        #expect(texts.value == [.text("both")])
        #expect(seen.value.last == ClientEvent(Generation(1), .text("both")))
    }

    @Test("S2, S6: reading goes on when a reader of events comes while nobody reads messages")
    func resumesReading() throws {
        let client = try world.openClient("/?hello=5000x1024") { $0.receiveBufferBytes = 1 << 16 }
        world.executor.advance(by: .seconds(1))
        #expect(world.journal.contains { $0.kind == .readingPaused })
        let (seen, _) = log(client)
        world.executor.advance(by: .seconds(10))
        #expect(seen.value.count > 4_000)
        #expect(world.journal.last { $0.kind == .readingResumed } != nil)
    }

    @Test("S2, S6: a consumer that drops keeps the newest events and counts the others")
    func drops() throws {
        let client = try world.openClient()
        let latest = client.events.droppingOldest(beyond: BufferBounds(count: 2))
        nonisolated(unsafe) let iterator = latest.makeAsyncIterator()
        world.executor.runUntilIdle()
        try world.atEndpoint { for number in 0..<5 { try $0.send(text: "\(number)") } }
        let seen = try world.run {
            var own = iterator
            return [await own.next(), await own.next()]
        }
        #expect(seen == events(1, .text("3"), .text("4")))
        #expect(latest.dropped == 3)
        #expect(try world.run { await client.streamStatus.droppedEvents } == 3)
        #expect(client.events.dropped == 0)
    }

    @Test("S2, S6: a consumer that fails hears what fitted, then that it was too slow")
    func fails() throws {
        let client = try world.openClient()
        nonisolated(unsafe) let iterator = client.events.failing(
            beyond: BufferBounds(count: 1)
        ).makeAsyncIterator()
        world.executor.runUntilIdle()
        try world.atEndpoint { for number in 0..<5 { try $0.send(text: "\(number)") } }
        try world.run {
            var own = iterator
            let first = try await own.next()
            #expect(first?.kind == .text("0"))
            await #expect(throws: BufferOverflow.self) { _ = try await own.next() }
        }
    }

    @Test(
        "K11-04, S6: the loop ends within the instant on cancellation, the app's close and a drop")
    func ends() throws {
        let client = try world.openClient { $0.reconnect = nil }
        let (_, cancelled) = log(client)
        let (_, closed) = log(client)
        let world = world
        try world.run {
            cancelled.cancel()
            await cancelled.value
            #expect(world.milliseconds == 0)
            await client.disconnect()
            await closed.value
            await client.connect()
            try await client.waitUntilOpen()
        }
        let (seen, dropped) = log(client)
        try world.atEndpoint { $0.drop(.rst) }
        try world.run { await dropped.value }
        #expect(world.milliseconds == 0)
        #expect(seen.value.count == 2, "one error, one close, and nothing again and again")
        try world.checkNothingLeft(client)
    }

    @Test("S6, K09-07: a consumer does not keep the client; its loop ends, and later ones at once")
    func clientGone() throws {
        var client: WebSocketClient? = try world.openClient()
        let sequence = try #require(client?.events)
        let seen = Box<[ClientEvent]>([])
        let task = world.start { for await event in sequence { seen.value.append(event) } }
        client = nil
        try world.run { await task.value }
        let late = try world.run {
            var count = 0
            for await _ in sequence { count += 1 }
            return count
        }
        #expect(late == 0)
        world.executor.advance(by: .seconds(2))
        #expect(world.transports.living == 0)
    }
}
