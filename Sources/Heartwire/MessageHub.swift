import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

/// Hands every message to every consumer, and keeps what arrives while nobody listens.
///
/// There is always at least one subscription: the first consumer takes over the one that has been
/// collecting since the client was made, and when the last consumer goes, what it left unread is
/// kept for the next. While somebody listens to the client's events and nobody to its messages, nothing is
/// collected, for nobody may ever ask for it. Confined to the client's domain, but for `claim` and `release`.
final class MessageHub: @unchecked Sendable {
    /// What a message weighs beside its bytes.
    static let messageOverheadBytes = BufferBounds.elementOverheadBytes

    private let executor: any SessionExecutor
    private var subscriptions: [Subscription<Message>]
    /// The one subscription, where there is one only and nothing but the socket bounds it: the short way.
    @exclusivity(unchecked) private var sole: Subscription<Message>?
    /// The subscription that collects while nobody listens, until somebody claims it.
    private let unclaimed: Locked<Subscription<Message>?>
    /// The same, as far as the domain has heard.
    private var collecting: Subscription<Message>?
    /// Whether somebody hears of messages in another way.
    private var othersListen = false
    /// Told when a consumer has come back for more. Not a weak reference: those make every retain of the core
    /// slower. Whoever can take holds the core (``Messages/Iterator``). Set once, by the core's initializer.
    @exclusivity(unchecked) unowned var core: ClientCore?
    private var isFinishedForGood = false
    /// How many messages were dropped, whoever they were for.
    let dropped = Tally()

    init(executor: any SessionExecutor) {
        self.executor = executor
        let first = Subscription<Message>()
        subscriptions = [first]
        unclaimed = Locked(first)
        collecting = first
        sole = first
    }

    /// How many consumers there are.
    var consumers: Int { subscriptions.count - (collecting == nil ? 0 : 1) }

    /// A consumer has taken what was there.
    func took() {
        core?.consumerTook()
    }

    /// The weight of the slowest consumer's backlog, among those that reading is suspended for.
    var weight: Int {
        if let sole { return sole.weight }
        return listening.reduce(0) { max($0, $1.weight) }
    }

    func append(_ message: consuming Message) {
        let weight = message.byteCount + Self.messageOverheadBytes
        if let sole {
            sole.append(message, weight: weight)
            return
        }
        for subscription in listening {
            dropped.add(subscription.offer(copy message, weight: weight))
        }
    }

    func wake() {
        if let sole { return sole.wake() }
        for subscription in subscriptions { subscription.wake() }
    }

    /// Says whether somebody hears of messages in another way, so that they need not be kept for nobody.
    func setOthersListen(_ othersListen: Bool) {
        self.othersListen = othersListen
        chooseWay()
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
        collecting = fresh
        chooseWay()
        // What nobody has claimed stays for the next consumer.
        if let abandoned { fresh.inherit(abandoned) }
        for subscription in ended { subscription.finish() }
        if isFinishedForGood { fresh.finish() }
    }

    /// A consumer's subscription. Any thread may call this.
    ///
    /// The last consumer may have gone in this very moment. Then the domain hears of the claim behind that, and what was
    /// left is the new consumer's.
    func claim(_ buffering: Buffering = .suspendReading) -> Subscription<Message> {
        if let waiting = unclaimed.withLock({ $0.take() }) {
            inDomain {
                waiting.adopt(buffering)
                self.dropped.add(waiting.trim())
                if self.collecting === waiting { self.collecting = nil }
                self.chooseWay()
            }
            return waiting
        }
        let subscription = Subscription<Message>(buffering)
        inDomain {
            if let left = self.unclaimed.withLock({ $0.take() }) {
                self.subscriptions.removeAll { $0 === left }
                self.collecting = nil
                subscription.inherit(left)
                self.dropped.add(subscription.trim())
            }
            self.subscriptions.append(subscription)
            self.chooseWay()
            if self.isFinishedForGood { subscription.finish() }
        }
        return subscription
    }

    /// The consumer is gone, and leaves what it has not read, `unread` of it taken already. Any thread may call this.
    func release(
        _ subscription: Subscription<Message>, unread: BatchQueue<Message> = BatchQueue()
    ) {
        let core = core
        let leave: @Sendable () -> Void = {
            self.remove(subscription, unread)
            core?.consumerTook()
        }
        // In the domain at once, so that what is left is there for the next loop; but behind a claim that is under way.
        if executor.isCurrent, subscriptions.contains(where: { $0 === subscription }) {
            leave()
        } else {
            executor.execute(leave)
        }
    }

    private func remove(_ subscription: Subscription<Message>, _ unread: BatchQueue<Message>) {
        guard let index = subscriptions.firstIndex(where: { $0 === subscription }) else { return }
        if subscriptions.count > 1 {
            subscriptions.remove(at: index)
        } else {
            let heir = Subscription<Message>()
            subscription.takeBack(unread)
            heir.inherit(subscription)
            if isFinishedForGood { heir.finish() }
            subscriptions = [heir]
            collecting = heir
            unclaimed.withLock { $0 = heir }
        }
        chooseWay()
    }

    /// A caller in the domain sees what comes next at once.
    private func inDomain(_ work: @escaping @Sendable () -> Void) {
        if executor.isCurrent { work() } else { executor.execute(work) }
    }

    /// Those that messages go to.
    private var listening: [Subscription<Message>] {
        guard othersListen, let collecting else { return subscriptions }
        return subscriptions.filter { $0 !== collecting }
    }

    private func chooseWay() {
        let listening = listening
        sole = listening.count == 1 && listening[0].holdsReading ? listening[0] : nil
    }
}
