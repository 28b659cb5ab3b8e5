import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import Heartwire

extension OutboxConfiguration {
    /// A store whose messages are held in memory up to so many.
    static func windowed(
        _ store: any OutboxStore, _ count: Int, _ confirmation: Confirmation = .fence
    ) -> OutboxConfiguration {
        var configuration = OutboxConfiguration(store: store).labelled()
        configuration.window.count = count
        configuration.confirmation = confirmation
        return configuration
    }
}

@Suite("Delivery: most of what waits is with the store")
struct DeliveryWindowTests {
    private let world = DeliveryWorld()
    private let store = ScriptedStore.holdingThree()

    private func range(_ first: UInt64, _ last: UInt64) -> ClosedRange<DeliveryID> {
        DeliveryID(first)...DeliveryID(last)
    }

    @Test(
        "D4, K04-05: what an earlier process left is read when its turn comes near, and goes out in order"
    )
    func restored() throws {
        let client = try world.client(.windowed(store, 2))
        try world.run { world in
            #expect(await client.outboxStatus.restored == 3)
            await world.pause()
            #expect(store.reads == [range(1, 1)], "before there is a connection")
            store.answerRead(1, 1)
            await client.connect()
            try await client.waitUntilOpen()
            #expect(world.texts == ["1?x"])
            #expect(store.reads == [range(1, 1), range(2, 2)])
            store.answerRead(2, 2)
            await world.pause()
            store.answerRead(3, 3)
            await world.pause()
            #expect(world.texts == ["1?x", "2?x", "3?x"])
            #expect(store.removed == [1, 2, 3].map { DeliveryID($0) })
            #expect(await client.shutdown().isDrained)
        }
    }

    @Test("K04-02: a send waits until what is being read has gone out, and then goes on by itself")
    func sendBehind() throws {
        let client = try world.client(.windowed(store, 10))
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            let app = Task(executorPreference: world.executor.taskExecutor) {
                try await client.send(.text("new"))
            }
            await world.pause()
            #expect(world.texts == [])
            store.answerRead(1, 3)
            try await app.value
            #expect(world.texts == ["1?x", "2?x", "3?x", "new"])
        }
    }

    @Test("K04-02: a send waits on where the transport has no room for what was read")
    func sendBehindFullTransport() throws {
        let client = try world.client(.windowed(store, 10))
        world.room = 2
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            let app = Task(executorPreference: world.executor.taskExecutor) {
                try await client.send(.text("new"))
            }
            await world.pause()
            store.answerRead(1, 3)
            await world.pause()
            #expect(world.texts == ["1?x", "2?x"])
            world.room = .max
            world.line?.drain()
            try await app.value
            #expect(world.texts == ["1?x", "2?x", "3?x", "new"])
        }
    }

    @Test("D4: what cannot be read now is read again a second later, and nothing overtakes it")
    func failedRead() throws {
        let client = try world.client(.windowed(store, 10))
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            store.answer(.unread(range(1, 3), OutboxStoreError(.system)))
            await world.pause(999)
            #expect(store.reads.count == 1)
            await world.pause(1)
            #expect(store.reads == [range(1, 3), range(1, 3)])
            #expect(world.texts == [])
            store.answerRead(1, 3)
            await world.pause()
            #expect(world.texts == ["1?x", "2?x", "3?x"])
            #expect(await client.outboxStatus.rejected == 0)
        }
    }

    @Test(
        "D4: what can never be read is given up, so that it holds up neither what is behind it nor a send"
    )
    func unreadable() throws {
        let client = try world.client(.windowed(store, 10))
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            let app = Task(executorPreference: world.executor.taskExecutor) {
                try await client.send(.text("new"))
            }
            await world.pause()
            store.answer(.unread(range(1, 3), OutboxStoreError(.corrupt)))
            try await app.value
            #expect(world.texts == ["new"])
            let status = await client.outboxStatus
            #expect(status.rejected == 3 && status.waiting == 0)
        }
    }

    @Test("D2: of a message that the store has lost its receipt tells, and the others go out")
    func lost() throws {
        store.contents = OutboxContents()
        let client = try world.client(.windowed(store, 1))
        try world.run { world in
            let callers = (1...3).map { _ in
                Task(executorPreference: world.executor.taskExecutor) {
                    try await client.deliver(.text("x"))
                }
            }
            await world.pause()
            store.answer(.stored([1, 2, 3].map { DeliveryID($0) }))
            var receipts: [Receipt] = []
            for caller in callers { receipts.append(try await caller.value) }
            await client.connect()
            try await client.waitUntilOpen()
            #expect(store.reads == [range(2, 2)])
            store.answerRead(2, 2, without: 2)
            #expect(store.reads == [range(2, 2)])
            await world.pause()
            #expect(receipts[1].state == .rejected(.unreadable))
            await #expect(throws: DeliveryError.rejected(.unreadable)) {
                try await receipts[1].confirmed()
            }
            store.answerRead(3, 3)
            try await receipts[2].confirmed()
            #expect(world.texts == ["1!x", "3!x"])
        }
    }

    @Test(
        "D5: what was written and not confirmed is read for the next connection before that is there"
    )
    func readAgain() throws {
        let client = try world.client(.windowed(store, 10))
        world.answersPings = false
        try world.run { world in
            await world.pause()
            store.answerRead(1, 3)
            await client.connect()
            try await client.waitUntilOpen()
            #expect(world.texts.count == 3)
            world.line?.lose()
            await world.pause()
            #expect(store.reads == [range(1, 3), range(1, 3)])
            store.answerRead(1, 3)
            world.answersPings = true
            try await client.waitUntilOpen()
            #expect(world.texts.count == 6)
            #expect(await client.shutdown().isDrained)
        }
    }

    @Test("D6: a shutdown ends while a read is out or is to be tried again, and tells what is left")
    func shutdown() throws {
        for fails in [false, true] {
            let (world, store) = (DeliveryWorld(), ScriptedStore())
            store.readsBack = true
            store.contents = self.store.contents
            let client = try world.client(.windowed(store, 10))
            try world.run { world in
                await client.connect()
                try await client.waitUntilOpen()
                if fails {
                    store.answer(
                        .unread(DeliveryID(1)...DeliveryID(3), OutboxStoreError(.system)))
                    await world.pause()
                }
                let report = await client.shutdown(grace: .milliseconds(100))
                #expect(report.left.map(\.id) == [1, 2, 3].map { DeliveryID($0) })
                #expect(store.isClosed)
                #expect(world.virtual.pendingTimers == 0)
            }
        }
    }

    @Test("D4: a read that ends when the client is gone changes nothing")
    func lateRead() throws {
        try world.run { world in
            for isRead in [true, false] {
                var client: WebSocketClient? = try world.client(.windowed(store, 10))
                await client?.connect()
                try await client?.waitUntilOpen()
                client = nil
                await world.pause()
                #expect(store.isClosed)
                store.lateReport?(
                    isRead
                        ? .read(range(1, 3), [])
                        : .unread(range(1, 3), OutboxStoreError(.system)))
                await world.pause(2_000)
                #expect(store.removed == [] && world.texts == [])
            }
        }
    }

    @Test("D2: receipts that nobody holds are let go of; those that somebody holds tell to the end")
    func receipts() throws {
        let client = try world.client(.memory())
        try world.run { world in
            let kept = try await client.deliver(.text("kept"))
            for result in try await client.deliver(
                contentsOf: (0..<3_000).map { .text("\($0)") })
            {
                _ = try result.get()
            }
            let last = try await client.deliver(.text("last"))
            for _ in 0..<3_000 { _ = try await client.deliver(.text("more")) }
            let left = client.core.delivery?.receipts.count ?? 0
            #expect((2...1_025).contains(left), "of 6,002 messages that wait")
            await client.connect()
            try await last.confirmed()
            #expect(kept.state == .confirmed)
            #expect(await client.outboxStatus.accepted == 6_002)
        }
    }
}

@Suite("Delivery: most of what waits is on the disk", .serialized)
struct DeliveryWindowToDiskTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(
        "D2, D4: a backlog much longer than the window goes out whole and in order, over lost connections"
    )
    func backlog() throws {
        let world = DeliveryWorld()
        let store = SQLiteOutboxStore(path: folder.file())
        let client = try world.client(.windowed(store, 8))
        try world.run { world in
            let texts = (1...300).map { "m\($0)" }
            for result in try await client.deliver(contentsOf: texts.map { .text($0) }) {
                _ = try result.get()
            }
            world.answersPings = false
            await client.connect()
            while world.texts.count < 100 { await world.pause() }
            world.line?.lose()
            await world.pause()
            let first = world.texts.count
            world.answersPings = true
            while await client.outboxStatus.waiting > 0 { await world.pause() }
            #expect(await client.shutdown().isDrained)
            let expected = texts.enumerated().map { number, text in
                "\(number + 1)\(number < first ? "?" : "!")\(text)"
            }
            #expect(Array(world.texts.dropFirst(first)) == expected)
        }
    }

    @Test("D4: what one client left unread is delivered by the next, each message once")
    func handedOn() throws {
        let texts = (1...50).map { "m\($0)" }
        let first = DeliveryWorld()
        let client = try first.client(
            .windowed(SQLiteOutboxStore(path: folder.file()), 4))
        try first.run { _ in
            for result in try await client.deliver(contentsOf: texts.map { .text($0) }) {
                _ = try result.get()
            }
            #expect(await client.shutdown().left.count == 50)
        }
        let second = DeliveryWorld()
        let heir = try second.client(
            .windowed(SQLiteOutboxStore(path: folder.file()), 4))
        try second.run { world in
            await heir.connect()
            while await heir.outboxStatus.waiting > 0 { await world.pause() }
            #expect(await heir.shutdown().isDrained)
            #expect(world.texts == texts.enumerated().map { "\($0 + 1)?\($1)" })
        }
    }
}
