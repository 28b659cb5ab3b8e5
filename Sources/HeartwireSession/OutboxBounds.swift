/// How much an ``Outbox`` holds, for how long, and what happens to one message more.
public struct OutboxBounds: Sendable, Hashable {
    /// What happens when a message does not fit.
    public enum Overflow: Sendable, Hashable, CaseIterable {
        /// The new message is refused with an error; nothing that was stored is touched.
        case rejectNew
        /// The caller waits until there is room.
        case suspend
        /// The oldest messages that are not on their way are given up, each with the outcome
        /// ``DeliveryOutcome/Rejection/droppedByOverflow``. When all are on their way, the new one is
        /// refused: what the peer may have read already makes no room.
        case dropOldest
    }

    /// What an entry weighs beside its payload, in bytes: its place in the outbox and its allocation.
    public static let entryOverheadBytes = 64

    /// The messages that are stored at most. Default: 10,000.
    public var count = 10_000
    /// The bytes that are stored at most, with ``entryOverheadBytes`` for each message. Default: 64 MiB.
    public var bytes = 64 << 20
    /// How long after it was stored a message is given up as expired. `nil` keeps it for as long as it
    /// takes. The time in which no process runs does not count: no clock that can be trusted tells it.
    /// Default: `nil`.
    public var age: Duration?
    /// What happens to a message that does not fit. Default: ``Overflow/rejectNew``.
    public var overflow = Overflow.rejectNew

    /// The defaults.
    public init() {}

    /// What a message weighs against ``bytes``. Stops at the end of the range instead of overflowing.
    static func weight(_ payloadBytes: Int) -> Int {
        let (sum, overflow) = payloadBytes.addingReportingOverflow(entryOverheadBytes)
        return overflow ? .max : sum
    }
}

/// A message that an ``Outbox`` did not take in. Nothing has changed.
public enum OutboxRefusal: Error, Sendable, Hashable {
    /// It fits once others are through.
    case full
    /// It would not fit into the empty outbox either: it weighs `bytes` of at most `limit`.
    case tooLarge(bytes: Int, limit: Int)
    /// It is bound to the present session, and there is no open connection.
    case noSession
}

extension OutboxRefusal: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .full: "the outbox is full"
        case .tooLarge(let bytes, let limit):
            "the message weighs \(bytes) bytes, the outbox holds at most \(limit)"
        case .noSession: "the message is bound to a session and no connection is open"
        }
    }
}
