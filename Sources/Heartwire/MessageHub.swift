import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

/// Hands every message to every consumer, and keeps what arrives while nobody listens.
///
/// There is always at least one subscription: the first consumer takes over the one that has been
/// collecting since the client was made, and when the last consumer goes, what it left unread is
/// kept for the next. Confined to the client's domain, but for `claim()`.
final class MessageHub: @unchecked Sendable {
    /// What a message weighs beside its bytes: its place in the queue and its allocation.
    static let messageOverheadBytes = 64

    private let executor: any SessionExecutor
    private var subscriptions: [Subscription<Message>]
    /// The subscription that collects while nobody listens, until somebody claims it.
    private let unclaimed: Locked<Subscription<Message>?>
    /// Told when a consumer has come back for more. Not a weak reference: those make every retain of the core
    /// slower. Whoever can take holds the core (``Messages/Iterator``). Set once, by the core's initializer.
    unowned var core: ClientCore?
    private var isFinishedForGood = false

    init(executor: any SessionExecutor) {
        self.executor = executor
        let first = Subscription<Message>()
        subscriptions = [first]
        unclaimed = Locked(first)
    }

    /// A consumer has taken what was there.
    func took() {
        core?.consumerTook()
    }

    /// The weight of the slowest consumer's backlog.
    var weight: Int {
        if subscriptions.count == 1 { return subscriptions[0].weight }
        return subscriptions.reduce(0) { max($0, $1.weight) }
    }

    func append(_ message: consuming Message) {
        let weight = message.byteCount + Self.messageOverheadBytes
        if subscriptions.count == 1 {
            subscriptions[0].append(message, weight: weight)
            return
        }
        for subscription in subscriptions { subscription.append(copy message, weight: weight) }
    }

    func wake() {
        for subscription in subscriptions { subscription.wake() }
    }

    /// Ends every consumer's sequence after what it has not read yet. Later consumers start afresh, or,
    /// `forGood`, find the end behind what nobody has read.
    func finish(forGood: Bool = false) {
        isFinishedForGood = isFinishedForGood || forGood
        let ended = subscriptions
        let fresh = Subscription<Message>()
        subscriptions = [fresh]
        let abandoned = unclaimed.withLock { unclaimed in
            defer { unclaimed = fresh }
            return unclaimed
        }
        // What nobody has claimed stays for the next consumer.
        if let abandoned { fresh.inherit(abandoned) }
        for subscription in ended { subscription.finish() }
        if isFinishedForGood { fresh.finish() }
    }

    /// A consumer's subscription. Any thread may call this.
    func claim() -> Subscription<Message> {
        if let waiting = unclaimed.withLock({ $0.take() }) { return waiting }
        let subscription = Subscription<Message>()
        executor.execute {
            self.subscriptions.append(subscription)
            if self.isFinishedForGood { subscription.finish() }
        }
        return subscription
    }

    /// The consumer is gone. Any thread may call this.
    func release(_ subscription: Subscription<Message>) {
        executor.execute { [core] in
            guard let index = self.subscriptions.firstIndex(where: { $0 === subscription }) else {
                return
            }
            if self.subscriptions.count > 1 {
                self.subscriptions.remove(at: index)
            } else {
                let heir = Subscription<Message>()
                heir.inherit(subscription)
                if self.isFinishedForGood { heir.finish() }
                self.subscriptions = [heir]
                self.unclaimed.withLock { $0 = heir }
            }
            core?.consumerTook()
        }
    }
}
