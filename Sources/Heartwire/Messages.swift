public import HeartwireProtocol
public import HeartwireSession

/// The messages that a client receives, in order, over all of its connections (promise S1).
///
/// Each iterator is a consumer of its own and sees every message from its creation on; the first
/// consumer also sees what arrived before it. The sequence ends when the session stops, and for one consumer
/// when its task is cancelled; a consumer that is made while the session is stopped waits for the next
/// ``WebSocketClient/connect()``. A consumer whose task prefers the client's executor has no thread
/// hop per message; others are handed a batch with each wake-up.
///
/// When a consumer is too far behind, reading from the socket is suspended
/// (``ClientConfiguration/receiveBufferBytes``), unless it says otherwise with ``droppingOldest(beyond:)`` or
/// ``failing(beyond:)`` (promise S2). What it takes at a time is bounded the same way; when the last consumer goes, what it
/// has not read is the next one's, so that one loop can go on where another was left.
public struct Messages: AsyncSequence, Sendable {
    /// A received message.
    public typealias Element = Message
    /// The sequence ends; it does not fail.
    public typealias Failure = Never

    let core: ClientCore
    var buffering = Buffering.suspendReading

    /// A new consumer.
    public func makeAsyncIterator() -> Iterator {
        Iterator(core, buffering)
    }

    /// The same messages for consumers that would rather miss some than slow the server down: when more than
    /// `bounds` waits for one of them, the oldest of it are dropped, and counted by ``dropped``. Reading is
    /// never suspended for them. A message that is larger than the bounds is dropped, too.
    public func droppingOldest(beyond bounds: BufferBounds) -> Messages {
        Messages(core: core, buffering: .dropOldest(bounds, Tally()))
    }

    /// The same messages for consumers that can neither wait nor miss any: when more than `bounds` waits for one of
    /// them, its sequence throws ``BufferOverflow`` behind what waits. Reading is never suspended for them.
    public func failing(beyond bounds: BufferBounds) -> Failing<Messages> {
        let core = core
        return Failing { flag in Iterator(core, .fail(bounds, flag)) }
    }

    /// How many messages this sequence's consumers have missed, together, because they were too slow. Any thread
    /// may ask. 0 unless the sequence drops; see ``WebSocketClient/streamStatus`` for the client's total.
    public var dropped: Int {
        switch buffering {
        case .dropOldest(_, let tally): tally.value
        case .suspendReading, .fail: 0
        }
    }

    /// One consumer's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        /// What the consumer has taken and not read. Gives it and the subscription back when the consumer is gone.
        @usableFromInline
        final class Claim {
            let core: ClientCore
            let subscription: Subscription<Message>
            /// Exclusive by confinement: it belongs to the consumer.
            @usableFromInline @exclusivity(unchecked) var batch = BatchQueue<Message>()

            init(_ core: ClientCore, _ buffering: Buffering) {
                self.core = core
                subscription = core.messages.claim(buffering)
            }

            deinit { core.messages.release(subscription, unread: batch) }

            /// The empty batch, to be filled.
            func lend() -> BatchQueue<Message> {
                var lent = BatchQueue<Message>()
                swap(&lent, &batch)
                return lent
            }

            /// Another task on a copy of the iterator may have filled it meanwhile.
            func keep(_ filled: inout BatchQueue<Message>) {
                if batch.isEmpty {
                    swap(&batch, &filled)
                } else {
                    batch.append(contentsOf: &filled)
                }
            }
        }

        @usableFromInline let claim: Claim
        private let reader: SubscriptionReader<Message>

        init(_ core: ClientCore, _ buffering: Buffering) {
            claim = Claim(core, buffering)
            reader = SubscriptionReader(
                executor: core.executor, subscription: claim.subscription, core: core)
        }

        /// The next message, or `nil` when the session has stopped or the task was cancelled.
        @inlinable
        public nonisolated(nonsending) mutating func next() async -> Message? {
            if let next = claim.batch.popFirst() { return next }
            return await refill(isolation: #isolation)
        }

        /// The next message, without leaving the caller's isolation.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Message? {
            if let next = claim.batch.popFirst() { return next }
            return await refill(isolation: actor)
        }

        /// Concrete, so that the generic reader is specialised for it.
        @usableFromInline
        mutating func refill(isolation: isolated (any Actor)?) async -> Message? {
            var batch = claim.lend()
            let next = await reader.refill(&batch, isolation: isolation)
            claim.keep(&batch)
            return next
        }
    }
}
