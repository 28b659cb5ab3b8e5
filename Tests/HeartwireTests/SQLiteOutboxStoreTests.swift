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

    var read: [OutboxEntry] {
        all.flatMap { if case .read(_, let entries) = $0 { entries } else { [OutboxEntry]() } }
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

    private func unread(_ id: UInt64) -> UnreadEntry {
        UnreadEntry(id: DeliveryID(id), byteCount: 1)
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
        #expect(contents.unread == [unread(1), unread(4), unread(5)])
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
        #expect(contents.unread == [], "the first was removed all the same")
        #expect(contents.lastID == DeliveryID(1), "an id that failed may be used again")
        await store.close()
    }

    @Test("D4: what is kept is read back in ranges, behind what was asked for before")
    func readsBack() async throws {
        let reports = Reports()
        let store = SQLiteOutboxStore(path: folder.file())
        #expect(store.readsBack)
        _ = try store.open(reports.hear)
        for id in 1...6 { _ = store.append(entry(UInt64(id))) }
        store.remove([DeliveryID(3)])
        store.read(DeliveryID(2)...DeliveryID(5))
        while reports.read.isEmpty { await Task.yield() }
        #expect(reports.read == [entry(2), entry(4), entry(5)])
        store.read(DeliveryID(7)...DeliveryID(9))
        while reports.all.last == .read(DeliveryID(2)...DeliveryID(5), reports.read) {
            await Task.yield()
        }
        #expect(reports.all.last == .read(DeliveryID(7)...DeliveryID(9), []))
        await store.close()
        store.read(DeliveryID(1)...DeliveryID(1))
        #expect(reports.read.count == 3, "a store that is closed reads nothing")
    }

    @Test("D4: what cannot be read is reported with its error")
    func readFails() async throws {
        let reports = Reports()
        let store = SQLiteOutboxStore(path: folder.file())
        _ = try store.open(reports.hear)
        let long = String(repeating: "a", count: 100_000)
        for id in 1...100 { _ = store.append(entry(UInt64(id), long)) }
        await store.close()
        // The middle of the file is lost; its beginning, where the tables are named, is not.
        var bytes = try folder.read("outbox.db")
        for place in bytes.count / 2..<bytes.count { bytes[place] = 0xFF }
        try folder.write(bytes, to: "outbox.db")
        let damaged = SQLiteOutboxStore(path: folder.file())
        do throws(OutboxStoreError) {
            _ = try damaged.open(reports.hear)
        } catch {
            // So much was lost that it is seen at once.
            #expect(error.kind == .corrupt)
            return
        }
        damaged.read(DeliveryID(1)...DeliveryID(100))
        await behind(damaged)
        guard case .unread(let range, let error)? = reports.all.last else {
            Issue.record("the damage was not seen")
            return
        }
        #expect(range == DeliveryID(1)...DeliveryID(100) && error.kind == .corrupt)
        await damaged.close()
    }

    @Test("D4: a reserved id is used up; a store that is closed leaves no gap behind it")
    func reserves() async throws {
        let store = SQLiteOutboxStore(path: folder.file())
        _ = try store.open { _ in }
        _ = store.append(entry(1))
        store.reserve(DeliveryID(2))
        await store.close()
        let contents = try store.open { _ in }
        #expect(contents.unread == [unread(1)] && contents.lastID == DeliveryID(2))
        await store.close()
        #expect(try store.open { _ in }.lastID == DeliveryID(2))
        await store.close()
    }

    @Test(
        "D4: an id that was reserved is used up, however the process ends",
        arguments: [1, 2_047, 2_048, 2_049, 3_000, 10_000])
    func reservesBeforeAKill(count: Int) async throws {
        let store = SQLiteOutboxStore(path: folder.file())
        _ = try store.open { _ in }
        for id in 1...UInt64(count) {
            store.reserve(DeliveryID(id))
            // Far fewer than are in hand come between two looks of the store's thread.
            if id % 1_000 == 0 { await behind(store) }
        }
        await behind(store)
        // What a killed process leaves: the file and its log as they are.
        for end in ["", "-wal"] {
            try folder.write(folder.read("outbox.db\(end)"), to: "copy.db\(end)")
        }
        let copy = SQLiteOutboxStore(path: folder.file("copy.db"))
        let last = try copy.open { _ in }.lastID
        #expect(last >= DeliveryID(UInt64(count)))
        #expect(last <= DeliveryID(UInt64(count) + SQLiteOutboxStore.idsInHand))
        await copy.close()
        await store.close()
    }

    /// Returns when the store has done what it was asked for.
    private func behind(_ store: SQLiteOutboxStore) async {
        let commits = store.commitCount
        store.remove([DeliveryID(1)])
        while store.commitCount == commits { await Task.yield() }
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
