public import HeartwireSession
import HeartwireSocket
import Synchronization

/// A store in one SQLite file: what it reports as stored is on the disk and survives the process, the system
/// and a loss of power (promise D4).
///
/// Theory of operation. SQLite runs on a thread of its own, because a commit waits for the disk. While it
/// waits, what is asked for gathers in the inbox and makes up the next transaction: so many messages share one
/// wait, and one alone does not wait for others.
///
/// What is kept is given back in ranges of ids, so a client need not hold all of it in memory: a read is done behind the
/// transaction that it was asked for with.
///
/// Ids that are reserved have no entry, and nobody waits until they are on the disk. So the file is ahead: it says of some
/// thousand ids that they are used before they are, and is put right when it is closed. After a kill
/// the next ids follow behind a gap.
///
/// `@unchecked Sendable`: the database is touched by ``open(_:)``, and after it on the store's thread only.
public final class SQLiteOutboxStore: OutboxStore, @unchecked Sendable {
    private struct Inbox {
        var entries: [OutboxEntry] = []
        var removals: [DeliveryID] = []
        var reads: [ClosedRange<DeliveryID>] = []
        /// The greatest id that was reserved.
        var reserved = DeliveryID.none
        /// Up to which id the file says that they are used.
        var inHand = DeliveryID.none
        /// Whether too few ids are left up to there.
        var isShort = false
        var done: (@Sendable () -> Void)?
        /// The thread, from `open` to `close`.
        var thread: EventLoop?
        var isDraining = false
    }

    /// How far the file is ahead of the ids in use, and when it is brought ahead again.
    static let idsInHand: UInt64 = 4_096
    private static let leastInHand: UInt64 = 2_048

    private let path: String
    private let pageLimit: Int?
    private let inbox = Locked(Inbox())
    private var database: SQLiteDatabase?
    private var report: (@Sendable (OutboxStoreReport) -> Void)?
    /// What could not be removed yet.
    private var unremoved: [DeliveryID] = []
    /// The greatest id that was stored, by this owner or an earlier one.
    private var lastStored = DeliveryID.none
    private let commits = Atomic<Int>(0)

    /// Makes a store for the file at `path`, which is made when it is opened, unless it is there.
    public convenience init(path: String) {
        self.init(path: path, pageLimit: nil)
    }

    init(path: String, pageLimit: Int?) {
        self.path = path
        self.pageLimit = pageLimit
    }

    /// The file has what a client does not hold.
    public var readsBack: Bool { true }

    /// How many transactions were committed, for tests and measurements.
    package var commitCount: Int { commits.load(ordering: .relaxed) }

    /// Opens and locks the file, and reads which entries it has.
    ///
    /// - Throws: ``OutboxStoreError``.
    public func open(
        _ report: @escaping @Sendable (OutboxStoreReport) -> Void
    ) throws(OutboxStoreError) -> OutboxContents {
        guard inbox.withLock({ $0.thread == nil }) else { throw OutboxStoreError(.notOpen) }
        let database = try SQLiteDatabase(path: path, pageLimit: pageLimit)
        let contents = try database.contents()
        self.database = database
        self.report = report
        lastStored = contents.lastID
        inbox.withLock { $0.thread = EventLoop(name: "heartwire-store") }
        keepAhead()
        return contents
    }

    /// Has an entry written with the next transaction; a report follows.
    public func append(_ entry: OutboxEntry) -> Bool {
        submit { $0.entries.append(entry) }
        return false
    }

    /// Remembers the id. Nothing has to be written for it, unless few ids are in hand.
    public func reserve(_ id: DeliveryID) {
        let isShort = inbox.withLock { inbox in
            inbox.reserved = max(inbox.reserved, id)
            return id.number &+ Self.leastInHand > inbox.inHand.number
        }
        if isShort { submit { $0.isShort = true } }
    }

    /// Has entries read behind the next transaction.
    public func read(_ range: ClosedRange<DeliveryID>) {
        submit { $0.reads.append(range) }
    }

    /// Has entries removed with the next transaction.
    public func remove(_ ids: [DeliveryID]) {
        submit { $0.removals.append(contentsOf: ids) }
    }

    /// Closes the file behind everything that waits.
    public func close(_ done: @escaping @Sendable () -> Void) {
        guard inbox.withLock({ $0.thread != nil }) else { return done() }
        submit { $0.done = done }
    }

    private func submit(_ change: (inout Inbox) -> Void) {
        let thread: EventLoop? = inbox.withLock { inbox in
            guard let thread = inbox.thread else { return nil }
            change(&inbox)
            guard !inbox.isDraining else { return nil }
            inbox.isDraining = true
            return thread
        }
        thread?.execute { self.drain() }
    }

    // MARK: The thread

    private func drain() {
        while let work = take() {
            commit(work.entries, removing: work.removals)
            keepAhead()
            if let done = work.done { return finish(done) }
            for range in work.reads { readNow(range) }
        }
    }

    private func take() -> Inbox? {
        inbox.withLock { inbox in
            guard
                !inbox.entries.isEmpty || !inbox.removals.isEmpty || !inbox.reads.isEmpty
                    || inbox.done != nil || inbox.isShort
            else {
                inbox.isDraining = false
                return nil
            }
            let work = inbox
            inbox.entries = []
            inbox.removals = []
            inbox.reads = []
            inbox.isShort = false
            return work
        }
    }

    private func commit(_ entries: [OutboxEntry], removing ids: [DeliveryID]) {
        guard let database, !entries.isEmpty || !ids.isEmpty else { return }
        let removals = unremoved + ids
        do throws(OutboxStoreError) {
            try database.change(removing: removals, adding: entries)
            commits.add(1, ordering: .relaxed)
            unremoved = []
            if let last = entries.last { lastStored = max(lastStored, last.id) }
            if !entries.isEmpty { report?(.stored(entries.map(\.id))) }
        } catch {
            unremoved = removals
            guard !entries.isEmpty else { return }
            report?(.failed(entries.map(\.id), error))
            // What was confirmed need not be delivered again because something new does not fit.
            if !removals.isEmpty { retryRemovals(database) }
        }
    }

    private func readNow(_ range: ClosedRange<DeliveryID>) {
        guard let database else { return }
        do throws(OutboxStoreError) {
            report?(.read(range, try database.entries(range)))
        } catch {
            report?(.unread(range, error))
        }
    }

    private func retryRemovals(_ database: SQLiteDatabase) {
        do throws(OutboxStoreError) {
            try database.change(removing: unremoved, adding: [])
            unremoved = []
        } catch {
            // They stay in `unremoved` and go with the next transaction.
        }
    }

    /// Brings the file ahead of the ids in use. Where it cannot be written now it is tried again with the next work.
    private func keepAhead() {
        let used = inbox.withLock { max($0.reserved, lastStored) }
        guard let database, inbox.withLock({ used.number &+ Self.leastInHand > $0.inHand.number })
        else { return }
        let ahead = DeliveryID(used.number &+ Self.idsInHand)
        guard (try? database.setLastID(ahead)) != nil else { return }
        inbox.withLock { $0.inHand = ahead }
    }

    /// Nobody uses ids any more, so the file need not be ahead. Where that cannot be written, a gap is all that comes of it.
    private func putRight() {
        let (reserved, inHand) = inbox.withLock { ($0.reserved, $0.inHand) }
        let used = max(reserved, lastStored)
        guard let database, used < inHand else { return }
        try? database.setLastID(used)
    }

    private func finish(_ done: @Sendable () -> Void) {
        putRight()
        database = nil
        report = nil
        let thread = inbox.withLock { inbox in
            let thread = inbox.thread
            inbox = Inbox()
            return thread
        }
        done()
        thread?.shutdown()
    }
}
