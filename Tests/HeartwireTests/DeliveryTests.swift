import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@Suite("Delivery: taking in")
struct DeliveryTests {
    private let world = DeliveryWorld()

    @Test("D2: what is delivered offline is stored, then written in order, then confirmed")
    func offline() throws {
        let client = try world.client()
        try world.run { world in
            let first = try await client.deliver(.text("a"))
            let second = try await client.deliver(.binary([1, 2]))
            #expect(first.id == DeliveryID(1))
            #expect(second.id == DeliveryID(2))
            #expect(first.state == .stored)
            #expect(await client.outboxStatus.waiting == 2)
            #expect(await client.outboxStatus.waitingBytes == 131)
            await client.connect()
            try await second.confirmed()
            #expect(first.state == .confirmed)
            #expect(world.sent.map(\.message) == [.text("a"), .binary([1, 2])])
            let status = await client.outboxStatus
            #expect(status.waiting == 0)
            #expect(status.accepted == 2)
            #expect(status.confirmed == 2)
            #expect(status.redelivered == 0)
        }
    }

    @Test(
        "D4, K04-08: the id of what was bound to a session is not given to another message by the next client"
    )
    func boundIDs() throws {
        let store = MemoryOutboxStore()
        let first = try world.client(OutboxConfiguration(store: store))
        try world.run { world in
            await first.connect()
            await world.pause()
            _ = try await first.deliver(.text("kept"))
            let bound = try await first.deliver(.text("bound"), sessionBound: true)
            #expect(bound.id == DeliveryID(2))
            _ = await first.shutdown()
            let next = try world.client(OutboxConfiguration(store: store))
            #expect(try await next.deliver(.text("next")).id == DeliveryID(3))
        }
    }

    @Test("D4: the store is told of the id of what is bound to a session, and not of the message")
    func reserved() throws {
        let store = ScriptedStore()
        let client = try world.client(OutboxConfiguration(store: store))
        try world.run { world in
            await client.connect()
            await world.pause()
            _ = try await client.deliver(.text("bound"), sessionBound: true)
            #expect(store.reserved == [DeliveryID(1)] && store.entries == [])
        }
    }

    @Test("D5: when a connection or a client ends, the receipts are told in the order of their ids")
    func receiptOrder() throws {
        let client = try world.client()
        try world.run { world in
            world.answersPings = false
            await client.connect()
            await world.pause()
            let told = ToldReceipts()
            for number in 0..<60 {
                let receipt = try await client.deliver(.text("\(number)"))
                Task(executorPreference: world.virtual) {
                    for await state in receipt.states { told.states.append((receipt.id, state)) }
                    told.ends.append(receipt.id)
                }
            }
            await world.pause()
            told.states = []
            world.opens = false
            world.line?.lose()
            await world.pause()
            #expect(told.states.map(\.0) == (1...60).map { DeliveryID($0) })
            #expect(told.states.allSatisfy { $0.1 == .stored })
            _ = await client.shutdown(grace: .zero)
            await world.pause()
            #expect(told.ends == (1...60).map { DeliveryID($0) })
        }
    }

    @Test("D2: a client without an outbox says so")
    func noOutbox() throws {
        let client = try world.client(nil)
        try world.run { _ in
            await #expect(throws: DeliveryError.noOutbox) {
                try await client.deliver(.text("a"))
            }
            #expect(await client.outboxStatus == OutboxStatus())
        }
    }

    @Test(
        "K04-07: three places, five guaranteed messages: the last two are refused, the three intact"
    )
    func rejectNew() throws {
        let client = try world.client(.memory(count: 3))
        try world.run { world in
            for text in ["a", "b", "c"] { _ = try await client.deliver(.text(text)) }
            for text in ["d", "e"] {
                await #expect(throws: DeliveryError.refused(.full)) {
                    try await client.deliver(.text(text))
                }
            }
            #expect(await client.outboxStatus.refused == 2)
            await client.connect()
            await world.pause()
            #expect(world.texts == ["a", "b", "c"])
        }
    }

    @Test("K04-07: under dropOldest each dropped message has its outcome, and the counters match")
    func dropOldest() throws {
        let client = try world.client(.memory(count: 3, .dropOldest))
        try world.run { world in
            var receipts: [Receipt] = []
            for text in ["a", "b", "c", "d", "e"] {
                receipts.append(try await client.deliver(.text(text)))
            }
            for receipt in receipts.prefix(2) {
                #expect(receipt.state == .rejected(.droppedByOverflow))
                await #expect(throws: DeliveryError.rejected(.droppedByOverflow)) {
                    try await receipt.confirmed()
                }
            }
            await client.connect()
            try await receipts[4].confirmed()
            #expect(world.texts == ["c", "d", "e"])
            let status = await client.outboxStatus
            #expect(status.accepted == 5)
            #expect(status.droppedByOverflow == 2)
            #expect(status.confirmed == 3)
        }
    }

    @Test("K04-07: under suspend callers wait for room, in order, and all get through")
    func suspend() throws {
        let client = try world.client(.memory(count: 2, .suspend))
        try world.run { world in
            _ = try await client.deliver(.text("1"))
            _ = try await client.deliver(.text("2"))
            let callers = (3...6).map { number in
                Task(executorPreference: world.executor) {
                    try await client.deliver(.text("\(number)")).id
                }
            }
            await world.pause()
            #expect(await client.outboxStatus.waiting == 2)
            await client.connect()
            var ids: [DeliveryID] = []
            for caller in callers { ids.append(try await caller.value) }
            #expect(ids == (3...6).map { DeliveryID($0) })
            await world.pause()
            #expect(world.texts == (1...6).map { "\($0)" })
            #expect(await client.outboxStatus.waiting == 0)
        }
    }

    @Test(
        "D4: a caller that is cancelled while it waits for room has stored nothing, and lets the next one in"
    )
    func cancelled() throws {
        var outbox = OutboxConfiguration.memory
        outbox.bounds.overflow = .suspend
        outbox.bounds.bytes = 300
        let client = try world.client(outbox)
        try world.run { world in
            _ = try await client.deliver(.text("first"))
            let big = Task(executorPreference: world.executor) {
                try await client.deliver(.binary([UInt8](repeating: 0, count: 200)))
            }
            await world.pause()
            let small = Task(executorPreference: world.executor) {
                try await client.deliver(.text("small"))
            }
            await world.pause()
            #expect(await client.outboxStatus.waiting == 1, "the small one does not overtake")
            big.cancel()
            await #expect(throws: DeliveryError.cancelled) { try await big.value }
            #expect(try await small.value.id == DeliveryID(2))
        }
    }

    @Test("D4: a message goes out only when the store has it, and its caller waits that long")
    func slowStore() throws {
        let store = ScriptedStore()
        let client = try world.client(OutboxConfiguration(store: store))
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            let callers = ["a", "b", "c"].map { text in
                Task(executorPreference: world.executor) {
                    try await client.deliver(.text(text))
                }
            }
            await world.pause()
            #expect(store.entries.map(\.id) == [1, 2, 3].map { DeliveryID($0) })
            #expect(world.sent == [])
            store.answer(.stored([DeliveryID(1), DeliveryID(2)]))
            let first = try await callers[0].value
            let second = try await callers[1].value
            try await second.confirmed()
            #expect(first.state == .confirmed)
            #expect(world.texts == ["a", "b"])
            store.answer(.failed([DeliveryID(3)], OutboxStoreError(.full)))
            await #expect(throws: DeliveryError.store(OutboxStoreError(.full))) {
                try await callers[2].value
            }
            await world.pause()
            #expect(Set(store.removed) == [DeliveryID(1), DeliveryID(2)])
            let status = await client.outboxStatus
            #expect(status.refused == 1)
            #expect(status.waiting == 0)
        }
    }

    @Test("D4: what could not be stored holds nothing up")
    func failedInFront() throws {
        let store = ScriptedStore()
        let client = try world.client(OutboxConfiguration(store: store))
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            let callers = ["a", "b"].map { text in
                Task(executorPreference: world.executor) {
                    try await client.deliver(.text(text))
                }
            }
            await world.pause()
            store.answer(.stored([DeliveryID(2)]))
            await world.pause()
            #expect(world.sent == [])
            store.answer(.failed([DeliveryID(1)], OutboxStoreError(.system)))
            try await callers[1].value.confirmed()
            #expect(world.texts == ["b"])
            await #expect(throws: DeliveryError.store(OutboxStoreError(.system))) {
                try await callers[0].value
            }
        }
    }

    @Test("D4: a store that cannot be opened is an error of the client's initialiser")
    func openFault() {
        let store = ScriptedStore()
        store.openFault = OutboxStoreError(.locked)
        #expect(throws: OutboxStoreError(.locked)) {
            try world.client(OutboxConfiguration(store: store))
        }
    }

    @Test(
        "D4: what the store holds is delivered on the first opening, with its ids and ahead of newer ones"
    )
    func restored() throws {
        let store = ScriptedStore()
        store.contents = OutboxContents(
            entries: [
                OutboxEntry(id: DeliveryID(8), message: .text("b")),
                OutboxEntry(id: DeliveryID(5), message: .text("a")),
            ], lastID: DeliveryID(11))
        let client = try world.client(OutboxConfiguration(store: store).labelled())
        try world.run { world in
            #expect(await client.outboxStatus.restored == 2)
            let caller = Task(executorPreference: world.executor) {
                try await client.deliver(.text("c"))
            }
            await world.pause()
            store.answer(.stored([DeliveryID(12)]))
            let receipt = try await caller.value
            await client.connect()
            try await receipt.confirmed()
            #expect(world.texts == ["5?a", "8?b", "12!c"])
            #expect(store.removed == [5, 8, 12].map { DeliveryID($0) })
            #expect(await client.outboxStatus.redelivered == 2)
        }
    }
}

/// What receipts have told. Touched in the virtual domain only.
private final class ToldReceipts: @unchecked Sendable {
    var states: [(DeliveryID, Receipt.State)] = []
    var ends: [DeliveryID] = []
}
