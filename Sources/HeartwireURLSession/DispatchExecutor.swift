import Dispatch
public import HeartwireSession

/// A serial Dispatch queue as an isolation domain: that of the clients whose connections are Foundation's.
///
/// Theory of operation. The queue runs one block at a time, in the order of their arrival; each block is a turn,
/// at whose end everything is flushed that asked for it. A block that Foundation puts on the queue by itself enters by
/// `turn(_:)`, too. There is one Dispatch timer, set to the earliest deadline of the heap.
///
/// Its clock goes on while the machine sleeps. Dispatch's timers may stand still meanwhile, so after a
/// sleep what was due fires late, and by the clock one can see how late.
///
/// `@unchecked Sendable`: all stored state that changes is touched on the queue only.
public final class DispatchExecutor: SessionExecutor, @unchecked Sendable {
    /// The queue that clients share unless they are given one.
    public static let shared = DispatchExecutor(label: "heartwire")

    /// The longest time that Dispatch is asked to wait; it is asked again after it.
    static let longestWait = Duration.seconds(86_400)

    private static let key = DispatchSpecificKey<ObjectIdentifier>()

    /// The queue, for those who deliver their callbacks to one.
    let queue: DispatchQueue
    private let start = ContinuousClock.now
    private let alarm: any DispatchSourceTimer
    private var alarmDeadline: MonotonicInstant?
    private var timers = TimerHeap()
    private var dirty: [any TurnFlushable] = []
    private var isInTurn = false

    /// Makes a domain of its own.
    ///
    /// - Parameter label: The queue's name in a debugger.
    public init(label: String) {
        queue = DispatchQueue(label: label)
        alarm = DispatchSource.makeTimerSource(queue: queue)
        queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
        alarm.setEventHandler { [weak self] in self?.fireTimers() }
        alarm.activate()
    }

    deinit {
        alarm.cancel()
    }

    /// Whether the caller is in a block of the queue.
    public var isCurrent: Bool {
        DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self)
    }

    /// The time since this executor was made, by a clock that goes on during sleep.
    public func now() -> MonotonicInstant {
        MonotonicInstant.origin.advanced(by: start.duration(to: .now))
    }

    /// The number of timers that are to fire, for leak checks.
    package var timerCount: Int { timers.count }

    // MARK: Turns

    /// Runs `body` on the queue, where the caller is, and flushes after it. Within a turn it belongs to that one.
    func turn(_ body: () -> Void) {
        guard !isInTurn else { return body() }
        isInTurn = true
        body()
        var index = 0
        while index < dirty.count {
            dirty[index].flush()
            index += 1
        }
        dirty.removeAll(keepingCapacity: true)
        isInTurn = false
    }

    /// Runs `work` on the queue, after what was submitted before it. Any thread may call this.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        queue.async { self.turn(work) }
    }

    /// Takes a job of Swift's concurrency. Any thread may call this.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            self.turn {
                job.runSynchronously(
                    isolatedTo: self.asUnownedSerialExecutor(),
                    taskExecutor: self.asUnownedTaskExecutor())
            }
        }
    }

    /// Flushes at the end of this turn, or in a turn of its own where there is none. On the queue.
    public func flushAtEndOfTurn(_ flushable: any TurnFlushable) {
        dirty.append(flushable)
        if !isInTurn { execute {} }
    }

    // MARK: Timers

    /// Runs `action` at `deadline` or as soon after it as possible. On the queue.
    public func schedule(at deadline: MonotonicInstant, _ action: @escaping () -> Void) -> TimerID {
        defer { setAlarm() }
        return timers.add(deadline, action)
    }

    /// Takes a timer back; it does not fire any more. On the queue.
    public func cancel(_ timer: TimerID) {
        timers.cancel(timer)
        setAlarm()
    }

    private func fireTimers() {
        alarmDeadline = nil
        let now = now()
        while let action = timers.popDue(now) { turn(action) }
        setAlarm()
    }

    private func setAlarm() {
        guard timers.nextDeadline != alarmDeadline else { return }
        alarmDeadline = timers.nextDeadline
        guard let alarmDeadline else { return alarm.schedule(deadline: .distantFuture) }
        let wait = min(max(.zero, now().duration(to: alarmDeadline)), Self.longestWait)
        alarm.schedule(
            deadline: .now() + .nanoseconds(Int(wait.wholeNanoseconds)), leeway: .nanoseconds(0))
    }

    // MARK: Isolation

    /// Tells the runtime whether the caller is on the queue.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Ends the process when the caller is not on the queue.
    public func checkIsolated() {
        precondition(isCurrent, "called outside of the executor's queue")
    }
}
