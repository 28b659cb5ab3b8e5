#if os(Linux)
    import HeartwireSession
    import Testing

    @testable import HeartwireSocket

    @Suite("Waiting by epoll", .timeLimit(.minutes(1)))
    struct EpollPollerTests {
        private func end(_ nanoseconds: Int64) -> Int64 {
            EpollPoller.endOfTick(MonotonicInstant(nanoseconds: nanoseconds)).nanoseconds
        }

        @Test("H11: a deadline is waited for to the end of its tick, and never less")
        func ticks() {
            let tick = EpollPoller.tickNanoseconds
            #expect(tick <= 4_000_000)
            #expect(end(0) == 0)
            #expect(end(1) == tick)
            #expect(end(tick - 1) == tick)
            #expect(end(tick) == tick)
            #expect(end(tick + 1) == 2 * tick)
            #expect(end(-1) == -1)
            for last in [Int64.max, Int64.max - tick + 1] { #expect(end(last) == last) }
        }

        /// How often `wait` returns until it says that `deadline` may have come, and when that is.
        private func wait(
            _ poller: EpollPoller, until deadline: MonotonicInstant
        ) -> (returns: Int, at: MonotonicInstant) {
            var returns = 1
            poller.wait(until: deadline, mayBlock: true)
            while !poller.report({ _, _ in }) {
                returns += 1
                poller.wait(until: deadline, mayBlock: true)
            }
            return (returns, SystemClock.now())
        }

        @Test(
            "H11: the wait ends at the deadline or behind it, and at once for one that has passed")
        func deadlines() throws {
            let poller = try EpollPoller()
            for distance in [Duration.milliseconds(3), .zero, .milliseconds(-3)] {
                let deadline = SystemClock.now().advanced(by: distance)
                let (returns, end) = wait(poller, until: deadline)
                #expect(returns == 1)
                #expect(end >= deadline)
            }
        }

        @Test("A deadline that moves within its tick sets no timer anew, and is kept all the same")
        func movedDeadline() throws {
            let poller = try EpollPoller()
            let tick = EpollPoller.tickNanoseconds
            let now = SystemClock.now().nanoseconds
            let base = now - now % tick + 5 * tick
            poller.wait(until: MonotonicInstant(nanoseconds: base + tick - 1), mayBlock: false)
            let deadline = MonotonicInstant(nanoseconds: base + 1)
            #expect(wait(poller, until: deadline).at >= deadline)
        }
    }
#endif
