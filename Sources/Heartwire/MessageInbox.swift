import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

/// What a ``MessageQueue`` has received and nobody has taken. A consumer of the client's messages like any other, but
/// for its place: what comes is moved here, where any thread can take it at once.
///
/// It begins to listen when it is first asked, so that a queue that only sends holds nobody up.
///
/// `@unchecked Sendable`: the contents are guarded, the subscription is touched in the domain only.
final class MessageInbox: @unchecked Sendable {
    private struct Contents {
        var queue = BatchQueue<Message>()
        var weight = 0
        /// There is a subscription, or a job is on its way to make one.
        var isAttached = false
    }

    private let core: ClientCore
    private let buffering: Buffering
    private let contents = Locked(Contents())
    private var subscription: Subscription<Message>?

    init(_ core: ClientCore, _ buffering: Buffering) {
        self.core = core
        self.buffering = buffering
    }

    // MARK: Any thread

    /// How many messages were dropped because nobody came for them in time.
    var dropped: Int {
        switch buffering {
        case .dropOldest(_, let tally): tally.value
        case .suspendReading, .fail: 0
        }
    }

    func takeAll() -> [Message] {
        let (taken, weight, wasAttached) = contents.withLock { contents in
            var taken: [Message] = []
            taken.reserveCapacity(contents.queue.count)
            while let message = contents.queue.popFirst() { taken.append(message) }
            defer {
                contents.weight = 0
                contents.isAttached = true
            }
            return (taken, contents.weight, contents.isAttached)
        }
        if weight > 0 || !wasAttached {
            core.executor.execute { self.cameBack(weight) }
        }
        return taken
    }

    // MARK: The domain

    private func cameBack(_ weight: Int) {
        guard let subscription else { return attach() }
        subscription.gaveBack(weight)
        core.consumerTook()
    }

    private func attach() {
        let subscription = core.messages.claim(buffering)
        self.subscription = subscription
        subscription.onWake = { self.collect() }
        collect()
    }

    /// Nobody will ask any more.
    func detach() {
        guard let subscription else { return }
        self.subscription = nil
        subscription.onWake = nil
        core.messages.release(subscription)
    }

    /// Moves what has come to where it can be taken. When the session has stopped, the next time that somebody asks
    /// begins to listen to the next one.
    private func collect() {
        guard let subscription else { return }
        let isOver = subscription.isFinished
        let dropped = contents.withLock { contents in
            subscription.drain { message in
                contents.weight += message.weight
                contents.queue.append(message)
            }
            if isOver { contents.isAttached = false }
            guard case .dropOldest(let bounds, let tally) = buffering else { return 0 }
            let dropped = contents.queue.trim(to: bounds, weight: &contents.weight)
            tally.add(dropped)
            return dropped
        }
        core.messages.noteDropped(dropped)
        if isOver { detach() }
    }
}
