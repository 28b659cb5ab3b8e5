/// Where a client stands, for the app to see.
public enum SessionState: Sendable, Hashable {
    /// Nothing was asked for yet. Followed by connecting or stopped.
    case idle
    /// A connection is being made; `attempt` is 0 for the first, then counts the attempts to reconnect.
    /// Followed by open, waiting or stopped.
    case connecting(Generation, attempt: Int)
    /// The connection is open. Followed by closing, waiting or stopped.
    case open(Generation)
    /// The app asked for the close; the peer's answer is awaited. Followed by stopped, or by
    /// connecting where the app asked for that meanwhile.
    case closing(Generation)
    /// The last connection ended for `cause`; attempt number `attempt` follows after `delay`, counted
    /// from when this state began. Followed by connecting or stopped.
    case waiting(attempt: Int, delay: Duration, cause: CloseCause)
    /// Nothing happens until the app connects again. Followed by connecting.
    case stopped(StopCause)

    /// The connection that this state is about, if there is one.
    public var generation: Generation? {
        switch self {
        case .idle, .waiting, .stopped: nil
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
