import HeartwireSession
import Testing

@Suite("HeartbeatInstant: arithmetic that never overflows")
struct HeartbeatInstantTests {
    @Test(
        "H14: milliseconds stop at the ends of their range",
        arguments: [
            (5, 7, 12), (5, -7, -2), (.max - 5, 5, .max), (.max - 5, 6, .max), (.max, .max, .max),
            (.min + 5, -5, .min), (.min + 5, -6, .min), (.min, .min, .min), (.min, .max, -1),
        ] as [(Int, Int, Int)])
    func advanced(start: Int, interval: Int, end: Int) {
        #expect(start.advanced(byAtMost: interval) == end)
    }

    @Test(
        "H14: the time between two millisecond instants stops at the ends of the range",
        arguments: [
            (12, 5, 7), (5, 12, -7), (.max, .min, .max), (.min, .max, .min), (0, .min, .max),
            (-1, .min, .max), (.min, 1, .min), (.min, 0, .min),
        ] as [(Int, Int, Int)])
    func elapsed(later: Int, earlier: Int, span: Int) {
        #expect(later.elapsed(since: earlier) == span)
    }

    @Test("H1: the bounds of a setting are those of the clock")
    func bounds() {
        #expect(Int.zeroInterval == 0)
        #expect(Int.longestInterval == .max / 2)
        #expect(ContinuousClock.Instant.zeroInterval == .zero)
        #expect(ContinuousClock.Instant.longestInterval == .nanoseconds(Int64.max / 2))
        #expect(MonotonicInstant.zeroInterval == .zero)
        #expect(MonotonicInstant.longestInterval == .nanoseconds(Int64.max / 2))
    }

    @Test("H1: the continuous clock's own arithmetic is used as it is")
    func continuousClock() {
        let start = ContinuousClock.now
        let end = start.advanced(byAtMost: .milliseconds(1_500))
        #expect(end == start.advanced(by: .milliseconds(1_500)))
        #expect(end.elapsed(since: start) == .milliseconds(1_500))
        #expect(start.elapsed(since: end) == .milliseconds(-1_500))
    }
}
