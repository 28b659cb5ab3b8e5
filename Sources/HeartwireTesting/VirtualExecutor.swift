public import HeartwireSession
import HeartwireSocket
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An isolation domain whose time stands still until it is told to move.
///
/// Theory of operation. The domain is nobody's thread: it runs while somebody is inside one of the
/// `run…` functions, or inside ``perform(_:)``, and the thread that is there is the domain. A turn is: every
/// job that is ready, in the order in which they came, then every flushable once. When a turn leaves
/// nothing ready, the next timer that is due fires and makes a turn of its own; when none is due, time jumps
/// to the next deadline. Timers fire in the order (deadline, order of scheduling). So a
/// day passes in milliseconds, and the same script gives the same run, as long as every task in it
/// prefers this executor (`Task(executorPreference:)`) or belongs to an actor that runs on it.
///
/// Work that has left the domain cannot be seen from here: the domain looks idle, and time jumps to the next
/// deadline, though that timer was about to be cancelled by the work on its return. A task made with `Task { }`
/// does not take over its maker's preference, not even when an actor makes it that runs here: between two
/// functions of the actor, what belongs to no actor runs on the global pool. So give each task that is made
/// the preference, `Task(executorPreference: client.executor) { … }`; child tasks have it from their parent.
///
/// `@unchecked Sendable`: what other threads may touch (`ready`, `owner`, `nanoseconds`) is guarded or
/// atomic; timers and flushables are touched only by the thread that `owner` names, and a
/// call from elsewhere is stopped with a message.
public final class VirtualExecutor: SessionExecutor, @unchecked Sendable {
    /// How many turns one instant may take before the script is taken for an endless loop.
    public static let turnsPerInstantLimit = 10_000_000

    private enum Work {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    private let ready = Locked<[Work]>([])
    /// The thread that is the domain right now, 0 when nobody is.
    private let owner = Atomic<UInt>(0)
    private let nanoseconds = Atomic<Int64>(0)
    private var timers = TimerQueue()
    private var flushables: [any TurnFlushable] = []
    private var turnsAtThisInstant = 0

    /// Makes a domain whose time is `MonotonicInstant.origin`.
    public init() {}

    // MARK: Looking

    /// Whether the caller is on the thread that runs the domain.
    public var isCurrent: Bool { owner.load(ordering: .relaxed) == Self.currentThread }

    /// The virtual time. May be asked from anywhere.
    public func now() -> MonotonicInstant {
        MonotonicInstant(nanoseconds: nanoseconds.load(ordering: .relaxed))
    }

    /// How many timers wait, those of a ``VirtualNetwork``'s bytes in flight among them.
    public var pendingTimers: Int { perform { timers.count } }

    /// When the next timer fires, `nil` when none waits.
    public var nextDeadline: MonotonicInstant? { perform { timers.nextDeadline } }

    // MARK: Running

    /// Runs `body` in the domain, at once, on the caller's thread. What it made ready or queued for
    /// the turn's end happens in the next `run…`.
    ///
    /// This is how a test's body reaches into the domain between two runs. Another thread must not be
    /// running the domain meanwhile.
    public func perform<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard !isCurrent else { return try body() }
        let (entered, _) = owner.compareExchange(
            expected: 0, desired: Self.currentThread, ordering: .acquiringAndReleasing)
        precondition(entered, "two threads run the same virtual domain")
        defer { owner.store(0, ordering: .releasing) }
        return try body()
    }

    /// Runs what is ready and what is due now. Time does not move.
    public func runUntilIdle() {
        perform { _ = runTurns { false } }
    }

    /// Runs everything that happens up to `deadline`, what is due at that very instant included. It is
    /// `deadline` afterwards.
    public func run(until deadline: MonotonicInstant) {
        _ = runUntil(deadline) { false }
        perform { moveTime(to: deadline) }
    }

    /// Runs everything that happens within `duration` from now, its last instant included.
    public func advance(by duration: Duration) {
        run(until: now().advanced(by: duration))
    }

    /// Runs until `condition` holds after some turn, at the latest until everything that happens
    /// up to `deadline` has happened. Time stops where the condition came true.
    ///
    /// - Returns: whether the condition holds. When it does not, it is `deadline` or nothing is left
    ///   that could happen.
    @discardableResult
    public func runUntil(_ deadline: MonotonicInstant, _ condition: () -> Bool) -> Bool {
        perform {
            if condition() { return true }
            while true {
                if runTurns(condition) { return true }
                guard let next = timers.nextDeadline, next <= deadline else { return false }
                moveTime(to: next)
            }
        }
    }

    /// Runs through all that is to come, until no job and no timer is left.
    ///
    /// - Parameter limit: How much time may pass at most: a heartbeat goes on for ever.
    /// - Returns: whether nothing is left.
    @discardableResult
    public func runToEnd(limit: Duration = .seconds(86_400)) -> Bool {
        let deadline = now().advanced(by: limit)
        _ = runUntil(deadline) { false }
        return pendingTimers == 0
    }

    // MARK: SessionExecutor

    /// Makes `work` ready. May be called from any thread.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        ready.withLock { $0.append(.closure(work)) }
    }

    /// Schedules a timer. A deadline that has passed is due now, in a later turn.
    public func schedule(
        at deadline: MonotonicInstant, _ action: @escaping () -> Void
    ) -> TimerID {
        checkIsolated()
        return timers.schedule(at: deadline, action)
    }

    /// Takes a timer back.
    public func cancel(_ timer: TimerID) {
        checkIsolated()
        timers.cancel(timer)
    }

    /// Has `flushable` flushed at the end of this turn.
    public func flushAtEndOfTurn(_ flushable: any TurnFlushable) {
        checkIsolated()
        flushables.append(flushable)
    }

    /// Makes a job of Swift's concurrency ready. May be called from any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        ready.withLock { $0.append(.job(unowned)) }
    }

    /// This executor as an actor's.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// Stops a caller that is not in the domain.
    public func checkIsolated() {
        precondition(isCurrent, "called from outside the virtual domain (wrap it in perform)")
    }

    /// Whether the caller is in the domain, for `assumeIsolated`.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    // MARK: Inside

    private static var currentThread: UInt {
        #if canImport(Darwin) || canImport(Musl)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    private func moveTime(to instant: MonotonicInstant) {
        guard instant > now() else { return }
        nanoseconds.store(instant.nanoseconds, ordering: .relaxed)
        turnsAtThisInstant = 0
    }

    /// Makes turns until nothing is ready and no timer is due.
    ///
    /// - Returns: `true` as soon as `condition` holds at the end of a turn.
    private func runTurns(_ condition: () -> Bool) -> Bool {
        while true {
            if runReady() || flushAll() {
                turnsAtThisInstant += 1
                if condition() { return true }
            } else if let action = timers.popDue(at: now()) {
                turnsAtThisInstant += 1
                action()
                _ = runReady()
                _ = flushAll()
                if condition() { return true }
            } else {
                return false
            }
            precondition(
                turnsAtThisInstant <= Self.turnsPerInstantLimit,
                "the virtual domain runs without end while its time stands still")
        }
    }

    /// Runs every job that is ready, and those that they make ready.
    private func runReady() -> Bool {
        var ranSome = false
        while true {
            let batch = ready.withLock { ready in
                let batch = ready
                ready = []
                return batch
            }
            guard !batch.isEmpty else { return ranSome }
            ranSome = true
            turnsAtThisInstant += 1
            guard turnsAtThisInstant <= Self.turnsPerInstantLimit else { return true }
            for work in batch {
                switch work {
                case .job(let job):
                    job.runSynchronously(
                        isolatedTo: asUnownedSerialExecutor(),
                        taskExecutor: asUnownedTaskExecutor())
                case .closure(let closure): closure()
                }
            }
        }
    }

    private func flushAll() -> Bool {
        guard !flushables.isEmpty else { return false }
        let batch = flushables
        flushables = []
        for flushable in batch {
            flushable.flush()
        }
        return true
    }
}
