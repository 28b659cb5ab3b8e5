import HeartwireSession

/// Everything that happens on a client's connections, in order, typed (promise S6).
///
/// Each iterator is a consumer of its own and hears what happens from its creation on. The sequence goes on over
/// all connections, ends when the session stops, and for one consumer when its task is cancelled.
///
/// Messages are among the events, so an app reads either these or ``WebSocketClient/messages``, or both: each
/// consumer gets everything. While only events are listened to, messages are not collected for anybody else.
///
/// When a consumer is too far behind, reading from the socket is suspended, unless it says otherwise with
/// ``droppingOldest(beyond:)`` or ``failing(beyond:)`` (promise S2).
public struct Events: AsyncSequence, Sendable {
    /// Something that happened.
    public typealias Element = ClientEvent
    /// The sequence ends; it does not fail.
    public typealias Failure = Never

    let core: ClientCore
    var buffering = Buffering.suspendReading

    /// A new consumer.
    public func makeAsyncIterator() -> Iterator {
        Iterator(core, buffering)
    }

    /// The same events for consumers that would rather miss some than slow the server down; see
    /// ``Messages/droppingOldest(beyond:)``.
    public func droppingOldest(beyond bounds: BufferBounds) -> Events {
        Events(core: core, buffering: .dropOldest(bounds, Tally()))
    }

    /// The same events for consumers that can neither wait nor miss any; see ``Messages/failing(beyond:)``.
    public func failing(beyond bounds: BufferBounds) -> Failing<Events> {
        let core = core
        return Failing { flag in Iterator(core, .fail(bounds, flag)) }
    }

    /// How many events this sequence's consumers have missed, together, because they were too slow. Any thread
    /// may ask. 0 unless the sequence drops.
    public var dropped: Int {
        switch buffering {
        case .dropOldest(_, let tally): tally.value
        case .suspendReading, .fail: 0
        }
    }

    /// One consumer's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        private final class Claim {
            let core: ClientCore
            let subscription: Subscription<ClientEvent>

            init(_ core: ClientCore, _ buffering: Buffering) {
                self.core = core
                subscription = Subscription(buffering)
                core.events.add(subscription, core)
            }

            deinit { core.events.remove(subscription) }
        }

        private let claim: Claim
        private let reader: SubscriptionReader<ClientEvent>
        private var batch = BatchQueue<ClientEvent>()

        init(_ core: ClientCore, _ buffering: Buffering) {
            claim = Claim(core, buffering)
            reader = SubscriptionReader(
                executor: core.executor, subscription: claim.subscription, core: core)
        }

        /// The next event, or `nil` when the session has stopped or the task was cancelled.
        public nonisolated(nonsending) mutating func next() async -> ClientEvent? {
            await next(isolation: #isolation)
        }

        /// The next event, without leaving the caller's isolation.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ClientEvent? {
            if let next = batch.popFirst() { return next }
            return await reader.refill(&batch, isolation: actor)
        }
    }
}
