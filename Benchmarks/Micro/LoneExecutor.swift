import HeartwireSession

/// A domain on the one thread there is, which runs when it is told to; its time stands still.
final class LoneExecutor: SessionExecutor, @unchecked Sendable {
    private enum Work {
        case job(UnownedJob)
        /// A job of a task that prefers this executor.
        case taskJob(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    @exclusivity(unchecked) private var ready: [Work] = []
    @exclusivity(unchecked) private var dirty: [any TurnFlushable] = []
    private var timers: UInt64 = 0
    private let tasks = LoneTaskExecutor()

    init() {
        tasks.lone = self
    }

    var taskExecutor: any TaskExecutor { tasks }
    var isCurrent: Bool { true }

    func now() -> MonotonicInstant { .origin }

    func execute(_ work: @escaping @Sendable () -> Void) {
        ready.append(.closure(work))
    }

    func enqueue(_ job: consuming ExecutorJob) {
        ready.append(.job(UnownedJob(job)))
    }

    fileprivate func enqueue(ofTask job: consuming ExecutorJob) {
        ready.append(.taskJob(UnownedJob(job)))
    }

    /// No timer ever fires.
    func schedule(at deadline: MonotonicInstant, _ action: @escaping () -> Void) -> TimerID {
        timers += 1
        return TimerID(timers)
    }

    func cancel(_ timer: TimerID) {}

    func flushAtEndOfTurn(_ flushable: any TurnFlushable) {
        dirty.append(flushable)
    }

    func checkIsolated() {}
    func isIsolatingCurrentContext() -> Bool? { true }

    /// Makes turns, jobs first and then what is to be flushed, until nothing is left.
    func run() {
        while !ready.isEmpty || !dirty.isEmpty {
            while !ready.isEmpty {
                let batch = ready
                ready = []
                for work in batch { run(work) }
            }
            let batch = dirty
            dirty = []
            for flushable in batch { flushable.flush() }
        }
    }

    private func run(_ work: Work) {
        switch work {
        case .job(let job):
            job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        case .taskJob(let job): job.runSynchronously(on: tasks.asUnownedTaskExecutor())
        case .closure(let closure): closure()
        }
    }
}

/// Told from the domain, as the runtime leaves an actor for each function that belongs to none.
private final class LoneTaskExecutor: TaskExecutor {
    nonisolated(unsafe) unowned(unsafe) var lone: LoneExecutor?

    func enqueue(_ job: consuming ExecutorJob) {
        lone?.enqueue(ofTask: job)
    }
}
