public import HeartwireSession

// What the loop is made with, and what is asked of an executor, as far as it needs no state of its own.
extension EventLoop {
    /// epoll on Linux, poll(2) elsewhere. A process that has no descriptor left cannot do anything with
    /// sockets, so this ends it with a clear word rather than going on without a loop.
    static func systemPoller() -> any Poller {
        do {
            return try makePoller()
        } catch {
            fatalError("no file descriptors left for an event loop: \(error)")
        }
    }

    private static func makePoller() throws(ConnectionFailure) -> any Poller {
        #if os(Linux)
            try EpollPoller()
        #else
            try PollPoller()
        #endif
    }

    /// Whether the system has what a loop needs, for a program that would rather say so than end: `nil`, or why not.
    package static func fault() -> ConnectionFailure? {
        do throws(ConnectionFailure) {
            _ = try makePoller()
            return nil
        } catch {
            return error
        }
    }

    /// Takes a job of an actor that runs on this loop. Any thread may call this.
    public func enqueue(_ job: consuming ExecutorJob) {
        submit(.job(UnownedJob(job)))
    }

    /// What a task prefers to run on the loop: `Task(executorPreference: loop.taskExecutor)`.
    public var taskExecutor: any TaskExecutor { loopTaskExecutor }

    /// Runs `work` on the loop, after what was submitted before it. Any thread may call this.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        submit(.closure(work))
    }

    /// The present instant of ``SystemClock``.
    public func now() -> MonotonicInstant { SystemClock.now() }

    /// Tells the runtime whether the caller is in the loop's isolation domain.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Ends the process when the caller is not in the loop's isolation domain.
    public func checkIsolated() {
        precondition(isCurrent, "called outside of the event loop")
    }
}

/// What a task prefers that wants to run on the loop: its jobs are told from those of actors.
final class LoopTaskExecutor: TaskExecutor {
    /// Set once, before the loop's thread starts; the loop outlives whoever reaches it through here.
    nonisolated(unsafe) unowned(unsafe) var loop: EventLoop?

    func enqueue(_ job: consuming ExecutorJob) {
        loop?.submit(.taskJob(UnownedJob(job)))
    }
}
