import Testing

@testable import HeartwireSession

@Suite("FrameStallWatch: how long a frame stands still")
struct FrameStallWatchTests {
    private func instant(_ milliseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
    }

    private func watch(progressAt milliseconds: Int64) -> FrameStallWatch {
        var watch = FrameStallWatch(limit: .seconds(30))
        watch.progressed(at: instant(milliseconds))
        return watch
    }

    @Test("P4: a frame is due one limit after the last of its bytes")
    func due() {
        var watch = watch(progressAt: 5)
        #expect(watch.due == instant(30_005))
        watch.progressed(at: instant(7))
        #expect(watch.due == instant(30_007))
    }

    @Test("P4: it stands still too long at the limit and one unit after it, not one before")
    func limit() {
        var watch = watch(progressAt: 0)
        let timer = watch.due
        #expect(watch.verdict(timer: timer, now: instant(29_999)) == .looksAgain(at: timer))
        #expect(watch.verdict(timer: timer, now: instant(30_000)) == .stalled)
        #expect(watch.verdict(timer: timer, now: instant(30_001)) == .stalled)
    }

    @Test("P4: bytes that came after the timer was set have it look again, one limit after them")
    func progress() {
        var watch = watch(progressAt: 0)
        let timer = watch.due
        watch.progressed(at: instant(1))
        #expect(watch.verdict(timer: timer, now: timer) == .looksAgain(at: instant(30_001)))
        #expect(watch.verdict(timer: instant(30_001), now: instant(30_001)) == .stalled)
    }

    @Test(
        "L1, P4: a timer that fires far too late says nothing of the peer, which gets its time anew"
    )
    func lateTimer() {
        for (late, verdict) in [
            (999, FrameStallWatch.Verdict.stalled), (1_000, .looksAgain(at: instant(61_000))),
            (1_001, .looksAgain(at: instant(61_001))),
        ] as [(Int64, FrameStallWatch.Verdict)] {
            var watch = watch(progressAt: 0)
            #expect(watch.verdict(timer: watch.due, now: instant(30_000 + late)) == verdict)
        }
    }

    @Test("P4: a limit of nothing is over at once, and the longest never comes")
    func extremes() {
        var none = FrameStallWatch(limit: .zero)
        none.progressed(at: instant(3))
        #expect(none.verdict(timer: instant(3), now: instant(3)) == .stalled)
        var endless = FrameStallWatch(limit: .seconds(Int64.max))
        endless.progressed(at: instant(3))
        #expect(endless.due == .distantFuture)
        #expect(
            endless.verdict(timer: .distantFuture, now: instant(4))
                == .looksAgain(at: .distantFuture))
    }
}
