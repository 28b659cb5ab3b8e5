public import Heartwire
public import HeartwireProtocol
public import HeartwireSession

/// Everything that a client told: its journal, its states, its messages, each with its time; and a way to
/// wait until it has told enough.
///
/// Lives in the client's domain, which is what makes `@unchecked Sendable` true.
public final class ClientLog: @unchecked Sendable {
    /// A state as the app saw it.
    public struct SeenState: Sendable, Hashable {
        /// When.
        public let time: MonotonicInstant
        /// Which.
        public let state: SessionState
    }

    /// One connection's end, as the journal has it.
    public struct Close: Sendable, Hashable {
        /// When.
        public let time: MonotonicInstant
        /// Which connection.
        public let generation: Generation
        /// Why.
        public let cause: CloseCause.Kind
        /// The number that goes with the cause.
        public let number: Int?
    }

    private final class Waiter {
        let condition: (ClientLog) -> Bool
        var continuation: CheckedContinuation<Bool, Never>?
        var timer: TimerID?

        init(_ condition: @escaping (ClientLog) -> Bool) {
            self.condition = condition
        }
    }

    /// Carries a waiter to the handler of a cancellation, which looks at it in the domain only.
    private struct Handle: @unchecked Sendable {
        let waiter: Waiter
    }

    /// The domain.
    public let executor: any SessionExecutor
    /// The journal so far.
    public private(set) var journal: [JournalEvent] = []
    /// The states so far, as the client's sequence gave them.
    public private(set) var states: [SeenState] = []
    /// The messages so far.
    public private(set) var messages: [Message] = []
    private var waiters: [Waiter] = []

    /// Makes an empty log.
    public init(executor: any SessionExecutor) {
        self.executor = executor
    }

    /// Every connection's end so far, in order.
    public var closes: [Close] {
        journal.compactMap { event in
            guard event.kind == .closed, let cause = event.cause else { return nil }
            return Close(
                time: event.time, generation: event.generation, cause: cause, number: event.number)
        }
    }

    /// The journal's entries of one kind, of one connection or of all.
    public func events(
        _ kind: JournalEvent.Kind, of generation: Generation? = nil
    ) -> [JournalEvent] {
        journal.filter { $0.kind == kind && (generation == nil || $0.generation == generation) }
    }

    /// Waits until `condition` holds; it is looked at whenever something was told.
    ///
    /// - Returns: whether it holds; `false` when `limit` has passed or the task was cancelled first.
    public func wait(
        _ limit: Duration, until condition: @escaping @Sendable (ClientLog) -> Bool
    ) async -> Bool {
        if condition(self) { return true }
        let handle = Handle(waiter: Waiter(condition))
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let deadline = executor.now().advanced(by: limit)
                handle.waiter.continuation = continuation
                handle.waiter.timer = executor.schedule(at: deadline) { [weak self] in
                    self?.settle(handle.waiter, false)
                }
                waiters.append(handle.waiter)
                // The task may have given way to others since the first look.
                if condition(self) { settle(handle.waiter, true) }
                if Task.isCancelled { settle(handle.waiter, false) }
            }
        } onCancel: {
            executor.execute { self.settle(handle.waiter, false) }
        }
    }

    /// Looks at what is waited for once more, because something outside of the log has changed.
    public func poke() {
        for waiter in waiters where waiter.condition(self) { settle(waiter, true) }
    }

    func add(_ event: JournalEvent) {
        journal.append(event)
        poke()
    }

    func add(_ state: SessionState) {
        states.append(SeenState(time: executor.now(), state: state))
        poke()
    }

    func add(_ message: Message) {
        messages.append(message)
        poke()
    }

    private func settle(_ waiter: Waiter, _ holds: Bool) {
        guard let continuation = waiter.continuation else { return }
        waiter.continuation = nil
        if let timer = waiter.timer { executor.cancel(timer) }
        waiters.removeAll { $0 === waiter }
        continuation.resume(returning: holds)
    }
}
