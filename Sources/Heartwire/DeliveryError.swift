public import HeartwireSession

/// Why a message was not taken in, or how a delivery ended without being confirmed.
public enum DeliveryError: Error, Sendable, Hashable {
    /// The client was made without an outbox (``ClientConfiguration/outbox``).
    case noOutbox
    /// The bounds do not admit the message, or it is bound to a session and there is none. Nothing was stored.
    case refused(OutboxRefusal)
    /// The store could not keep the message, so nothing is promised.
    case store(OutboxStoreError)
    /// The client is shut down or gone. A message that was stored stays in the store.
    case shutDown
    /// The task was cancelled. While waiting for room: nothing was stored. While waiting for a receipt: the
    /// delivery goes on.
    case cancelled
    /// The message was given up because of its age; when it had been written it may have arrived.
    case expired
    /// The message was given up for this reason.
    case rejected(DeliveryOutcome.Rejection)
}

extension DeliveryError: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .noOutbox: "the client has no outbox"
        case .refused(let refusal): "\(refusal)"
        case .store(let error): "\(error)"
        case .shutDown: "the client is shut down"
        case .cancelled: "the task was cancelled"
        case .expired: "expired"
        case .rejected(let why): "\(why)"
        }
    }
}
