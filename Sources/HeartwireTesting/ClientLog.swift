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

    /// The domain.
    public let executor: any SessionExecutor
    /// The journal so far.
    public private(set) var journal: [JournalEvent] = []
    /// The states so far, as the client's sequence gave them.
    public private(set) var states: [SeenState] = []
    /// The messages so far.
    public private(set) var messages: [Message] = []
    private let waiters: DomainWaiters

    /// Makes an empty log.
    public init(executor: any SessionExecutor) {
        self.executor = executor
        waiters = DomainWaiters(executor: executor)
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
        await waiters.wait(limit) { condition(self) }
    }

    /// Looks at what is waited for once more, because something outside of the log has changed.
    public func poke() {
        waiters.poke()
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
}
