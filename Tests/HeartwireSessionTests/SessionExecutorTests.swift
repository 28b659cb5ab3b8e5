import HeartwireSession
import Testing

@Suite("SessionExecutor: timers by their numbers, and what an executor has by itself")
struct SessionExecutorTests {
    @Test("T5: a timer is the one that was scheduled, by its number")
    func timerID() {
        #expect(TimerID(3).number == 3)
        #expect(TimerID(3) == TimerID(3))
        #expect(TimerID(3) != TimerID(4))
    }

    @Test("T5: an executor that cannot tell tasks from an actor's jobs is preferred itself")
    func taskExecutor() {
        let executor = Bare()
        #expect(executor.taskExecutor as AnyObject === executor)
    }

    @Test("T5: an executor that lends nothing runs what its own domain asks for, and nothing else")
    func borrow() {
        for isCurrent in [true, false] {
            var runs = 0
            #expect(Bare(isCurrent: isCurrent).borrow { runs += 1 } == isCurrent)
            #expect(runs == (isCurrent ? 1 : 0))
        }
    }

    @Test("T5: an executor without turns lets a waiting task go on at once")
    func resumeElsewhere() async {
        await withUnsafeContinuation { Bare().resumeElsewhere($0) }
        Bare().settleResumption()
    }

    /// Runs what it is given at once, and has no timers.
    private final class Bare: SessionExecutor {
        let isCurrent: Bool
        init(isCurrent: Bool = true) { self.isCurrent = isCurrent }
        func now() -> MonotonicInstant { .origin }
        func execute(_ work: @escaping @Sendable () -> Void) { work() }
        func schedule(at deadline: MonotonicInstant, _ action: @escaping () -> Void) -> TimerID {
            TimerID(0)
        }
        func cancel(_ timer: TimerID) {}
        func flushAtEndOfTurn(_ flushable: any TurnFlushable) { flushable.flush() }
        func enqueue(_ job: UnownedJob) {
            job.runSynchronously(on: asUnownedSerialExecutor())
        }
        func asUnownedSerialExecutor() -> UnownedSerialExecutor {
            UnownedSerialExecutor(ordinary: self)
        }
    }
}
