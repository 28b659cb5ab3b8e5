public import HeartwireProtocol

/// What was promised to arrive: messages in strict order, from the moment they are taken in until each
/// is settled, over any number of connections (promises D2, D3, D5).
///
/// Theory of operation. The outbox is a value that is told what happened and does nothing itself. Its
/// entries stand in the order of their ids. In front are those that are written on the open connection;
/// a cursor stands behind them, and only the entry at the cursor may be written next. So messages
/// leave in order, and there is one path on which anything is sent again: the end of a connection moves the
/// cursor back to the front (D5). An entry is on one connection at a time, because the cursor
/// passes it once between two ends.
///
///     state       told                                          new state
///     –           add                                           storing, or queued where nothing is stored
///     storing     stored                                        queued
///     storing     storeFailed                                   – (it was never promised)
///     queued      takeNext on the open connection               written
///     written     ended(generation)                             queued, as a possible duplicate
///     written     a confirmation                                confirmed
///     queued      an acknowledgement, once it was written       confirmed
///     any         expire, at its age                            expired
///     queued      add of another, under `dropOldest`            rejected: dropped
///     written     refuse                                        rejected: unsendable
///     queued      read, without it                              rejected: unreadable
///     session-bound and not settled: ended(generation)          rejected: session ended
///
/// A fence is a ping that goes out behind what was written: the peer's WebSocket layer answers frames in
/// order, so the pong proves that it has read all that was written before the ping. Any ping serves, so
/// ``wantsFence`` asks for one only where no ping since the last write has gone out. What goes out again gets the first of its
/// connection right behind its first message (``wantsFenceFirst``), so that a backlog shrinks also where no connection
/// lives until all of it was read.
///
/// The contents of all entries need not be in memory: with a window, those that are far from their turn are left with the store
/// and read back in time (``takeRead()``). All else that is decided by is held, so neither the order nor a bound depends on it.
///
/// What ends an entry comes out once, as a ``SettledDelivery``, and the entry is gone.
public struct Outbox: Sendable {
    /// When a message counts as arrived (D3).
    public enum Confirmation: Sendable, Hashable, CaseIterable {
        /// When it was handed to the transport. Proves nothing about the peer.
        case written
        /// When the pong of a ping that was sent after it has arrived.
        case fence
        /// When the app says so.
        case acknowledgement
    }

    /// Where an entry stands. Its successors are those of the table.
    enum State: Sendable, Hashable {
        /// The store has it and has not answered.
        case storing
        /// It waits for its turn.
        case queued
        /// It went out on the connection that is open.
        case written
    }

    /// What an entry is to carry.
    enum Contents: Sendable {
        case held(Message)
        /// The store has it.
        case absent(byteCount: Int)

        var byteCount: Int {
            switch self {
            case .held(let message): message.byteCount
            case .absent(let byteCount): byteCount
            }
        }
    }

    /// There may be very many of these: what is large stands first, and a state has no generation, since what is written is
    /// written on the connection that is open.
    struct Entry: Sendable {
        let takenIn: MonotonicInstant
        var contents: Contents
        var state: State
        let isSessionBound: Bool
        /// Whether it went out on a connection that is over.
        var isPossibleDuplicate: Bool
    }

    /// An entry's place. The entry is `nil` once it is settled; the place goes later, with others.
    struct Slot: Sendable {
        let id: DeliveryID
        var entry: Entry?
    }

    /// Places without an entry that are kept at most beyond the number of entries.
    static let sparePlaces = 64

    /// The bounds.
    public let bounds: OutboxBounds
    /// When a message counts as arrived.
    public let confirmation: Confirmation
    /// How much of what waits has its contents in memory; all of it when `nil`.
    public let window: OutboxWindow?
    /// The connection that is open; `nil` between connections.
    public internal(set) var generation: Generation?
    /// How many messages are not settled.
    public internal(set) var count = 0
    /// What they weigh (``OutboxBounds/bytes``).
    public internal(set) var bytes = 0
    /// The id of the newest message that was taken in.
    public internal(set) var lastID: DeliveryID
    var slots: [Slot] = []
    /// The first place that may hold an entry.
    var head = 0
    /// The place of the entry that is written next.
    var cursor = 0
    /// How many entries are bound to the present session.
    var sessionBound = 0
    /// The entries whose contents are held, apart from what is bound to the session.
    var held = OutboxLoad()
    /// From this id on no contents are held, apart from what is bound to the session; `nil` when all are.
    var firstAbsent: DeliveryID?
    /// What the store is reading.
    var reading: ClosedRange<DeliveryID>?
    /// The last entry that was written on the open connection.
    var lastWritten = DeliveryID.none
    /// The last ping that went out, and the last entry before it.
    var fence: (ping: PingID, covers: DeliveryID)?

    /// Makes an outbox that is empty.
    ///
    /// - Parameters:
    ///   - bounds: How much it holds.
    ///   - confirmation: When a message counts as arrived.
    ///   - window: How much of what waits has its contents in memory, where the store gives them back; `nil` for all.
    ///   - lastID: The newest id that is used up.
    public init(
        _ bounds: OutboxBounds = OutboxBounds(), confirmation: Confirmation = .fence,
        window: OutboxWindow? = nil, after lastID: DeliveryID = .none
    ) {
        self.bounds = bounds
        self.confirmation = confirmation
        self.window = window
        self.lastID = lastID
    }

    /// Whether nothing is left to do.
    public var isEmpty: Bool { count == 0 }

    /// The ids of all messages that are not settled, in order.
    public var ids: [DeliveryID] { unsettled.map(\.id) }

    /// The ids of what is written on the open connection and not settled, in order.
    public var writtenIDs: [DeliveryID] {
        slots[head..<cursor].compactMap { $0.entry == nil ? nil : $0.id }
    }

    /// All messages that are not settled, in order.
    public var unsettled: [UnsettledDelivery] {
        slots[head...].compactMap { slot in
            guard let entry = slot.entry else { return nil }
            switch entry.state {
            case .written: return UnsettledDelivery(slot.id, mayHaveArrived: true)
            case .storing, .queued:
                return UnsettledDelivery(slot.id, mayHaveArrived: entry.isPossibleDuplicate)
            }
        }
    }

    /// When ``expire(at:)`` matters next; `nil` for never.
    public var nextDeadline: MonotonicInstant? {
        guard let age = bounds.age, head < slots.count, let first = slots[head].entry,
            first.state != .storing
        else { return nil }
        return first.takenIn.advanced(by: age)
    }
}

// What is taken in.
extension Outbox {
    /// What became of the outbox when a message was taken in.
    public struct Admission: Sendable, Hashable {
        /// The message's id.
        public let id: DeliveryID
        /// What was given up to make room for it.
        public let dropped: [SettledDelivery]
    }

    /// Whether a message of so many bytes would be taken in without giving anything up.
    public func hasRoom(forBytes payloadBytes: Int) -> Bool {
        let (sum, overflow) = bytes.addingReportingOverflow(OutboxBounds.weight(payloadBytes))
        return count < bounds.count && !overflow && sum <= bounds.bytes
    }

    /// Takes a message in behind all others. It is to be stored first, and waits for ``stored(_:)``; one
    /// that is bound to the session dies with it, so it is not for the store and may go out at once.
    public mutating func add(
        _ message: Message, isSessionBound: Bool = false, at now: MonotonicInstant
    ) throws(OutboxRefusal) -> Admission {
        if isSessionBound, generation == nil { throw .noSession }
        let dropped = try makeRoom(for: message.byteCount)
        lastID = lastID.next
        // The store has what it is to keep already.
        let isHeld = isSessionBound || holds(lastID, message.byteCount)
        append(
            lastID,
            Entry(
                takenIn: now,
                contents: isHeld ? .held(message) : .absent(byteCount: message.byteCount),
                state: isSessionBound ? .queued : .storing, isSessionBound: isSessionBound,
                isPossibleDuplicate: false))
        return Admission(id: lastID, dropped: dropped)
    }

    /// Takes over what the store of an earlier process holds, whatever the bounds say, because it was promised. Its
    /// age begins anew. Must be told before anything is added.
    public mutating func restore(_ entries: [OutboxEntry], at now: MonotonicInstant) {
        for entry in entries.sorted(by: { $0.id < $1.id }) {
            restore(entry.id, .held(entry.message), now)
        }
    }

    /// The same for entries whose contents are read back later. Only for an outbox with a window; instead of
    /// ``restore(_:at:)`` and not beside it.
    public mutating func restore(unread: [UnreadEntry], at now: MonotonicInstant) {
        for entry in unread.sorted(by: { $0.id < $1.id }) {
            restore(entry.id, .absent(byteCount: entry.byteCount), now)
            firstAbsent = firstAbsent ?? entry.id
        }
    }

    private mutating func restore(
        _ id: DeliveryID, _ contents: Contents, _ now: MonotonicInstant
    ) {
        lastID = max(lastID, id)
        append(
            id,
            Entry(
                takenIn: now, contents: contents, state: .queued, isSessionBound: false,
                isPossibleDuplicate: true))
    }

    /// The store has this message. It may go out as soon as those before it have.
    public mutating func stored(_ id: DeliveryID) {
        guard let place = place(of: id), slots[place].entry?.state == .storing else { return }
        slots[place].entry?.state = .queued
    }

    /// The store cannot take this message: it was never promised, so it is forgotten.
    public mutating func storeFailed(_ id: DeliveryID) {
        guard let place = place(of: id), slots[place].entry?.state == .storing else { return }
        remove(place)
    }

    private mutating func append(_ id: DeliveryID, _ entry: Entry) {
        count &+= 1
        let weight = OutboxBounds.weight(entry.contents.byteCount)
        bytes = bytes &+ weight
        if entry.isSessionBound {
            sessionBound &+= 1
        } else if case .held = entry.contents {
            held.add(weight)
        }
        slots.append(Slot(id: id, entry: entry))
    }

    private mutating func makeRoom(
        for payloadBytes: Int
    ) throws(OutboxRefusal) -> [SettledDelivery] {
        let weight = OutboxBounds.weight(payloadBytes)
        guard weight <= bounds.bytes, bounds.count > 0 else {
            throw .tooLarge(bytes: weight, limit: bounds.count > 0 ? bounds.bytes : 0)
        }
        if hasRoom(forBytes: payloadBytes) { return [] }
        switch bounds.overflow {
        case .rejectNew, .suspend: throw .full
        case .dropOldest: return try dropOldest(for: weight)
        }
    }

    /// Gives up the oldest queued entries until `weight` fits; none when that is not enough.
    private mutating func dropOldest(for weight: Int) throws(OutboxRefusal) -> [SettledDelivery] {
        var victims: [Int] = []
        var (leftCount, leftBytes) = (count, bytes)
        for place in cursor..<slots.count {
            guard leftCount >= bounds.count || leftBytes > bounds.bytes &- weight else { break }
            guard let entry = slots[place].entry, entry.state == .queued else { continue }
            victims.append(place)
            leftCount &-= 1
            leftBytes = leftBytes &- OutboxBounds.weight(entry.contents.byteCount)
        }
        guard leftCount < bounds.count, leftBytes <= bounds.bytes &- weight else { throw .full }
        let ids = victims.map { slots[$0].id }
        for id in ids { if let place = place(of: id) { remove(place) } }
        return ids.map { SettledDelivery($0, .rejected(.droppedByOverflow)) }
    }
}
