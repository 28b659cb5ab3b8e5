import HeartwireProtocol

/// Whether and when a client connects again after its connection ended (promises R1–R3).
///
/// Of a million clients that lose their server for a minute in the same instant, the default policy brings at most 104,331
/// back in one second, of which a policy of fixed seconds brings all (docs/herd.md, `heartwire simulate herd`).
public struct ReconnectPolicy: Sendable, Hashable {
    /// How long each attempt in a row waits.
    public var backoff: Backoff
    /// How long a connection must stay open before the row of attempts begins anew (R2). A server that
    /// accepts and closes at once is so not hammered. Zero or less: it begins anew on open.
    public var stability: Duration
    /// The longest wait that a server's `Retry-After` can ask for; what is longer is cut to it.
    public var longestRetryAfter: Duration
    /// What to do for each cause.
    public var verdicts: VerdictTable

    /// States a policy. The defaults: ``Backoff/standard``, stable after 5 s, `Retry-After` up to one hour.
    public init(
        backoff: Backoff = .standard, stability: Duration = .seconds(5),
        longestRetryAfter: Duration = .seconds(3_600), verdicts: VerdictTable = VerdictTable()
    ) {
        self.backoff = backoff
        self.stability = stability
        self.longestRetryAfter = longestRetryAfter
        self.verdicts = verdicts
    }

    /// The verdict for a cause. Where the table says retry and the server's refusal names a time,
    /// that time is honoured up to ``longestRetryAfter``.
    public func verdict(for cause: CloseCause) -> Verdict {
        switch verdicts.verdict(for: cause) {
        case .retry:
            guard case .refused(let refusal) = cause, let seconds = refusal.retryAfterSeconds,
                seconds > 0
            else { return .retry }
            return .retryAfter(bounded(.seconds(seconds)))
        case .retryAfter(let delay): return .retryAfter(bounded(delay))
        case .refreshCredentials: return .refreshCredentials
        case .stop: return .stop
        }
    }

    private func bounded(_ delay: Duration) -> Duration {
        max(.zero, min(delay, longestRetryAfter))
    }
}
