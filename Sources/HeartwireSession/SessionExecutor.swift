/// The one isolation domain in which a client, its transport and its timers run (promise T5).
///
/// In production this is the event loop of the socket transport, or a serial queue for
/// URLSession; in tests it is the virtual clock. Everything that a transport reports, and every
/// timer, enters here in arrival order.
public protocol SessionExecutor: SerialExecutor, TaskExecutor {
    /// What tasks prefer that want to run in this domain without a hop for each nonisolated call.
    ///
    /// The runtime takes a job of the serial executor for an actor's, and leaves the actor for every
    /// nonisolated function; so where the two can be told apart, this is an object of its own.
    var taskExecutor: any TaskExecutor { get }

    /// Whether the caller runs in this executor's isolation domain right now.
    var isCurrent: Bool { get }

    /// The executor's clock. Only the client's core, the endpoint and the connector ask.
    func now() -> MonotonicInstant

    /// Runs `work` in this domain, after everything that was submitted before it, and never within this call: who is let
    /// go of in such work may be what calls.
    func execute(_ work: @escaping @Sendable () -> Void)

    /// Runs `body` in this domain before it returns, on the calling thread, if nothing goes on there and
    /// nothing waits to be run. Answers whether it did; `false` is always lawful from outside of the domain. Nothing in
    /// `body` may wait, or call what is not the library's own.
    func borrow(_ body: () -> Void) -> Bool

    /// Resumes a task that is not in this domain, before the domain next waits for something to happen. Must be
    /// called from within the domain. Whom this resumes often comes back at once, so it waits for the turn's end.
    func resumeElsewhere(_ continuation: UnsafeContinuation<Void, Never>)

    /// Returns when the call that resumed the caller by ``resumeElsewhere(_:)`` is through, which is in a moment. So
    /// ThreadSanitizer sees that it came before all that the caller does next (docs/decisions/0008).
    func settleResumption()

    /// Runs `action` in this domain at `deadline` or as soon after it as possible. Must be called
    /// from within the domain.
    func schedule(at deadline: MonotonicInstant, _ action: @escaping () -> Void) -> TimerID

    /// Takes a timer back. Nothing happens when it has fired already. Must be called from within
    /// the domain.
    func cancel(_ timer: TimerID)

    /// Calls `flushable.flush()` once before the domain next waits for something to happen, so that
    /// what was queued during one turn leaves in one system call. Must be called from within the
    /// domain, at most once per turn and flushable.
    func flushAtEndOfTurn(_ flushable: any TurnFlushable)
}

extension SessionExecutor {
    /// The executor itself, for executors that cannot tell the two apart.
    public var taskExecutor: any TaskExecutor { self }

    /// For executors without turns: resumes at once.
    public func resumeElsewhere(_ continuation: UnsafeContinuation<Void, Never>) {
        unsafe continuation.resume()
    }

    /// For executors that resume at once: nothing is under way.
    public func settleResumption() {}

    /// For executors that lend nothing: runs `body` if the caller is in the domain.
    public func borrow(_ body: () -> Void) -> Bool {
        guard isCurrent else { return false }
        body()
        return true
    }
}

/// The identity of a timer that was scheduled on a ``SessionExecutor``; never reused.
public struct TimerID: Sendable, Hashable {
    /// The number of this timer on its executor.
    public let number: UInt64

    /// Names the timer with this number.
    public init(_ number: UInt64) {
        self.number = number
    }
}

/// Something that queues output during a turn and lets it go at the turn's end.
public protocol TurnFlushable: AnyObject {
    /// Lets go what was queued since the last flush.
    func flush()
}
