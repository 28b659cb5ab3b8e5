import Testing

@testable import HeartwireSession

@Suite("MonotonicInstant: a point on a clock that only goes on")
struct MonotonicInstantTests {
    @Test("L4: instants are ordered by their nanoseconds")
    func order() {
        #expect(MonotonicInstant.origin < MonotonicInstant(nanoseconds: 1))
        #expect(!(MonotonicInstant.origin < .origin))
        #expect(MonotonicInstant(nanoseconds: -1) < .origin)
        #expect(MonotonicInstant.distantFuture == MonotonicInstant(nanoseconds: .max))
    }

    @Test(
        "L4: advancing stops at the ends of the range",
        arguments: [
            (0, .nanoseconds(5), 5), (10, .nanoseconds(-25), -15),
            (.max - 5, .nanoseconds(5), .max), (.max - 5, .nanoseconds(6), .max),
            (.min + 5, .nanoseconds(-6), .min), (0, .seconds(Int64.max), .max),
            (0, .seconds(Int64.min), .min), (.min, .seconds(Int64.max), -1),
        ] as [(Int64, Duration, Int64)])
    func advanced(start: Int64, by duration: Duration, end: Int64) {
        let instant = MonotonicInstant(nanoseconds: start)
        #expect(instant.advanced(by: duration) == MonotonicInstant(nanoseconds: end))
    }

    @Test(
        "L4: the duration between two instants stops at the ends of the range",
        arguments: [
            (5, 12, 7), (12, 5, -7), (.min, .max, .max), (.max, .min, .min), (0, .min, .min),
            (.min, 0, .max),
        ] as [(Int64, Int64, Int64)])
    func duration(from start: Int64, to end: Int64, span: Int64) {
        let first = MonotonicInstant(nanoseconds: start)
        #expect(first.duration(to: MonotonicInstant(nanoseconds: end)) == .nanoseconds(span))
    }

    @Test(
        "L4: a duration counts in whole nanoseconds, cut towards zero and held in its range",
        arguments: [
            (.zero, 0), (.milliseconds(1_500), 1_500_000_000),
            (.milliseconds(-1_500), -1_500_000_000),
            (Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999), 1),
            (Duration(secondsComponent: 0, attosecondsComponent: -1_999_999_999), -1),
            (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
            (.seconds(9_223_372_036) + .nanoseconds(854_775_807), .max),
            (.seconds(9_223_372_036) + .nanoseconds(854_775_808), .max),
            (.seconds(-9_223_372_036) - .nanoseconds(854_775_809), .min),
        ] as [(Duration, Int64)])
    func wholeNanoseconds(duration: Duration, nanoseconds: Int64) {
        #expect(duration.wholeNanoseconds == nanoseconds)
    }
}
