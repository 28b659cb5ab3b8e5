/// A point in time that a ``Heartbeat`` can be driven with.
///
/// Arithmetic stops at the ends of the range instead of overflowing, so no setting and no instant
/// can trap the machine. At the very end of a range the last instant stands for every later one.
public protocol HeartbeatInstant: Comparable, Sendable {
    /// A span of time between two instants.
    associatedtype Interval: Comparable, Hashable, Sendable

    /// No time at all.
    static var zeroInterval: Interval { get }

    /// The longest setting that ``Heartbeat/Configuration`` accepts (H14).
    static var longestInterval: Interval { get }

    /// The instant `interval` later, or the last one that can be told.
    func advanced(byAtMost interval: Interval) -> Self

    /// The time since `earlier`, or the nearest span that can be told; negative when it is later.
    func elapsed(since earlier: Self) -> Interval
}

/// Whole milliseconds: for tests, simulators and worked examples.
extension Int: HeartbeatInstant {
    /// Milliseconds.
    public typealias Interval = Int

    /// 0 ms.
    public static var zeroInterval: Int { 0 }

    /// Half of the range, so that two settings can always be added.
    public static var longestInterval: Int { .max / 2 }

    /// The instant `interval` later, within the range.
    public func advanced(byAtMost interval: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(interval)
        guard overflow else { return sum }
        return interval < 0 ? .min : .max
    }

    /// The time since `earlier`, within the range.
    public func elapsed(since earlier: Int) -> Int {
        let (difference, overflow) = subtractingReportingOverflow(earlier)
        guard overflow else { return difference }
        return self < earlier ? .min : .max
    }
}

/// The standard library's monotonic clock that goes on counting during sleep.
///
/// Its range is some 10¹² years either way and a setting is at most 146 years long, so an instant
/// that the clock gave cannot overflow.
extension ContinuousClock.Instant: HeartbeatInstant {
    /// Spans are durations.
    public typealias Interval = Duration

    /// 0 s.
    public static var zeroInterval: Duration { .zero }

    /// About 146 years.
    public static var longestInterval: Duration { .nanoseconds(Int64.max / 2) }

    /// The instant `interval` later, within the range.
    public func advanced(byAtMost interval: Duration) -> ContinuousClock.Instant {
        advanced(by: interval)
    }

    /// The time since `earlier`, within the range.
    public func elapsed(since earlier: ContinuousClock.Instant) -> Duration {
        earlier.duration(to: self)
    }
}
