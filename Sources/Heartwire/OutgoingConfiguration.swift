public import HeartwireProtocol
public import HeartwireSession

/// How a ``MessageQueue`` or a ``MessageBatch`` lets go out what it was given (promises S3, S5).
public struct OutgoingConfiguration: Sendable {
    /// Which way a message takes when its turn comes.
    public enum Route: Sendable, Hashable, CaseIterable {
        /// As ``WebSocketClient/send(_:)``: at most once. What cannot go out because no connection is open comes back
        /// to ``OutgoingConfiguration/unsent``.
        case send
        /// As ``WebSocketClient/deliver(_:sessionBound:)``: it is stored, and goes out at least once. What is not
        /// stored comes back.
        case deliver
        /// It is sent where a connection is open, and otherwise delivered. Where the client has no outbox,
        /// it comes back.
        case sendOrDeliver
    }

    /// Which way messages take.
    public var route: Route
    /// What may wait here at most, what is gathered in a batch and what the store has not answered for included.
    /// More is refused with ``QueueError/full``.
    public var bounds = BufferBounds()
    /// Gets back what did not go out, in order, each message once. Called in the client's domain, so it must return
    /// quickly. `nil`: it is counted by ``OutgoingStatus/unsent``, and gone. What is put into the same queue again from here
    /// comes back at once as long as no connection is open: what is to wait for one takes the route ``Route/deliver``.
    public var unsent: (@Sendable (UnsentMessages) -> Void)?

    /// The default bounds.
    public init(
        _ route: Route, unsent: (@Sendable (UnsentMessages) -> Void)? = nil
    ) {
        self.route = route
        self.unsent = unsent
    }
}

/// Messages that did not go out.
public struct UnsentMessages: Sendable, Hashable {
    /// Why.
    public enum Cause: Error, Sendable, Hashable {
        /// The connection did not take them.
        case send(SendError)
        /// The outbox did not take them.
        case delivery(DeliveryError)
        /// The batch's encoding cannot carry them.
        case batch(BatchRefusal)
    }

    /// The messages as the app gave them: one, or those of one batch, in order.
    public let messages: [Message]
    /// Why.
    public let cause: Cause

    /// States which messages did not go out, and why.
    public init(messages: [Message], cause: Cause) {
        self.messages = messages
        self.cause = cause
    }
}

extension UnsentMessages.Cause: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .send(let error): "\(error)"
        case .delivery(let error): "\(error)"
        case .batch(let refusal): "\(refusal)"
        }
    }
}

/// A message that a queue or a batch did not take. Nothing has changed.
public enum QueueError: Error, Sendable, Hashable {
    /// As much waits as the bounds allow. It fits once others are through.
    case full
    /// It would not fit into the empty queue either: it weighs `bytes` of at most `limit`.
    case tooLarge(bytes: Int, limit: Int)
    /// The client is shut down or gone.
    case closed
    /// The batch's encoding cannot carry it.
    case refused(BatchRefusal)
}

extension QueueError: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .full: "the queue is full"
        case .tooLarge(let bytes, let limit):
            "the message weighs \(bytes) bytes, the queue holds at most \(limit)"
        case .closed: "the client is shut down"
        case .refused(let refusal): "\(refusal)"
        }
    }
}

/// What a queue or a batch has done, in messages of the app.
public struct OutgoingStatus: Sendable, Hashable {
    /// Messages that were taken and have not come to an end here.
    public var waiting = 0
    /// What they weigh in bytes (``BufferBounds/bytes``).
    public var waitingBytes = 0
    /// Messages that were refused with a ``QueueError``.
    public var refused = 0
    /// Messages that went to the transport.
    public var sent = 0
    /// Messages that the outbox has stored.
    public var stored = 0
    /// Messages that did not go out.
    public var unsent = 0

    /// Nothing has happened.
    public init() {}
}
