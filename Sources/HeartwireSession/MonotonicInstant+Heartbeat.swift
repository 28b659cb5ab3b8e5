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
