public import HeartwireProtocol

/// How a delivery ended. Each ends once, and nothing follows.
public enum DeliveryOutcome: Sendable, Hashable {
    /// It arrived, in the sense of the outbox's ``Outbox/Confirmation``.
    case confirmed
    /// It was not confirmed within the age that the bounds allow. Where it had been written it may have
    /// arrived.
    case expired
    /// It was given up.
    case rejected(Rejection)

    /// Why a message that was stored is given up.
    public enum Rejection: Sendable, Hashable {
        /// It made room for a newer one (``OutboxBounds/Overflow/dropOldest``).
        case droppedByOverflow
        /// It was bound to a session that is over, so it must not reach the next one.
        case sessionEnded
        /// The protocol cannot carry it.
        case unsendable(SendError)
        /// The store has lost it or cannot read it any more.
        case unreadable
    }
}

extension DeliveryOutcome: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .confirmed: "confirmed"
        case .expired: "expired"
        case .rejected(let why): "\(why)"
        }
    }
}

extension DeliveryOutcome.Rejection: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .droppedByOverflow: "dropped: overflow"
        case .sessionEnded: "session ended"
        case .unsendable(let error): "cannot be sent: \(error)"
        case .unreadable: "cannot be read back"
        }
    }
}
