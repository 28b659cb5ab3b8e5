import HeartwireSession
import Testing

@Suite("MonotonicInstant+Heartbeat: the session's clock as a heartbeat's")
struct MonotonicInstantHeartbeatTests {
    @Test("H1, H14: the session's clock stops at the ends of its range")
    func monotonic() {
        let start = MonotonicInstant(nanoseconds: .max - 5)
        #expect(start.advanced(byAtMost: .nanoseconds(5)) == .distantFuture)
        #expect(start.advanced(byAtMost: .nanoseconds(6)) == .distantFuture)
        let first = MonotonicInstant(nanoseconds: .min)
        #expect(start.elapsed(since: first) == .nanoseconds(Int64.max))
        #expect(first.elapsed(since: start) == .nanoseconds(Int64.min))
        #expect(start.elapsed(since: start.advanced(byAtMost: .nanoseconds(2))) == .nanoseconds(-2))
    }

    @Test("H14: a setting is at most half of the range, so two can be added")
    func bounds() {
        #expect(MonotonicInstant.zeroInterval == .zero)
        #expect(MonotonicInstant.longestInterval == .nanoseconds(Int64.max / 2))
    }

    @Test("H14: the default is a ping every 20 s and 10 s for its pong")
    func standard() {
        let standard = Heartbeat<MonotonicInstant>.Configuration.standard
        #expect(standard.interval == .seconds(20))
        #expect(standard.timeout == .seconds(10))
        #expect(standard.probeTimeout == .seconds(10))
        #expect(standard.suspensionTolerance == .seconds(10))
        #expect(!standard.countsInboundFrames)
    }
}
