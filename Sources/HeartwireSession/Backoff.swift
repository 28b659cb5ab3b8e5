/// How long to wait before each attempt to reconnect (promise R1).
///
/// Attempt n waits `base · factor^(n-1)`, but no longer than the cap, changed at random by the
/// jitter so that many clients do not return in the same instant. No delay is ever zero, negative,
/// beyond the cap or not a number, whatever the attempt (K03-02).
public struct Backoff: Sendable, Hashable {
    /// How chance changes a delay.
    public enum Jitter: Sendable, Hashable {
        /// Not at all.
        case none
        /// Adds between nothing and this part of the delay, 0.3 for up to 30 %. At the cap the part
        /// is taken from below, so that clients stay spread and the cap is kept.
        case proportional(Double)
        /// Anything from just above zero to the whole delay.
        case full
    }

    /// The delay of attempt 1, without jitter.
    public let base: Duration
    /// By what each delay is longer than the one before it.
    public let factor: Double
    /// No delay is longer than this, jitter included.
    public let cap: Duration
    /// How chance changes a delay.
    public let jitter: Jitter
    /// How many attempts to reconnect are made in a row before giving up; `nil` for no end.
    public let attempts: Int?

    /// The longest base and cap that can be set: a year of 365 days.
    public static let longestDelay = Duration.seconds(365 * 86_400)

    /// The default: 1 s, doubled each time, plus up to 30 %, 10 attempts.
    ///
    /// The cap of one hour is beyond the tenth attempt's 666 s.
    public static let standard = Backoff(
        unchecked: .seconds(1), factor: 2, cap: .seconds(3_600), jitter: .proportional(0.3),
        attempts: 10)

    /// Checks the settings.
    ///
    /// - Throws: ``BackoffError`` for a base that is not positive or longer than the cap, a factor
    ///   below 1 or not finite, a cap beyond ``longestDelay``, a proportional jitter outside of 0…1,
    ///   or a negative number of attempts.
    public init(
        base: Duration = .seconds(1), factor: Double = 2, cap: Duration = .seconds(3_600),
        jitter: Jitter = .proportional(0.3), attempts: Int? = 10
    ) throws(BackoffError) {
        guard base >= .nanoseconds(1) else { throw .baseNotPositive }
        guard cap <= Self.longestDelay else { throw .capTooLong }
        guard base <= cap else { throw .baseBeyondCap }
        guard factor.isFinite, factor >= 1 else { throw .factorBelowOne }
        if case .proportional(let part) = jitter, !(part >= 0 && part <= 1) {
            throw .jitterOutOfRange
        }
        if let attempts, attempts < 0 { throw .negativeAttempts }
        self.init(unchecked: base, factor: factor, cap: cap, jitter: jitter, attempts: attempts)
    }

    private init(
        unchecked base: Duration, factor: Double, cap: Duration, jitter: Jitter, attempts: Int?
    ) {
        self.base = base
        self.factor = factor
        self.cap = cap
        self.jitter = jitter
        self.attempts = attempts
    }

    /// How long attempt `number` waits.
    ///
    /// - Parameters:
    ///   - number: the attempt to reconnect, counted from 1; anything smaller is taken for 1.
    ///   - roll: a random number, uniform over all of `UInt64`.
    /// - Returns: the delay in whole nanoseconds, or `nil` when the attempts are used up.
    public func delay(attempt number: Int, roll: UInt64) -> Duration? {
        if let attempts, number > attempts { return nil }
        let most = Double(cap.wholeNanoseconds)
        let raw = Double(base.wholeNanoseconds) * power(number < 1 ? 0 : number - 1)
        // In (0, 1], with all of a Double's 53 digits.
        let chance = Double((roll &>> 11) &+ 1) * 0x1p-53
        let delay: Double
        switch jitter {
        case .none:
            delay = min(raw, most)
        case .proportional(let part):
            let least = min(raw, most / (1 + part))
            delay = least + (min(raw * (1 + part), most) - least) * chance
        case .full:
            delay = min(raw, most) * chance
        }
        // The cap keeps the value far below the end of Int64, so the conversion cannot trap.
        let bounded = max(1, min(delay.rounded(), most))
        return min(.nanoseconds(Int64(bounded)), cap)
    }

    /// `factor` to the power of `exponent` by squaring; infinite where it is beyond a Double.
    private func power(_ exponent: Int) -> Double {
        var result = 1.0
        var square = factor
        var rest = exponent
        while rest > 0 {
            if rest & 1 == 1 { result *= square }
            square *= square
            rest &>>= 1
        }
        return result
    }
}

/// A backoff setting that cannot be kept.
public enum BackoffError: Error, Sendable, Hashable, CaseIterable {
    /// The base is shorter than a nanosecond.
    case baseNotPositive
    /// The base is longer than the cap.
    case baseBeyondCap
    /// The cap is longer than ``Backoff/longestDelay``.
    case capTooLong
    /// The factor is below 1, infinite or not a number.
    case factorBelowOne
    /// The part of a proportional jitter is outside of 0…1 or not a number.
    case jitterOutOfRange
    /// The number of attempts is negative.
    case negativeAttempts
}

extension BackoffError: CustomStringConvertible {
    /// One line for people, such as `backoff: the base is not positive`.
    public var description: String {
        switch self {
        case .baseNotPositive: "backoff: the base is not positive"
        case .baseBeyondCap: "backoff: the base is longer than the cap"
        case .capTooLong: "backoff: the cap is longer than a year"
        case .factorBelowOne: "backoff: the factor is not a finite number of at least 1"
        case .jitterOutOfRange: "backoff: the proportional jitter is not within 0…1"
        case .negativeAttempts: "backoff: the number of attempts is negative"
        }
    }
}
