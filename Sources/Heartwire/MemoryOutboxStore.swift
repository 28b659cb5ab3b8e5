public import HeartwireSession
import HeartwireSocket

/// A store that lives as long as the object does: it survives reconnects and clients, not the process.
public final class MemoryOutboxStore: OutboxStore {
    private struct Held {
        var messages = DeliveryTable<OutboxEntry>()
        var lastID = DeliveryID.none
        var isOpen = false
    }

    private let held = Locked(Held())

    /// Makes an empty store.
    public init() {}

    /// It holds everything in memory itself.
    public var readsBack: Bool { false }

    /// How many entries are kept.
    public var count: Int { held.withLock { $0.messages.count } }

    /// Gives what an earlier client left.
    ///
    /// - Throws: ``OutboxStoreError`` of kind `locked` when a client has the store open.
    public func open(
        _ report: @escaping @Sendable (OutboxStoreReport) -> Void
    ) throws(OutboxStoreError) -> OutboxContents {
        let contents: OutboxContents? = held.withLock { held in
            guard !held.isOpen else { return nil }
            held.isOpen = true
            return OutboxContents(entries: held.messages.values, lastID: held.lastID)
        }
        guard let contents else { throw OutboxStoreError(.locked) }
        return contents
    }

    /// Keeps an entry at once.
    public func append(_ entry: OutboxEntry) -> Bool {
        held.withLock { held in
            held.messages[entry.id] = entry
            held.lastID = max(held.lastID, entry.id)
        }
        return true
    }

    /// Remembers the id.
    public func reserve(_ id: DeliveryID) {
        held.withLock { $0.lastID = max($0.lastID, id) }
    }

    /// Never called.
    public func read(_ range: ClosedRange<DeliveryID>) {}

    /// Forgets entries.
    public func remove(_ ids: [DeliveryID]) {
        held.withLock { held in
            for id in ids { held.messages[id] = nil }
        }
    }

    /// Lets another client open the store.
    public func close(_ done: @escaping @Sendable () -> Void) {
        held.withLock { $0.isOpen = false }
        done()
    }
}
