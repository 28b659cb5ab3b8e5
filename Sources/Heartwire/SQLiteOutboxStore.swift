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
/// `@unchecked Sendable`: the database is touched by ``open(_:)``, and after it on the store's thread only.
public final class SQLiteOutboxStore: OutboxStore, @unchecked Sendable {
    private struct Inbox {
        var entries: [OutboxEntry] = []
        var removals: [DeliveryID] = []
        var done: (@Sendable () -> Void)?
        /// The thread, from `open` to `close`.
        var thread: EventLoop?
        var isDraining = false
    }

    private let path: String
    private let pageLimit: Int?
    private let inbox = Locked(Inbox())
    private var database: SQLiteDatabase?
    private var report: (@Sendable (OutboxStoreReport) -> Void)?
    /// What could not be removed yet.
    private var unremoved: [DeliveryID] = []
    private let commits = Atomic<Int>(0)

    /// Makes a store for the file at `path`, which is made when it is opened, unless it is there.
    public convenience init(path: String) {
        self.init(path: path, pageLimit: nil)
    }

    init(path: String, pageLimit: Int?) {
        self.path = path
        self.pageLimit = pageLimit
    }

    /// How many transactions were committed, for tests and measurements.
    package var commitCount: Int { commits.load(ordering: .relaxed) }

    /// Opens and locks the file, and reads it.
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
        inbox.withLock { $0.thread = EventLoop(name: "heartwire-store") }
        return contents
    }

    /// Has an entry written with the next transaction; a report follows.
    public func append(_ entry: OutboxEntry) -> Bool {
        submit { $0.entries.append(entry) }
        return false
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
            if let done = work.done { return finish(done) }
        }
    }

    private func take() -> Inbox? {
        inbox.withLock { inbox in
            guard !inbox.entries.isEmpty || !inbox.removals.isEmpty || inbox.done != nil else {
                inbox.isDraining = false
                return nil
            }
            let work = inbox
            inbox.entries = []
            inbox.removals = []
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
            if !entries.isEmpty { report?(.stored(entries.map(\.id))) }
        } catch {
            unremoved = removals
            guard !entries.isEmpty else { return }
            report?(.failed(entries.map(\.id), error))
            // What was confirmed need not be delivered again because something new does not fit.
            if !removals.isEmpty { retryRemovals(database) }
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

    private func finish(_ done: @Sendable () -> Void) {
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
