import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@Suite("Delivery: with a store on the disk", .serialized)
struct DeliveryToDiskTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("D4: what one client left is delivered by the next one, with the same ids and flagged")
    func handedOn() throws {
        let path = folder.file()
        let first = DeliveryWorld()
        let client = try first.client(.sqlite(at: path))
        try first.run { _ in
            for text in ["a", "b"] { _ = try await client.deliver(.text(text)) }
            #expect(await client.shutdown().left.map(\.id) == [DeliveryID(1), DeliveryID(2)])
        }
        let second = DeliveryWorld()
        let heir = try second.client(OutboxConfiguration.sqlite(at: path).labelled())
        try second.run { world in
            #expect(await heir.outboxStatus.restored == 2)
            let receipt = try await heir.deliver(.text("c"))
            #expect(receipt.id == DeliveryID(3))
            await heir.connect()
            try await receipt.confirmed()
            #expect(world.texts == ["1?a", "2?b", "3!c"])
            #expect(await heir.shutdown().isDrained)
        }
    }

    @Test("D4: a second client for the same file is refused when it is made")
    func locked() throws {
        let world = DeliveryWorld()
        let client = try world.client(.sqlite(at: folder.file()))
        let error = #expect(throws: OutboxStoreError.self) {
            try world.client(.sqlite(at: folder.file()))
        }
        #expect(error?.kind == .locked)
        try world.run { _ in _ = await client.shutdown() }
        let next = try world.client(.sqlite(at: folder.file()))
        try world.run { _ in _ = await next.shutdown() }
    }

    @Test("D4: deliveries of many callers at once are all stored, in the order of their ids")
    func many() throws {
        let world = DeliveryWorld()
        let client = try world.client(.sqlite(at: folder.file()))
        try world.run { world in
            await client.connect()
            let callers = (1...500).map { number in
                Task(executorPreference: world.executor) {
                    try await client.deliver(.text("\(number)"))
                }
            }
            var ids: [DeliveryID] = []
            for caller in callers { ids.append(try await caller.value.id) }
            #expect(ids == (1...500).map { DeliveryID($0) })
            #expect(await client.shutdown().isDrained)
            #expect(world.texts == (1...500).map { "\($0)" })
        }
    }

    @Test(
        "D4: what is delivered in one call is on the disk when the call returns, in few transactions"
    )
    func bulk() throws {
        let world = DeliveryWorld()
        let store = SQLiteOutboxStore(path: folder.file())
        let client = try world.client(OutboxConfiguration(store: store))
        try world.run { _ in
            let messages = (1...1_000).map { Message.text("\($0)") }
            let results = try await client.deliver(contentsOf: messages)
            #expect(try results.map { try $0.get().id } == (1...1_000).map { DeliveryID($0) })
            #expect(store.commitCount < 100)
            _ = await client.shutdown()
        }
        let second = DeliveryWorld()
        let heir = try second.client(.sqlite(at: folder.file()))
        try second.run { _ in
            #expect(await heir.outboxStatus.restored == 1_000)
            _ = await heir.shutdown()
        }
    }
}
