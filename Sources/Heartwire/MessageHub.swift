import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

/// Hands every message to every consumer, and keeps what arrives while nobody listens.
///
/// The first consumer takes over what has been collected since the client was made, and when the last consumer
/// goes, what it left unread is kept for the next. While somebody listens to the client's events and nobody to its
/// messages, nothing is collected, for nobody may ever ask for it. A client that nobody reads from, and to which nothing
/// comes, has no subscription. Confined to the client's domain, but for `claim` and `release`.
final class MessageHub: @unchecked Sendable {
    /// What a message weighs beside its bytes.
    static let messageOverheadBytes = BufferBounds.elementOverheadBytes

    /// Who is to have what came before the next claim.
    private enum Unclaimed {
        /// Whoever claims next; nothing has come.
        case nothing
        /// Whoever claims next: it collects while nobody listens.
        case collecting(Subscription<Message>)
        /// Somebody has claimed it, and the domain has not heard of that.
        case claimed(Subscription<Message>)
        /// Nobody: there are consumers, who have it already.
        case nobody
    }

    private let executor: any SessionExecutor
    private var subscriptions: [Subscription<Message>] = [] {
        didSet { sole = nil }
    }
    /// The one subscription, where there is one only and nothing but the socket bounds it: the short way. Held by
    /// `subscriptions`, so that a message counts no reference.
    @exclusivity(unchecked) private var sole: Unmanaged<Subscription<Message>>?
    /// Guarded by `claims`.
    private var unclaimed = Unclaimed.nothing
    /// The subscription that collects while nobody listens, as far as the domain has heard.
    private var collecting: Subscription<Message>?
    /// Told when a consumer has come back for more. Not a weak reference: those make every retain of the core
    /// slower. Whoever can take holds the core (``Messages/Iterator``). Set once, by the core's initializer.
    @exclusivity(unchecked) unowned var core: ClientCore?
    /// How many messages were dropped, whoever they were for.
    private(set) var dropped = 0
    /// Whether somebody hears of messages in another way.
    private var othersListen = false
    private var isFinishedForGood = false

    /// One lock for all clients: it is taken when a consumer comes or goes, and not for a message.
    private static let claims = Locked(())

    init(executor: any SessionExecutor) {
        self.executor = executor
    }

    /// How many consumers there are.
    var consumers: Int { subscriptions.count - (collecting == nil ? 0 : 1) }

    /// The weight of the slowest consumer's backlog, among those that reading is suspended for.
    var weight: Int {
        if let sole { return sole._withUnsafeGuaranteedRef { $0.weight } }
        return listening.reduce(0) { max($0, $1.weight) }
    }

    /// Counts messages that were dropped elsewhere.
    func noteDropped(_ count: Int) {
        dropped += count
    }

    func append(_ message: consuming Message) {
        let weight = message.byteCount + Self.messageOverheadBytes
        if sole == nil, subscriptions.isEmpty, !othersListen { collect() }
        if let sole {
            var moved = Optional(message)
            return sole._withUnsafeGuaranteedRef { $0.append(&moved, weight: weight) }
        }
        for subscription in listening {
            dropped += subscription.offer(copy message, weight: weight)
        }
    }

    func wake() {
        if let sole { return sole.takeUnretainedValue().wake() }
        for subscription in subscriptions { subscription.wake() }
    }

    /// Says whether somebody hears of messages in another way, so that they need not be kept for nobody.
    func setOthersListen(_ othersListen: Bool) {
        self.othersListen = othersListen
        chooseWay()
    }

    /// The first message that nobody listens to has come, or the first since somebody has begun to.
    private func collect() {
        let subscription = Self.claims.withLock { _ in
            switch unclaimed {
            case .claimed(let subscription):
                unclaimed = .nobody
                return subscription
            case .nothing, .collecting, .nobody:
                let subscription = Subscription<Message>()
                unclaimed = .collecting(subscription)
                collecting = subscription
                return subscription
            }
        }
        subscriptions = [subscription]
        chooseWay()
    }

    /// Ends every consumer's sequence after what it has not read yet. Later consumers start afresh, or,
    /// `forGood`, find the end behind what nobody has read.
    func finish(forGood: Bool = false) {
        isFinishedForGood = isFinishedForGood || forGood
        let left = Self.claims.withLock { _ in
            defer { unclaimed = .nothing }
            return unclaimed
        }
        let ended = subscriptions
        keep(nil)
        switch left {
        case .nothing, .nobody: break
        // What nobody has claimed stays for the next consumer.
        case .collecting(let abandoned): keep(abandoned)
        case .claimed(let subscription): subscription.finish()
        }
        for subscription in ended { subscription.finish() }
    }

    /// Nobody listens any more: what `subscription` holds is for the next consumer.
    private func keep(_ subscription: Subscription<Message>?) {
        subscriptions = []
        collecting = nil
        if let subscription, !subscription.isEmpty {
            let heir = Subscription<Message>()
            heir.inherit(subscription)
            if isFinishedForGood { heir.finish() }
            subscriptions = [heir]
            collecting = heir
        }
        Self.claims.withLock { _ in
            // Who has claimed meanwhile takes it over when the domain hears of that.
            if case .claimed = unclaimed { return }
            unclaimed = collecting.map { .collecting($0) } ?? .nothing
        }
        chooseWay()
    }

    /// A consumer's subscription. Any thread may call this.
    func claim(_ buffering: Buffering = .suspendReading) -> Subscription<Message> {
        let (subscription, isTakenOver) = Self.claims.withLock { _ in
            switch unclaimed {
            case .collecting(let waiting):
                unclaimed = .nobody
                return (waiting, true)
            case .nothing:
                let subscription = Subscription<Message>(buffering)
                unclaimed = .claimed(subscription)
                return (subscription, false)
            case .claimed, .nobody: return (Subscription<Message>(buffering), false)
            }
        }
        inDomain { isTakenOver ? self.takeOver(subscription, buffering) : self.admit(subscription) }
        return subscription
    }

    private func takeOver(_ waiting: Subscription<Message>, _ buffering: Buffering) {
        waiting.adopt(buffering)
        dropped += waiting.trim()
        if collecting === waiting { collecting = nil }
        chooseWay()
    }

    private func admit(_ subscription: Subscription<Message>) {
        // The session has ended, or a message has come, between the claim and now.
        guard !subscription.isFinished, !subscriptions.contains(where: { $0 === subscription })
        else { return }
        let waiting = Self.claims.withLock { _ -> Subscription<Message>? in
            switch unclaimed {
            case .nothing, .nobody: return nil
            case .claimed(let claimed):
                guard claimed === subscription else { return nil }
                unclaimed = .nobody
                return collecting
            case .collecting(let waiting):
                unclaimed = .nobody
                return waiting
            }
        }
        if let waiting {
            subscription.inherit(waiting)
            dropped += subscription.trim()
            subscriptions.removeAll { $0 === waiting }
            collecting = nil
        }
        subscriptions.append(subscription)
        chooseWay()
        if isFinishedForGood { subscription.finish() }
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
            chooseWay()
        } else {
            subscription.takeBack(unread)
            keep(subscription)
        }
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
        sole =
            listening.count == 1 && listening[0].holdsReading
            ? .passUnretained(listening[0]) : nil
    }
}
