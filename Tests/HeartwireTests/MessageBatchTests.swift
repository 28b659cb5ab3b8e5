import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("The batch buffer")
struct MessageBatchTests {
    private let world = DeliveryWorld()

    private func add(_ range: ClosedRange<Int>, to batch: MessageBatch) throws {
        for number in range { try batch.add(.text("\(number)")) }
        world.settle()
    }

    @Test("S5: by default the hundredth message or the tenth of a second lets a batch go")
    func defaults() throws {
        let (client, _) = try world.openClient()
        let batch = try client.makeBatch(.jsonArray)
        try add(1...99, to: batch)
        #expect(world.texts.isEmpty)
        try add(100...101, to: batch)
        let hundred = (1...100).map { "\($0)" }.joined(separator: ",")
        #expect(world.texts == ["[\(hundred)]"])
        #expect(batch.status.sent == 100)
        #expect(batch.status.waiting == 1)
        world.virtual.advance(by: .milliseconds(99))
        #expect(world.texts.count == 1)
        world.virtual.advance(by: .milliseconds(1))
        #expect(world.texts.last == "[101]")
        #expect(batch.status.waiting == 0)
    }

    @Test("S5: the time of a batch runs from its own first message, with one timer")
    func time() throws {
        let (client, _) = try world.openClient()
        let timers = world.virtual.pendingTimers
        let batch = try client.makeBatch(
            .concatenation, bounds: BatchBounds(count: 3, age: .seconds(1)))
        try add(1...1, to: batch)
        world.virtual.advance(by: .milliseconds(600))
        try add(2...2, to: batch)
        #expect(world.virtual.pendingTimers == timers + 1)
        world.virtual.advance(by: .milliseconds(399))
        #expect(world.texts == [])
        world.virtual.advance(by: .milliseconds(1))
        #expect(world.texts == ["12"])
        #expect(world.virtual.pendingTimers == timers)
        try add(3...5, to: batch)
        #expect(world.texts == ["12", "345"])
        #expect(world.virtual.pendingTimers == timers, "a full batch needs no timer")
        _ = client
    }

    @Test("S5: bytes and kinds part batches in order; every encoding goes out as it is stated")
    func encodings() throws {
        let (client, _) = try world.openClient()
        let bounds = BatchBounds(count: 10, bytes: 8, age: nil)
        let lines = try client.makeBatch(.newline, bounds: bounds)
        for text in ["abc", "def", "g"] { try lines.add(.text(text)) }
        try lines.add(.binary([1]))
        try lines.add(.binary([2]))
        lines.flush()
        let counted = try client.makeBatch(.custom { .text("\($0.count)") }, bounds: bounds)
        for text in ["a", "b"] { try counted.add(.text(text)) }
        counted.flush()
        world.settle()
        #expect(
            world.sent.map(\.message) == [
                .text("abc\ndef\n"), .text("g\n"), .binary([1, 0x0A, 2, 0x0A]), .text("2"),
            ])
    }

    @Test("S5: what the encoding cannot carry is refused where it is added")
    func refused() throws {
        let (client, _) = try world.openClient()
        let lines = try client.makeBatch(.newline)
        #expect(throws: QueueError.refused(.holdsNewline)) { try lines.add(.text("a\nb")) }
        let array = try client.makeBatch(.jsonArray)
        #expect(throws: QueueError.refused(.notText)) { try array.add(.binary([1])) }
        #expect(array.status.refused == 1)
        #expect(array.status.waiting == 0)
    }

    @Test("S5: a batch without time that fills the bounds is let go, and then there is room again")
    func fullBuffer() throws {
        let (client, _) = try world.openClient()
        let batch = try client.makeBatch(
            .concatenation, bounds: BatchBounds(age: nil), .route(.send, BufferBounds(count: 2)))
        try add(1...2, to: batch)
        for _ in 0..<3 {
            #expect(throws: QueueError.full) { try batch.add(.text("3")) }
        }
        world.settle()
        #expect(world.texts == ["12"])
        try add(3...3, to: batch)
        #expect(batch.status.waiting == 1)
        #expect(batch.status.refused == 3)
    }

    @Test("S5: flush lets go at once what is gathered; nothing gathered is nothing sent")
    func flush() throws {
        let (client, _) = try world.openClient()
        let batch = try client.makeBatch(.newline)
        batch.flush()
        batch.flush()
        world.settle()
        #expect(world.texts == [])
        try batch.add(.text("a"))
        batch.flush()
        world.settle()
        #expect(world.texts == ["a\n"])
        try batch.add(.text("b"))
        world.settle()
        #expect(world.texts == ["a\n"])
        batch.flush()
        world.settle()
        #expect(world.texts == ["a\n", "b\n"])
    }

    @Test("S5, D6: a shutdown flushes the batch ahead of the Close")
    func shutdown() throws {
        for outbox in [nil, OutboxConfiguration.memory] {
            let world = DeliveryWorld()
            let (client, returned) = try world.openClient(outbox)
            let batch = try client.makeBatch(.newline, .route(.sendOrDeliver, .init(), returned))
            for text in ["a", "b"] { try batch.add(.text(text)) }
            let report = try world.run { world in
                let report = await client.shutdown()
                #expect(world.texts == ["a\nb\n"])
                #expect(world.line?.closes == [1000])
                return report
            }
            #expect(report.isDrained)
            #expect(returned.all.isEmpty)
            #expect(throws: QueueError.closed) { try batch.add(.text("c")) }
        }
    }

    @Test(
        "S5, D6: a shutdown without a connection stores the batch, and without an outbox returns it"
    )
    func shutdownOffline() throws {
        let store = MemoryOutboxStore()
        let client = try world.client(OutboxConfiguration(store: store))
        let batch = try client.makeBatch(.jsonArray)
        for text in ["1", "2"] { try batch.add(.text(text)) }
        let report = try world.run { _ in await client.shutdown() }
        #expect(report.left.map(\.id) == [DeliveryID(1)])
        #expect(batch.status.stored == 2)
        #expect(store.count == 1)
        let heir = try world.client(OutboxConfiguration(store: store))
        try world.run { world in
            await heir.connect()
            await world.pause()
        }
        #expect(world.texts == ["[1,2]"])

        let poor = try world.client(nil)
        let returned = DeliveryWorld.Returned()
        let second = try poor.makeBatch(.jsonArray, .route(.sendOrDeliver, .init(), returned))
        for text in ["1", "2"] { try second.add(.text(text)) }
        _ = try world.run { _ in await poor.shutdown() }
        #expect(returned.texts == [["1", "2"]], "as they were given")
        #expect(returned.causes == [.send(.notOpen)])
        #expect(second.status.unsent == 2)
    }

    @Test("S5: disconnect() flushes the batch ahead of the Close, room or not")
    func disconnect() throws {
        let (client, returned) = try world.openClient()
        world.room = 1
        let batch = try client.makeBatch(
            .concatenation, bounds: BatchBounds(count: 2), .route(.send, .init(), returned))
        try add(1...5, to: batch)
        #expect(world.texts == ["12"])
        try world.run { world in
            await client.disconnect()
            #expect(world.texts == ["12", "34", "5"])
            #expect(world.line?.closes == [1000])
        }
        #expect(returned.all.isEmpty)
        try add(6...7, to: batch)
        #expect(returned.texts == [["6", "7"]])
    }

    @Test("S5: what cannot go out because the connection is gone goes to the outbox, and then out")
    func toTheOutbox() throws {
        let (client, returned) = try world.openClient(.memory)
        let batch = try client.makeBatch(
            .newline, bounds: BatchBounds(count: 2), .route(.sendOrDeliver, .init(), returned))
        world.atLine { $0.lose() }
        try add(1...4, to: batch)
        #expect(batch.status.stored == 4)
        #expect(world.texts == [])
        world.virtual.advance(by: .seconds(2))
        #expect(world.texts == ["1\n2\n", "3\n4\n"])
        #expect(try world.run { _ in await client.outboxStatus.confirmed } == 2)
        #expect(returned.all.isEmpty)
    }

    @Test(
        "K04-13, S5: a window that a drop falls into ends once: on the next connection, stored, or given back"
    )
    func dropWithinTheWindow() throws {
        // Back at 80 ms, and so before the window ends at 100 ms; or back after it.
        for (delay, isBack) in [(30, true), (200, false)] {
            let backoff = try Backoff(
                base: .milliseconds(delay), cap: .milliseconds(delay), jitter: .none)
            for route in OutgoingConfiguration.Route.allCases {
                let world = DeliveryWorld()
                let (client, returned) = try world.openClient(.memory) { configuration in
                    configuration.reconnect = ReconnectPolicy(backoff: backoff)
                }
                let timers = world.virtual.pendingTimers
                let batch = try client.makeBatch(.newline, .route(route, .init(), returned))
                for text in ["a", "b"] { try batch.add(.text(text)) }
                world.virtual.advance(by: .milliseconds(50))
                world.atLine { $0.lose() }
                world.virtual.advance(by: .milliseconds(49))
                #expect(world.texts == [], "the window is not over")
                world.virtual.advance(by: .milliseconds(1))
                let goesOut = isBack || route != .send
                #expect(world.texts == (isBack ? ["a\nb\n"] : []), "\(route)")
                #expect(returned.texts == (goesOut ? [] : [["a", "b"]]), "\(route)")
                world.virtual.advance(by: .seconds(60))
                #expect(world.texts == (goesOut ? ["a\nb\n"] : []), "\(route)")
                #expect(world.sent.allSatisfy { $0.generation == world.line?.generation })
                #expect(returned.all.count == (goesOut ? 0 : 1), "\(route)")
                #expect(batch.status.waiting == 0)
                #expect(world.virtual.pendingTimers == timers)
                _ = try world.run { _ in await client.shutdown() }
            }
        }
    }

    @Test(
        "K04-13, S5: a window that is open at a close is let go ahead of it, and its end is nothing"
    )
    func closeWithinTheWindow() throws {
        let (client, returned) = try world.openClient()
        let batch = try client.makeBatch(.newline, .route(.send, .init(), returned))
        try batch.add(.text("a"))
        world.virtual.advance(by: .milliseconds(50))
        try world.run { _ in await client.disconnect() }
        #expect(world.texts == ["a\n"])
        try world.run { _ in await client.connect() }
        world.virtual.advance(by: .seconds(60))
        #expect(
            world.texts == ["a\n"], "the window of the old connection has no part in the new one")
        #expect(returned.all.isEmpty)
    }

    @Test("S5, K04-02: at a disconnect with stored messages ahead the batch is stored behind them")
    func behindTheStored() throws {
        let (client, returned) = try world.openClient(.memory)
        world.room = 1
        let stored = try client.makeBatch(.newline, .route(.sendOrDeliver, .init(), returned))
        let sent = try client.makeBatch(.newline, .route(.send, .init(), returned))
        try world.run { _ in
            for text in ["a", "b"] { _ = try await client.deliver(.text(text)) }
        }
        try stored.add(.text("c"))
        try sent.add(.text("d"))
        try world.run { _ in await client.disconnect() }
        #expect(world.texts == ["a"])
        #expect(stored.status.stored == 1)
        #expect(returned.texts == [["d"]])
        #expect(returned.causes == [.send(.closing)])
    }

    @Test("S5: an outbox that refuses a batch gives it back as it was given")
    func outboxRefuses() throws {
        let client = try world.client(.memory(count: 1))
        let returned = DeliveryWorld.Returned()
        let batch = try client.makeBatch(
            .newline, bounds: BatchBounds(count: 2), .route(.deliver, .init(), returned))
        try add(1...4, to: batch)
        #expect(batch.status.stored == 2)
        #expect(returned.texts == [["3", "4"]])
        #expect(returned.causes == [.delivery(.refused(.full))])
    }

    @Test("S5, K09-07: letting go of the batch or of the client flushes, and leaves no timer")
    func letGo() throws {
        var client: WebSocketClient?
        (client, _) = try world.openClient()
        do {
            let batch = try #require(try client?.makeBatch(.newline))
            try batch.add(.text("a"))
            world.settle()
        }
        world.settle()
        #expect(world.texts == ["a\n"])
        #expect(world.virtual.perform { client?.core.outgoing.isEmpty } == true)
        let kept = try #require(try client?.makeBatch(.newline))
        try kept.add(.text("b"))
        world.settle()
        client = nil
        world.settle()
        #expect(world.texts == ["a\n", "b\n"])
        #expect(throws: QueueError.closed) { try kept.add(.text("c")) }
        world.virtual.advance(by: .seconds(10))
        #expect(world.virtual.pendingTimers == 0)
    }
}
