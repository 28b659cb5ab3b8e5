import HeartwireSession
import HeartwireTesting
import Testing

@Suite struct VirtualClockTests {
    private let executor = VirtualExecutor()
    private var clock: VirtualClock { VirtualClock(executor) }

    @Test("The clock shows the executor's time, and resolves nanoseconds")
    func now() {
        executor.advance(by: .seconds(3))
        #expect(clock.now == VirtualClock.Instant(MonotonicInstant(nanoseconds: 3_000_000_000)))
        #expect(clock.minimumResolution == .nanoseconds(1))
    }

    @Test("Instants can be compared, advanced and measured, and stop at the ends of the range")
    func instants() {
        let early = VirtualClock.Instant(.origin)
        let late = early.advanced(by: .seconds(2))
        #expect(early < late)
        #expect(early.duration(to: late) == .seconds(2))
        #expect(late.duration(to: early) == .seconds(-2))
        let last = VirtualClock.Instant(.distantFuture)
        #expect(last.advanced(by: .seconds(1)) == last)
    }

    @Test("A sleep of a day takes a day of virtual time and none of real time")
    func sleep() throws {
        let clock = clock
        let end = try executor.runScript(limit: .seconds(100_000)) {
            try await clock.sleep(for: .seconds(86_400))
            return clock.now
        }
        #expect(end.monotonic.nanoseconds == 86_400_000_000_000)
    }

    @Test("Sleepers wake in the order of their deadlines")
    func order() throws {
        let clock = clock
        let log = Log()
        try executor.runScript {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for seconds in [3, 1, 2] {
                    group.addTask {
                        try await clock.sleep(for: .seconds(seconds))
                        log.add("\(seconds)")
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(log.lines == ["1", "2", "3"])
        #expect(executor.now().nanoseconds == 3_000_000_000)
    }

    @Test("A deadline that has passed is slept through in no time")
    func past() throws {
        let clock = clock
        executor.advance(by: .seconds(5))
        try executor.runScript {
            try await clock.sleep(until: VirtualClock.Instant(.origin), tolerance: .seconds(1))
        }
        #expect(executor.now().nanoseconds == 5_000_000_000)
    }

    @Test("A cancelled sleep throws at once and leaves no timer")
    func cancelled() throws {
        let clock = clock
        let executor = executor
        let log = Log()
        let sleeper = Task(executorPreference: executor) {
            do {
                try await clock.sleep(for: .seconds(100))
            } catch {
                log.add("\(type(of: error)) at \(executor.now().nanoseconds)")
            }
        }
        executor.advance(by: .seconds(1))
        #expect(executor.pendingTimers == 1)
        sleeper.cancel()
        executor.runUntilIdle()
        #expect(log.lines == ["CancellationError at 1000000000"])
        #expect(executor.pendingTimers == 0)
    }

    @Test("A sleep in a task that was cancelled before throws without sleeping")
    func cancelledBefore() throws {
        let clock = clock
        let executor = executor
        let log = Log()
        let sleeper = Task(executorPreference: executor) {
            do {
                try await clock.sleep(for: .seconds(100))
            } catch {
                log.add("threw")
            }
        }
        sleeper.cancel()
        executor.runUntilIdle()
        #expect(log.lines == ["threw"])
        #expect(executor.pendingTimers == 0)
    }

    @Test("Cancelling a sleep that is over changes nothing")
    func cancelledAfter() throws {
        let clock = clock
        let sleeper = Task(executorPreference: executor) {
            try await clock.sleep(for: .seconds(1))
            return true
        }
        executor.advance(by: .seconds(1))
        sleeper.cancel()
        executor.runUntilIdle()
        #expect(try executor.runScript { try await sleeper.value })
    }
}
