public import HeartwireSession

/// Where an outbox keeps what it has promised to deliver (promise D4).
///
/// A store belongs to one client at a time, from ``open(_:)`` to ``close(_:)``. What takes time it does on a
/// thread of its own: but for `open`, nothing here may block, because the client's domain calls it.
public protocol OutboxStore: AnyObject, Sendable {
    /// Whether the store gives back what it keeps, so that a client need not hold all of it in memory
    /// (``OutboxConfiguration/window``). Does not change.
    var readsBack: Bool { get }

    /// Makes the store the caller's and gives what an earlier owner left, in any order. May block; called once, before
    /// anything else.
    ///
    /// - Parameter report: Hears what became of every entry for which ``append(_:)`` did not answer `true`, from
    ///   any thread, in the order in which they were appended. It must be let go by `close`.
    /// - Throws: ``OutboxStoreError``, when nothing could be kept here.
    func open(
        _ report: @escaping @Sendable (OutboxStoreReport) -> Void
    ) throws(OutboxStoreError) -> OutboxContents

    /// Keeps an entry; `true` when it is kept already, otherwise a report follows. Ids increase.
    func append(_ entry: OutboxEntry) -> Bool

    /// Takes an id out of use though nothing is kept under it: it was given to a message that is bound to a session.
    /// The message goes out at once, so a store that takes time keeps ids in hand: however its owner ends, no later
    /// one may be given this id.
    func reserve(_ id: DeliveryID)

    /// Reads the entries that are kept with ids from the first to the last, behind everything that was asked for before; a
    /// report follows. Called only where ``readsBack`` is `true`, for one range at a time: another one may follow when
    /// the connection has ended, and then the report on the earlier one is of no use.
    func read(_ range: ClosedRange<DeliveryID>)

    /// Forgets entries. One that cannot be forgotten now is tried again later; at worst it is delivered once more
    /// by a later owner, with its id.
    func remove(_ ids: [DeliveryID])

    /// Ends the ownership behind everything that was asked for before, then calls `done` from any thread.
    func close(_ done: @escaping @Sendable () -> Void)
}

/// What a store holds when it is opened.
public struct OutboxContents: Sendable, Hashable {
    /// What was stored and not removed.
    public var entries: [OutboxEntry]
    /// The same, from a store that reads it when it is asked for it (``OutboxStore/readsBack``); it gives no ``entries``.
    public var unread: [UnreadEntry]
    /// The greatest id that was ever stored or reserved, or a greater one, so that none is used twice.
    public var lastID: DeliveryID

    /// States what a store holds.
    public init(
        entries: [OutboxEntry] = [], unread: [UnreadEntry] = [], lastID: DeliveryID = .none
    ) {
        self.entries = entries
        self.unread = unread
        self.lastID = lastID
    }
}

/// What a store tells of its own accord.
public enum OutboxStoreReport: Sendable, Hashable {
    /// These entries would survive the end of the process from here on.
    case stored([DeliveryID])
    /// These entries are not kept.
    case failed([DeliveryID], OutboxStoreError)
    /// What is kept of this range, in the order of the ids.
    case read(ClosedRange<DeliveryID>, [OutboxEntry])
    /// This range could not be read.
    case unread(ClosedRange<DeliveryID>, OutboxStoreError)
}

/// Why a store cannot keep messages.
public struct OutboxStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The classes of failure that an app can tell apart.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The file cannot be opened or made: no such folder, no permission, no valid path.
        case cannotOpen = "cannot-open"
        /// The file is something else: no database, or the database of another program.
        case notAnOutbox = "not-an-outbox"
        /// The database is damaged.
        case corrupt
        /// The file can be read and not written.
        case readOnly = "read-only"
        /// Another client has it open, in this process or another.
        case locked
        /// There is no space left.
        case full
        /// A newer version of this library wrote it.
        case newerVersion = "newer-version"
        /// The store was closed, or was opened twice.
        case notOpen = "not-open"
        /// Anything else that the system reports, such as a failing disk.
        case system
    }

    /// The class.
    public let kind: Kind
    /// SQLite's extended result code, or the version for ``Kind/newerVersion``; 0 where there is none.
    public let code: Int32

    /// States a failure of class `kind`.
    public init(_ kind: Kind, code: Int32 = 0) {
        self.kind = kind
        self.code = code
    }

    /// Whether it is no use to try again.
    var isLasting: Bool {
        switch kind {
        case .cannotOpen, .readOnly, .locked, .full, .system: false
        case .notAnOutbox, .corrupt, .newerVersion, .notOpen: true
        }
    }

    /// One line for people. Names no path.
    public var description: String {
        let words =
            switch kind {
            case .cannotOpen: "the outbox's file cannot be opened"
            case .notAnOutbox: "the file is no outbox"
            case .corrupt: "the outbox's file is damaged"
            case .readOnly: "the outbox's file cannot be written"
            case .locked: "another client has the outbox open"
            case .full: "there is no space left for the outbox"
            case .newerVersion: "a newer version wrote the outbox"
            case .notOpen: "the outbox is not open"
            case .system: "the outbox's file failed"
            }
        guard code != 0 else { return words }
        return kind == .newerVersion ? "\(words) (version \(code))" : "\(words) (SQLite \(code))"
    }
}
