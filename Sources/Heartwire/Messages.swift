public import HeartwireProtocol
import HeartwireSession

/// The messages that a client receives, in order, over all of its connections (promise S1).
///
/// Each iterator is a consumer of its own and sees every message from its creation on; the first
/// consumer also sees what arrived before it. The sequence ends when the session stops, and for one consumer
/// when its task is cancelled. A consumer whose task prefers the client's executor has no thread
/// hop per message; others get a batch per hop.
public struct Messages: AsyncSequence, Sendable {
    /// A received message.
    public typealias Element = Message
    /// The sequence ends; it does not fail.
    public typealias Failure = Never

    let core: ClientCore

    /// A new consumer.
    public func makeAsyncIterator() -> Iterator {
        Iterator(core)
    }

    /// One consumer's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        /// Gives the subscription back when the consumer is gone.
        private final class Claim {
            let core: ClientCore
            let subscription: Subscription<Message>

            init(_ core: ClientCore) {
                self.core = core
                subscription = core.messages.claim()
            }

            deinit { core.messages.release(subscription) }
        }

        private let claim: Claim
        private let reader: SubscriptionReader<Message>
        @usableFromInline var batch = BatchQueue<Message>()

        init(_ core: ClientCore) {
            claim = Claim(core)
            reader = SubscriptionReader(
                executor: core.executor, domain: core.domain, subscription: claim.subscription,
                hub: core.messages)
        }

        /// The next message, or `nil` when the session has stopped or the task was cancelled.
        @inlinable
        public nonisolated(nonsending) mutating func next() async -> Message? {
            if let next = batch.popFirst() { return next }
            return await refill(isolation: #isolation)
        }

        /// The next message, without leaving the caller's isolation.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Message? {
            if let next = batch.popFirst() { return next }
            return await refill(isolation: actor)
        }

        /// Concrete, so that the generic reader is specialised for it.
        @usableFromInline
        mutating func refill(isolation: isolated (any Actor)?) async -> Message? {
            await reader.refill(&batch, isolation: isolation)
        }
    }
}
