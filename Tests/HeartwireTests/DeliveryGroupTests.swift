import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("Delivery: many messages in one call")
struct DeliveryGroupTests {
    private let world = DeliveryWorld()

    private func texts(_ range: ClosedRange<Int>) -> [Message] { range.map { .text("\($0)") } }

    @Test("D2: what is delivered in one call goes out in its order, each with its own receipt")
    func order() throws {
        let client = try world.client()
        try world.run { world in
            let early = try await client.deliver(.text("0"))
            let results = try await client.deliver(contentsOf: texts(1...100))
            let late = try await client.deliver(.text("101"))
            let receipts = try results.map { try $0.get() }
            #expect(
                ([early] + receipts + [late]).map(\.id) == (1...102).map { DeliveryID($0) })
            await client.connect()
            try await late.confirmed()
            #expect(world.texts == (0...101).map { "\($0)" })
            #expect(receipts.allSatisfy { $0.state == .confirmed })
            #expect(await client.outboxStatus.accepted == 102)
        }
    }

    @Test("D2: on an open connection what is kept at once has gone out when the call returns")
    func atOnce() throws {
        let client = try world.client()
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            _ = try await client.deliver(contentsOf: texts(1...3))
            #expect(world.texts == ["1", "2", "3"])
        }
    }

    @Test("D2: no messages are no wait, and without an outbox nothing is promised")
    func nothing() throws {
        let client = try world.client()
        let bare = try world.client(nil)
        try world.run { _ in
            let results = try await client.deliver(contentsOf: [])
            #expect(results.isEmpty)
            await #expect(throws: DeliveryError.noOutbox) {
                try await bare.deliver(contentsOf: [.text("a")])
            }
        }
    }

    @Test("D4: the call returns when the store has answered for each, whatever its answers are")
    func storeAnswers() throws {
        let store = ScriptedStore()
        let client = try world.client(OutboxConfiguration(store: store))
        try world.run { world in
            let call = Task(executorPreference: world.executor) {
                try await client.deliver(contentsOf: texts(1...3))
            }
            await world.pause()
            #expect(store.entries.map(\.id) == (1...3).map { DeliveryID($0) })
            store.answer(.stored([DeliveryID(1)]))
            store.answer(.failed([DeliveryID(2)], OutboxStoreError(.full)))
            await world.pause()
            #expect(await client.outboxStatus.accepted == 1)
            store.answer(.stored([DeliveryID(3)]))
            let results = try await call.value
            #expect(results.map { try? $0.get().id } == [DeliveryID(1), nil, DeliveryID(3)])
            #expect(throws: DeliveryError.store(OutboxStoreError(.full))) { try results[1].get() }
        }
    }

    @Test("D4: one that is refused holds up none behind it")
    func refused() throws {
        var outbox = OutboxConfiguration.memory
        outbox.bounds.bytes = 200
        let client = try world.client(outbox)
        try world.run { _ in
            let big = Message.binary([UInt8](repeating: 1, count: 150))
            let results = try await client.deliver(contentsOf: [.text("a"), big, .text("b")])
            #expect(results.map { try? $0.get().id } == [DeliveryID(1), nil, DeliveryID(2)])
            #expect(
                throws: DeliveryError.refused(.tooLarge(bytes: 214, limit: 200))
            ) { try results[1].get() }
        }
    }

    @Test(
        "K04-07: under suspend the call waits for room with those ahead of it, and all get through")
    func suspended() throws {
        let client = try world.client(.memory(count: 2, .suspend))
        try world.run { world in
            let calls = [texts(1...5), texts(6...7)].map { part in
                Task(executorPreference: world.executor) {
                    try await client.deliver(contentsOf: part)
                }
            }
            await world.pause()
            #expect(await client.outboxStatus.waiting == 2)
            await client.connect()
            for call in calls {
                for result in try await call.value { try await result.get().confirmed() }
            }
            #expect(world.texts == (1...7).map { "\($0)" })
        }
    }

    @Test(
        "D4: when the task is cancelled, what waited for room is given up and the rest is promised")
    func cancelled() throws {
        let client = try world.client(.memory(count: 2, .suspend))
        try world.run { world in
            let call = Task(executorPreference: world.executor) {
                try await client.deliver(contentsOf: texts(1...4))
            }
            await world.pause()
            let next = Task(executorPreference: world.executor) {
                try await client.deliver(.text("5"))
            }
            await world.pause()
            call.cancel()
            let results = try await call.value
            #expect(
                results.map { try? $0.get().id } == [DeliveryID(1), DeliveryID(2), nil, nil])
            #expect(throws: DeliveryError.cancelled) { try results[3].get() }
            await client.connect()
            try await next.value.confirmed()
            #expect(world.texts == ["1", "2", "5"])
        }
    }

    @Test("D6: what is delivered in one call after a shutdown is refused, each of it")
    func shutDown() throws {
        let client = try world.client()
        try world.run { _ in
            _ = await client.shutdown()
            for result in try await client.deliver(contentsOf: texts(1...2)) {
                #expect(throws: DeliveryError.shutDown) { try result.get() }
            }
        }
    }

    @Test("D6: what waits for room when the client is shut down is told so")
    func shutDownMeanwhile() throws {
        let client = try world.client(.memory(count: 1, .suspend))
        try world.run { world in
            let call = Task(executorPreference: world.executor) {
                try await client.deliver(contentsOf: texts(1...2))
            }
            await world.pause()
            _ = await client.shutdown()
            let results = try await call.value
            #expect(try results[0].get().id == DeliveryID(1))
            #expect(throws: DeliveryError.shutDown) { try results[1].get() }
        }
    }

    @Test("A group goes on when each place has an answer, and the first answer holds")
    func group() throws {
        try world.run { _ in
            let group = DeliveryGroup(count: 2)
            group.answer(1, .failure(.cancelled))
            group.answer(1, .failure(.shutDown))
            group.answer(0, .failure(.expired))
            let answers = await group.answers(isolation: nil)
            #expect(answers.map { $0.error } == [.expired, .cancelled])
        }
    }
}

extension Result {
    /// The failure, if it is one.
    fileprivate var error: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}
