import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import Testing

@testable import Heartwire

/// Collects what a store reports, and waits for it.
private final class Reports: Sendable {
    private let seen = Locked<[OutboxStoreReport]>([])

    @Sendable func hear(_ report: OutboxStoreReport) {
        seen.withLock { $0.append(report) }
    }

    var all: [OutboxStoreReport] { seen.withLock { $0 } }

    var stored: [DeliveryID] {
        all.flatMap { if case .stored(let ids) = $0 { ids } else { [DeliveryID]() } }
    }

    var failed: [DeliveryID] {
        all.flatMap { if case .failed(let ids, _) = $0 { ids } else { [DeliveryID]() } }
    }
}

extension SQLiteOutboxStore {
    /// Returns when the file is closed.
    func close() async {
        await withCheckedContinuation { continuation in
            close { continuation.resume() }
        }
    }
}

@Suite struct SQLiteOutboxStoreTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func entry(_ id: UInt64, _ text: String = "x") -> OutboxEntry {
        OutboxEntry(id: DeliveryID(id), message: .text(text))
    }

    @Test(
        "D4: what is reported as stored is there when the file is opened again; what was removed is not"
    )
    func persists() async throws {
        let reports = Reports()
        let store = SQLiteOutboxStore(path: folder.file())
        #expect(try store.open(reports.hear) == OutboxContents())
        for id in 1...5 { #expect(!store.append(entry(UInt64(id)))) }
        store.remove([DeliveryID(2), DeliveryID(3)])
        await store.close()
        #expect(reports.stored == (1...5).map { DeliveryID($0) })
        let contents = try store.open(reports.hear)
        #expect(contents.entries == [entry(1), entry(4), entry(5)])
        #expect(contents.lastID == DeliveryID(5))
        await store.close()
    }

    @Test("D4: many messages share a transaction, so durability does not cost one wait for each")
    func grouped() async throws {
        let reports = Reports()
        let store = SQLiteOutboxStore(path: folder.file())
        _ = try store.open(reports.hear)
        for id in 1...2_000 { _ = store.append(entry(UInt64(id))) }
        await store.close()
        #expect(reports.stored == (1...2_000).map { DeliveryID($0) })
        #expect(store.commitCount < 500)
    }

    @Test("D4: when the disk is full the messages are reported as failed, and removals go on")
    func full() async throws {
        let reports = Reports()
        let store = SQLiteOutboxStore(path: folder.file(), pageLimit: 12)
        _ = try store.open(reports.hear)
        _ = store.append(entry(1, String(repeating: "a", count: 20_000)))
        await store.close()
        #expect(reports.stored == [DeliveryID(1)])
        _ = try store.open(reports.hear)
        _ = store.append(entry(2, String(repeating: "b", count: 50_000)))
        store.remove([DeliveryID(1)])
        await store.close()
        guard case .failed(let ids, let error)? = reports.all.last else {
            Issue.record("\(reports.all)")
            return
        }
        #expect(ids == [DeliveryID(2)])
        #expect(error.kind == .full)
        let contents = try store.open(reports.hear)
        #expect(contents.entries == [], "the first was removed all the same")
        #expect(contents.lastID == DeliveryID(1), "an id that failed may be used again")
        await store.close()
    }

    @Test("D4: a store is open once, in this object and in any other")
    func once() async throws {
        let store = SQLiteOutboxStore(path: folder.file())
        _ = try store.open { _ in }
        #expect(throws: OutboxStoreError(.notOpen)) { try store.open { _ in } }
        let other = SQLiteOutboxStore(path: folder.file())
        let error = #expect(throws: OutboxStoreError.self) { try other.open { _ in } }
        #expect(error?.kind == .locked)
        await store.close()
        _ = try other.open { _ in }
        await other.close()
    }

    @Test("D4: a store that is not open can be closed, and keeps nothing")
    func notOpen() async throws {
        let reports = Reports()
        let store = SQLiteOutboxStore(path: folder.file())
        await store.close()
        #expect(!store.append(entry(1)))
        store.remove([DeliveryID(1)])
        #expect(try store.open(reports.hear) == OutboxContents())
        await store.close()
        #expect(reports.all == [])
    }
}
