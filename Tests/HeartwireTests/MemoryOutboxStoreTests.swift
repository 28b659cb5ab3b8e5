import Heartwire
import HeartwireProtocol
import HeartwireSession
import Testing

@Suite struct MemoryOutboxStoreTests {
    private let store = MemoryOutboxStore()

    private func entry(_ id: UInt64) -> OutboxEntry {
        OutboxEntry(id: DeliveryID(id), message: .text("\(id)"))
    }

    @Test("D4: a store in memory gives nothing back, for it holds everything itself")
    func readsNothing() throws {
        let store = MemoryOutboxStore()
        #expect(!store.readsBack)
        _ = try store.open { _ in Issue.record("nothing is to be reported") }
        store.read(DeliveryID(1)...DeliveryID(2))
    }

    @Test("D4: a store in memory keeps at once, forgets at once, and remembers the greatest id")
    func keeps() throws {
        #expect(try store.open { _ in } == OutboxContents())
        #expect(store.append(entry(1)))
        #expect(store.append(entry(2)))
        store.remove([DeliveryID(2), DeliveryID(9)])
        #expect(store.count == 1)
        store.close {}
        let contents = try store.open { _ in }
        #expect(contents.entries == [entry(1)])
        #expect(contents.lastID == DeliveryID(2))
    }

    @Test("D4: one client at a time has the store open")
    func locked() throws {
        _ = try store.open { _ in }
        #expect(throws: OutboxStoreError(.locked)) { try store.open { _ in } }
        store.close {}
        _ = try store.open { _ in }
    }

    @Test("D4: a reserved id is used up, though nothing is kept under it")
    func reserves() throws {
        _ = try store.open { _ in }
        #expect(store.append(entry(3)))
        store.reserve(DeliveryID(5))
        store.reserve(DeliveryID(2))
        store.close {}
        let contents = try store.open { _ in }
        #expect(contents.entries == [entry(3)] && contents.lastID == DeliveryID(5))
    }
}
