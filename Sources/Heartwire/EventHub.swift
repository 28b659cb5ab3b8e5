import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

/// Hands every event to every consumer of a client's events. Confined to the client's domain, but for `add` and
/// `remove`.
final class EventHub: @unchecked Sendable {
    private let executor: any SessionExecutor
    /// Exclusive by confinement, and asked for every message: whether there is anybody to tell.
    @exclusivity(unchecked) private(set) var isListening = false
    private var subscriptions: [Subscription<ClientEvent>] = []
    private var isFinishedForGood = false
    /// Whose events they are. Set once, by the core's initializer.
    unowned var core: ClientCore?
    /// How many events were dropped, whoever they were for.
    private(set) var dropped = 0

    init(executor: any SessionExecutor) {
        self.executor = executor
    }

    /// How many consumers there are.
    var consumers: Int { subscriptions.count }

    /// The weight of the slowest consumer's backlog, among those that reading is suspended for.
    var weight: Int { subscriptions.reduce(0) { max($0, $1.weight) } }

    /// Tells of an event without waking anybody: whatever comes from one read wakes a consumer once.
    func append(_ generation: Generation, _ kind: ClientEvent.Kind) {
        guard isListening else { return }
        let event = ClientEvent(generation, kind)
        let weight = event.weight
        for subscription in subscriptions {
            dropped += subscription.offer(event, weight: weight)
        }
    }

    func append(_ generation: Generation, of message: Message) {
        switch message {
        case .text(let text): append(generation, ClientEvent.Kind.text(text))
        case .binary(let bytes): append(generation, ClientEvent.Kind.binary(bytes))
        }
    }

    /// Tells of an event that comes alone.
    func tell(_ generation: Generation, _ kind: ClientEvent.Kind) {
        append(generation, kind)
        wake()
    }

    func wake() {
        for subscription in subscriptions { subscription.wake() }
    }

    /// Ends every consumer's sequence after what it has not read yet.
    func finish(forGood: Bool = false) {
        isFinishedForGood = isFinishedForGood || forGood
        let ended = subscriptions
        subscriptions = []
        changed()
        for subscription in ended { subscription.finish() }
    }

    /// Any thread may call this. A caller in the domain hears of what happens next. The core lives until then.
    func add(_ subscription: Subscription<ClientEvent>, _ core: ClientCore) {
        let register: @Sendable () -> Void = {
            if self.isFinishedForGood { return subscription.finish() }
            self.subscriptions.append(subscription)
            self.changed()
            core.consumerTook()
        }
        if executor.isCurrent { register() } else { executor.execute(register) }
    }

    /// Any thread may call this.
    func remove(_ subscription: Subscription<ClientEvent>) {
        executor.execute { [core] in
            self.subscriptions.removeAll { $0 === subscription }
            self.changed()
            core?.consumerTook()
        }
    }

    private func changed() {
        isListening = !subscriptions.isEmpty
        core?.messages.setOthersListen(isListening)
    }
}
