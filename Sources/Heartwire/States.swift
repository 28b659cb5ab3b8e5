public import HeartwireSession

/// The states of a session, beginning with the present one (promise S1).
///
/// Each iterator is a consumer of its own. The sequence goes on over all connections and through
/// `stopped`, since `connect()` may be called again; it ends when the client is gone or the consumer's task is cancelled.
public struct States: AsyncSequence, Sendable {
    /// A state of the session.
    public typealias Element = SessionState
    /// The sequence ends; it does not fail.
    public typealias Failure = Never

    let core: ClientCore

    /// A new consumer.
    public func makeAsyncIterator() -> Iterator {
        Iterator(core)
    }

    /// One consumer's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        private final class Claim {
            let hub: StateHub
            let subscription = Subscription<SessionState>()

            init(_ hub: StateHub) {
                self.hub = hub
                hub.add(subscription)
            }

            deinit { hub.remove(subscription) }
        }

        private let claim: Claim
        private let reader: SubscriptionReader<SessionState>
        @usableFromInline var batch = BatchQueue<SessionState>()

        init(_ core: ClientCore) {
            claim = Claim(core.states)
            reader = SubscriptionReader(
                executor: core.executor, subscription: claim.subscription,
                core: nil)
        }

        /// The next state, or `nil` when the client is gone or the task was cancelled.
        @inlinable
        public nonisolated(nonsending) mutating func next() async -> SessionState? {
            if let next = batch.popFirst() { return next }
            return await refill(isolation: #isolation)
        }

        /// The next state, without leaving the caller's isolation.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async -> SessionState? {
            if let next = batch.popFirst() { return next }
            return await refill(isolation: actor)
        }

        /// Concrete, so that the generic reader is specialised for it.
        @usableFromInline
        mutating func refill(isolation: isolated (any Actor)?) async -> SessionState? {
            await reader.refill(&batch, isolation: isolation)
        }
    }
}

/// Keeps the present state and tells every consumer of changes. Confined to the client's domain, but
/// for `add` and `remove`.
final class StateHub: @unchecked Sendable {
    /// States that may wait for one consumer; beyond it the oldest go, never the latest.
    static let maximumQueued = 1_024

    private let executor: any SessionExecutor
    private(set) var current: SessionState = .idle
    private var subscriptions: [Subscription<SessionState>] = []
    private var isFinished = false
    /// How many states were dropped, whoever they were for.
    private(set) var dropped = 0

    init(executor: any SessionExecutor) {
        self.executor = executor
    }

    func publish(_ state: SessionState) {
        current = state
        for subscription in subscriptions {
            if subscription.queuedWeight >= Self.maximumQueued {
                subscription.dropFirst(weight: 1)
                dropped += 1
            }
            subscription.append(state, weight: 1)
            subscription.wake()
        }
    }

    func finish() {
        isFinished = true
        for subscription in subscriptions { subscription.finish() }
        subscriptions = []
    }

    /// Any thread may call this. A caller in the domain sees the state of this very moment first.
    func add(_ subscription: Subscription<SessionState>) {
        let register: @Sendable () -> Void = {
            subscription.append(self.current, weight: 1)
            subscription.wake()
            if self.isFinished { return subscription.finish() }
            self.subscriptions.append(subscription)
        }
        if executor.isCurrent { register() } else { executor.execute(register) }
    }

    /// Any thread may call this.
    func remove(_ subscription: Subscription<SessionState>) {
        executor.execute {
            self.subscriptions.removeAll { $0 === subscription }
            if self.subscriptions.isEmpty { self.subscriptions = [] }
        }
    }
}
