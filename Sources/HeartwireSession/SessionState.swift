/// Where a client stands, for the app to see.
public enum SessionState: Sendable, Hashable {
    /// Nothing was asked for yet. Followed by connecting or stopped, or suspended.
    case idle
    /// A connection is being made; `attempt` is 0 for the first, then counts the attempts to reconnect.
    /// Followed by open, waiting, suspended or stopped.
    case connecting(Generation, attempt: Int)
    /// The connection is open. Followed by closing, waiting, suspended or stopped.
    case open(Generation)
    /// The app asked for the close; the peer's answer is awaited. Followed by stopped, or by
    /// connecting or suspended where the app asked for a connection meanwhile.
    case closing(Generation)
    /// The last connection ended for `cause`; attempt number `attempt` follows after `delay`, counted
    /// from when this state began. Followed by connecting, suspended or stopped.
    case waiting(attempt: Int, delay: Duration, cause: CloseCause)
    /// A connection is wanted, and none is begun until the session is resumed (L1). Carries why the last one
    /// ended; `nil` where none was, or the app has begun anew. A connection that is there when the session is
    /// suspended goes on, so its states do. Followed by connecting, waiting or stopped.
    case suspended(cause: CloseCause?)
    /// Nothing happens until the app connects again. Followed by connecting or suspended.
    case stopped(StopCause)

    /// The connection that this state is about, if there is one.
    public var generation: Generation? {
        switch self {
        case .idle, .waiting, .suspended, .stopped: nil
        case .connecting(let generation, _), .open(let generation), .closing(let generation):
            generation
        }
    }
}

/// Why a client is not going to connect by itself.
public enum StopCause: Sendable, Hashable {
    /// The app disconnected. Carries the cause of the connection that this ended, `nil` if there was none.
    case disconnected(CloseCause?)
    /// The connection ended for a cause after which the policy does not retry, or there is no policy.
    case refusedToRetry(CloseCause)
    /// Every attempt that the backoff allows was made; the last one ended for this cause.
    case attemptsExhausted(CloseCause)
}

extension StopCause: CustomStringConvertible {
    /// One line for people. May hold the peer's reason, so it is not for the journal.
    public var description: String {
        switch self {
        case .disconnected(nil): "disconnected by the app"
        case .disconnected(let cause?): "\(cause)"
        case .refusedToRetry(let cause): "\(cause); not tried again"
        case .attemptsExhausted(let cause): "\(cause); no attempt is left"
        }
    }
}
