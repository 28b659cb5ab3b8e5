/// The clock of a session.
extension MonotonicInstant: HeartbeatInstant {
    /// Spans are durations.
    public typealias Interval = Duration

    /// 0 s.
    public static var zeroInterval: Duration { .zero }

    /// About 146 years: half of the range, so that two settings can always be added.
    public static var longestInterval: Duration { .nanoseconds(Int64.max / 2) }

    /// The instant `interval` later, within the range.
    public func advanced(byAtMost interval: Duration) -> MonotonicInstant {
        advanced(by: interval)
    }

    /// The time since `earlier`, within the range.
    public func elapsed(since earlier: MonotonicInstant) -> Duration {
        earlier.duration(to: self)
    }
}

extension Heartbeat.Configuration where Instant == MonotonicInstant {
    /// The default of a session: a ping every 20 s, 10 s for its pong. Most proxies and NATs forget an
    /// idle connection after 30 s at the earliest.
    public static var standard: Self {
        Self(uncheckedInterval: .seconds(20), timeout: .seconds(10))
    }
}
