import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@Suite("WebSocketClient: shutdown")
struct WebSocketClientDeliveryTests {
    private let world = DeliveryWorld()

    @Test("D6: a shutdown sends and confirms what is stored, closes with 1000 and leaves nothing")
    func drains() throws {
        let client = try world.client()
        world.room = 1
        try world.run { world in
            for number in 1...3 { _ = try await client.deliver(.text("\(number)")) }
            await client.connect()
            let shutdown = Task(executorPreference: world.executor) { await client.shutdown() }
            await world.pause()
            await #expect(throws: DeliveryError.shutDown) {
                try await client.deliver(.text("4"))
            }
            #expect(world.line?.closes == [])
            for _ in 0..<3 {
                world.line?.drain()
                await world.pause()
            }
            let report = await shutdown.value
            #expect(report.isDrained)
            #expect(world.texts == ["1", "2", "3"])
            #expect(world.line?.closes == [1000])
            guard case .disconnected(.closedByApp(sent: 1000, _))? = report.cause else {
                Issue.record("\(report)")
                return
            }
        }
    }

    @Test(
        "D6, K04-10: when the grace is over, what is not confirmed is reported one by one and stays stored"
    )
    func graceOver() throws {
        let store = MemoryOutboxStore()
        let client = try world.client(OutboxConfiguration(store: store).labelled())
        world.room = 2
        world.answersPings = false
        try world.run { world in
            var receipts: [Receipt] = []
            for number in 1...3 { receipts.append(try await client.deliver(.text("\(number)"))) }
            await client.connect()
            try await client.waitUntilOpen()
            let began = world.virtual.now()
            let report = await client.shutdown(grace: .seconds(2))
            #expect(began.duration(to: world.virtual.now()) == .seconds(2))
            #expect(
                report.left == [
                    UnsettledDelivery(DeliveryID(1), mayHaveArrived: true),
                    UnsettledDelivery(DeliveryID(2), mayHaveArrived: true),
                    UnsettledDelivery(DeliveryID(3), mayHaveArrived: false),
                ])
            await #expect(throws: DeliveryError.shutDown) { try await receipts[0].confirmed() }
            #expect(store.count == 3)
            world.room = .max
            world.answersPings = true
            let heir = try world.client(OutboxConfiguration(store: store).labelled())
            await heir.connect()
            await world.pause()
            #expect(world.texts == ["1!1", "2!2", "1?1", "2?2", "3?3"])
            #expect(await heir.shutdown().isDrained)
        }
    }

    @Test("D6: a client that is stopped has nothing to wait for")
    func stopped() throws {
        let client = try world.client()
        try world.run { world in
            _ = try await client.deliver(.text("a"))
            let began = world.virtual.now()
            let report = await client.shutdown(grace: .seconds(60))
            #expect(world.virtual.now() == began)
            #expect(report.left.map(\.id) == [DeliveryID(1)])
            #expect(report.cause == .disconnected(nil))
            await client.connect()
            await world.pause()
            #expect(world.sent == [], "the store is another's now")
        }
    }

    @Test(
        "D6: a shutdown waits for a reconnect within its grace, and no longer than the session goes on"
    )
    func reconnects() throws {
        let client = try world.client()
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            world.line?.lose()
            await world.pause()
            _ = try await client.deliver(.text("a"))
            #expect(await client.shutdown(grace: .seconds(10)).isDrained)
            #expect(world.texts == ["a"])
        }
    }

    @Test("D6: when the session stops during the grace, so does the waiting")
    func stopsMeanwhile() throws {
        let client = try world.client(.memory) { $0.reconnect = nil }
        world.answersPings = false
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            _ = try await client.deliver(.text("a"))
            let shutdown = Task(executorPreference: world.executor) {
                await client.shutdown(grace: .seconds(60))
            }
            await world.pause()
            world.line?.lose()
            let report = await shutdown.value
            #expect(world.virtual.now() < .origin.advanced(by: .seconds(1)))
            #expect(report.left == [UnsettledDelivery(DeliveryID(1), mayHaveArrived: true)])
        }
    }

    @Test("D6: two shutdowns at once, and a cancelled one, come to an end")
    func twice() throws {
        let client = try world.client()
        world.answersPings = false
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            _ = try await client.deliver(.text("a"))
            let first = Task(executorPreference: world.executor) {
                await client.shutdown(grace: .seconds(60))
            }
            let second = Task(executorPreference: world.executor) {
                await client.shutdown(grace: .seconds(60))
            }
            await world.pause()
            first.cancel()
            #expect(await first.value.left.count == 1)
            #expect(await second.value.left.count == 1)
            #expect(world.virtual.now() < .origin.advanced(by: .seconds(1)))
        }
    }

    @Test("D6: a shutdown that is cancelled before it begins waits for nothing")
    func cancelledBefore() throws {
        let client = try world.client()
        world.answersPings = false
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            _ = try await client.deliver(.text("a"))
            let shutdown = Task(executorPreference: world.executor) {
                await client.shutdown(grace: .seconds(60))
            }
            shutdown.cancel()
            #expect(await shutdown.value.left.count == 1)
            #expect(world.virtual.now() < .origin.advanced(by: .seconds(1)))
        }
    }

    @Test("D6, K04-02: a client that was shut down with something unread left can still send")
    func sendsAfterwards() throws {
        let client = try world.client(.windowed(ScriptedStore.holdingThree(), 10))
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            let waiting = Task(executorPreference: world.executor) {
                try await client.send(.text("at once"))
            }
            await world.pause()
            #expect(await client.shutdown(grace: .milliseconds(10)).left.count == 3)
            await #expect(throws: SendError.connectionEnded) { try await waiting.value }
            await client.connect()
            try await client.waitUntilOpen()
            try await client.send(.text("again"))
            #expect(world.texts == ["again"])
            await client.disconnect()
        }
    }

    @Test("D6: without an outbox a shutdown is a disconnect")
    func noOutbox() throws {
        let client = try world.client(nil)
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            let report = await client.shutdown()
            #expect(report.isDrained)
            #expect(world.line?.closes == [1000])
        }
    }

    @Test(
        "D6, D4: who waits for room when a shutdown begins is told so; who waits for the store gets its receipt"
    )
    func callersMeanwhile() throws {
        let store = ScriptedStore()
        var outbox = OutboxConfiguration(store: store)
        outbox.bounds.count = 1
        outbox.bounds.overflow = .suspend
        let client = try world.client(outbox)
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            let callers = ["a", "b"].map { text in
                Task(executorPreference: world.executor) {
                    try await client.deliver(.text(text))
                }
            }
            await world.pause()
            let shutdown = Task(executorPreference: world.executor) { await client.shutdown() }
            await world.pause()
            await #expect(throws: DeliveryError.shutDown) { try await callers[1].value }
            store.answer(.stored([DeliveryID(1)]))
            try await callers[0].value.confirmed()
            #expect(await shutdown.value.isDrained)
            #expect(store.isClosed)
        }
    }
}
