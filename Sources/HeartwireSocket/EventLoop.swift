public import HeartwireSession

/// One thread that waits for sockets and timers and runs everything that belongs to its clients.
///
/// Theory of operation. A turn of the loop is: wait for the kernel; tell the handlers of ready descriptors, then
/// fire the timers that the poller found due; run jobs until none is left; flush what was queued. So whatever the jobs of one turn
/// write to one connection leaves in one system call, and whatever one read yields is handled before the
/// next wait. Jobs that were submitted on the loop's own thread go into `ready` without a lock; jobs from
/// other threads go through `inbox`, and the loop is woken only if it sleeps.
///
/// The domain belongs to whoever has the `turn`: the loop's thread, except while it waits for the kernel.
/// Meanwhile another thread may borrow it for one piece of work, whose output it flushes itself, and neither
/// has to wake the other (docs/decisions/0019). Who holds the turn is in the loop's domain.
///
/// The loop is a `SerialExecutor` (the client actor runs on it) and a `TaskExecutor` (a consumer whose
/// task prefers it has no thread hop per message).
///
/// Confinement: all stored state but `inbox` and `turn` belongs to whoever has the turn.
public final class EventLoop: SessionExecutor, @unchecked Sendable {
    /// The loop that clients share unless they are given one.
    public static let shared = EventLoop(name: "heartwire")

    enum Work {
        /// A job of an actor that runs on the loop.
        case job(UnownedJob)
        /// A job of a task that prefers the loop.
        case taskJob(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    /// Jobs that run in one turn before sockets are looked at again.
    static let jobsPerTurn = 10_000
    /// Bytes that one read takes at most. One buffer serves every connection of the loop, so an idle
    /// connection holds none.
    static let readBufferBytes = 512 * 1_024

    private let inbox = LoopInbox()
    private let turn = LoopTurn()
    let poller: any Poller
    let loopTaskExecutor = LoopTaskExecutor()
    /// Where the jobs of tasks that prefer the loop run.
    private let taskJobs: UnownedTaskExecutor

    @exclusivity(unchecked) private var ready = LoneQueue<Work>()
    @exclusivity(unchecked) private var timers = TimerHeap()
    /// Whether a timer may be due, as the poller has said.
    @exclusivity(unchecked) private var mayBeDue = false
    @exclusivity(unchecked) private var dirty = LoneQueue<any TurnFlushable>()
    @exclusivity(unchecked) private var leaving = LoopTurn.Leaving()
    @exclusivity(unchecked) private var burst = BorrowedBurst()
    @exclusivity(unchecked) private var handlers = HandlerTable()
    @exclusivity(unchecked) private var readBuffer: UnsafeMutableRawBufferPointer?
    /// The loop's own source of masks and nonces.
    let random = SystemRandomSource()
    /// What tells the loop's clients of the network's paths.
    let pathMonitor = SharedPathMonitor()

    /// Starts a loop on a thread of its own, which lives until ``shutdown()``.
    ///
    /// - Parameter name: The thread's name in a debugger, of at most 15 bytes on Linux.
    public convenience init(name: String) {
        self.init(name: name, poller: Self.systemPoller())
    }

    init(name: String, poller: any Poller) {
        self.poller = poller
        taskJobs = loopTaskExecutor.asUnownedTaskExecutor()
        loopTaskExecutor.loop = self
        start(name)
    }

    deinit {
        readBuffer?.deallocate()
    }

    // MARK: The thread

    private func start(_ name: String) {
        let status = SystemThread.start(name: name) { self.run() }
        if status != 0 {
            fatalError("the system gives no thread for an event loop (errno \(status))")
        }
    }

    /// Ends the loop's thread after the present turn. Clients must be disconnected before; what is
    /// submitted afterwards does not run. The loop keeps nothing then, its timers and descriptors included.
    public func shutdown() {
        inbox.stop()
        poller.wake()
    }

    /// Whether the caller is on the loop's thread, or has borrowed its turn.
    public var isCurrent: Bool {
        turn.isMine
    }

    func run() {
        turn.take()
        while inbox.take(into: &ready) {
            fireTimers()
            runJobs()
            flushDirty()
            waitForEvents()
        }
        // What borrowers have left to this turn.
        flushDirty()
        turn.giveBack()
        letGo()
    }

    /// Lets go of what is left, at the end: it may hold the loop as the loop holds it, and would do so for ever.
    private func letGo() {
        let work = inbox.end()
        // Freed only at the end of this scope, since whoever goes may still cancel a timer or unwatch a descriptor.
        turn.resume(leaving.takeAll())
        let left = (work, ready, timers, dirty, handlers)
        ready = LoneQueue()
        timers = TimerHeap()
        dirty = LoneQueue()
        handlers = HandlerTable()
        withExtendedLifetime(left) {}
    }

    private func fireTimers() {
        guard mayBeDue else { return }
        mayBeDue = false
        let now = SystemClock.now()
        while let action = timers.popDue(now) { action() }
    }

    private func runJobs() {
        var left = Self.jobsPerTurn
        while left > 0, let work = ready.popFirst() {
            left -= 1
            switch work {
            case .job(let job):
                job.runSynchronously(
                    isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            case .taskJob(let job):
                job.runSynchronously(on: taskJobs)
            case .closure(let closure): closure()
            }
        }
        if left == 0 { ready.giveBackPlaces() }
    }

    private func flushDirty() {
        while let flushable = dirty.popFirst() { flushable.flush() }
    }

    private func waitForEvents() {
        let mayBlock = ready.isEmpty && inbox.fallAsleep()
        let deadline = timers.nextDeadline
        if mayBlock {
            sleep(until: deadline)
        } else {
            turn.resume(leaving.takeAll())
            poller.wait(until: deadline, mayBlock: false)
        }
        mayBeDue = poller.report { token, readiness in
            // A handler that was removed earlier in this batch is no longer in the table.
            handlers[token]?.becameReady(readiness)
        }
    }

    /// Waits for the kernel while others may have the turn.
    private func sleep(until deadline: MonotonicInstant?) {
        giveBackTurn()
        poller.wait(until: deadline, mayBlock: true)
        turn.take()
        inbox.awake()
        burst.end()
    }

    private func giveBackTurn() {
        guard !leaving.isEmpty else { return turn.giveBack() }
        // Taken before: with the turn, they are the next holder's.
        turn.giveBack(leaving.takeAll())
    }

    // MARK: A borrowed turn

    /// Resumes a task that is not in the domain, when the turn has ended. In the domain.
    public func resumeElsewhere(_ continuation: UnsafeContinuation<Void, Never>) {
        burst.answersFollow()
        leaving.add(continuation)
        if leaving.isFull { turn.resume(leaving.takeAll()) }
    }

    /// Returns when the call that resumed the caller by ``resumeElsewhere(_:)`` is through.
    public func settleResumption() { turn.settleResumption() }

    /// Runs `body` in the domain on the calling thread when the loop sleeps and nothing waits to be run, and
    /// flushes what it has queued, or leaves that to the loop where it is one of many (`BorrowedBurst`). Answers
    /// whether it did.
    ///
    /// The loop is woken only for what it has to do itself: further work, or a timer that is due before it would wake.
    public func borrow(_ body: () -> Void) -> Bool {
        if isCurrent {
            body()
            return true
        }
        guard poller.hearsOfChanges, turn.tryTake() else { return false }
        guard inbox.isQuiet else {
            turn.giveBack()
            return false
        }
        let deadline = timers.nextDeadline
        body()
        var mustWake = !ready.isEmpty
        if !dirty.isEmpty {
            switch burst.add(at: SystemClock.now()) {
            case .flush: flushDirty()
            case .wakeAndHold: mustWake = true
            case .hold: break
            }
        }
        if let next = timers.nextDeadline, deadline.map({ next < $0 }) ?? true { mustWake = true }
        giveBackTurn()
        if mustWake { poller.wake() }
        return true
    }

    // MARK: Descriptors, on the loop's thread

    func watch(_ descriptor: Int32, _ interest: Readiness, _ handler: any ReadinessHandler)
        -> UInt64
    {
        let token = handlers.add(handler)
        poller.add(descriptor, token: token, interest: interest)
        return token
    }

    func unwatch(_ descriptor: Int32, token: UInt64) {
        guard handlers.remove(token) else { return }
        poller.remove(descriptor)
    }

    /// The number of descriptors that are watched, for leak checks.
    package var watchedCount: Int { handlers.count }

    /// The number of timers that are to fire, for leak checks.
    package var timerCount: Int { timers.count }

    /// The buffer that every read of this loop goes into; its contents hold until the next read.
    var sharedReadBuffer: UnsafeMutableRawBufferPointer {
        if let readBuffer { return readBuffer }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.readBufferBytes, alignment: 64)
        readBuffer = buffer
        return buffer
    }

    // MARK: Work

    /// Any thread may call this.
    func submit(_ work: Work) {
        if isCurrent {
            ready.append(work)
            return
        }
        if inbox.add(work) { poller.wake() }
    }

    /// Runs `action` at `deadline` or as soon after it as possible. On the loop's thread.
    public func schedule(at deadline: MonotonicInstant, _ action: @escaping () -> Void) -> TimerID {
        timers.add(deadline, action)
    }

    /// Takes a timer back; it does not fire any more. On the loop's thread.
    public func cancel(_ timer: TimerID) {
        timers.cancel(timer)
    }

    /// Flushes once the work of this turn is done. On the loop's thread.
    public func flushAtEndOfTurn(_ flushable: any TurnFlushable) {
        dirty.append(flushable)
    }
}
