/// A point on a monotonic clock that goes on counting while the machine sleeps.
///
/// The session's machines are driven with these and never ask for the time themselves. The origin
/// is arbitrary (boot in production, zero under the virtual clock), so only differences mean
/// anything, and a change of the wall clock changes nothing (promise L4).
public struct MonotonicInstant: Sendable, Hashable, Comparable {
    /// Nanoseconds since the clock's origin.
    public let nanoseconds: Int64

    /// Makes an instant that lies `nanoseconds` after the clock's origin.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The clock's origin.
    public static let origin = MonotonicInstant(nanoseconds: 0)

    /// The last instant that can be told; arithmetic that would pass it stops here.
    public static let distantFuture = MonotonicInstant(nanoseconds: .max)

    /// The instant `duration` later, stopping at the ends of the range instead of overflowing.
    public func advanced(by duration: Duration) -> MonotonicInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        guard overflow else { return MonotonicInstant(nanoseconds: sum) }
        return duration < .zero ? MonotonicInstant(nanoseconds: .min) : .distantFuture
    }

    /// How long it is from this instant until `other`, negative when `other` is earlier.
    public func duration(to other: MonotonicInstant) -> Duration {
        let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
        guard overflow else { return .nanoseconds(difference) }
        return .nanoseconds(other < self ? Int64.min : Int64.max)
    }

    /// Whether the left instant is the earlier one.
    public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Duration {
    /// This duration in whole nanoseconds, rounded towards zero and held within `Int64`
    /// (about 292 years either way).
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, overflowed) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard !overflowed else { return seconds < 0 ? .min : .max }
        return sum
    }
}
