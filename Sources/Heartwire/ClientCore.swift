import HeartwireProtocol
import HeartwireSession

/// What a client is made of, confined to its executor's domain.
///
/// Theory of operation. Everything enters here in arrival order: the app's calls, the transport's reports,
/// the timer. Each becomes an event for the session machine, which answers with effects; an effect is compared
/// with the present generation once more as it runs (promise G2). There is one timer, for the
/// machine's next deadline. Messages take a short way: gate, hub, consumer.
///
/// The core is not the actor itself, because entering an actor from its own executor costs more than handling a
/// message (docs/decisions/0004): the actor, its sequences and the transport hold the core.
final class ClientCore: TransportObserver, @unchecked Sendable {
    typealias Provider = @Sendable (ConnectionAttempt) async throws -> ConnectionRequest

    /// Where an attempt's request comes from.
    enum RequestSource: Sendable {
        case fixed(ConnectionRequest)
        /// Asked anew for every attempt to reach this URL.
        case provider(Shared<WebSocketURL>, Provider)
    }

    let executor: any SessionExecutor
    let messages: MessageHub
    let states: StateHub
    let events: EventHub
    /// The queues and batches that the app has, or that have something left.
    var outgoing: [Outgoing] = []
    let source: RequestSource
    let factory: any TransportFactory
    let journal: (@Sendable (JournalEvent) -> Void)?
    let receiveBufferBytes: Int
    /// What tells of the network's paths, where anything does.
    let pathMonitor: (any PathMonitor)?
    /// Guaranteed delivery, where the app has asked for it.
    let delivery: Delivery?

    /// Exclusive by confinement: a value that calls nobody while it changes, so the runtime need not check. The same
    /// holds for what else each message looks at.
    @exclusivity(unchecked) var machine: SessionMachine
    /// The connection that is under way; `nil` between connections.
    var transport: (any Transport)? {
        get {
            switch lane {
            case let lane?: lane.transport
            case nil: nil
            }
        }
        set {
            if let transport {
                // Let go later: it may be what calls.
                nonisolated(unsafe) let last = transport
                executor.execute { withExtendedLifetime(last) {} }
            }
            lane = newValue.map { Lane(transport: $0) }
        }
    }
    @exclusivity(unchecked) private var lane: Lane?
    var transportGeneration = Generation.none
    /// The request of the attempt under way, between the provider's answer and the transport.
    var request: ConnectionRequest?
    var providerTask: Task<Void, Never>?
    @exclusivity(unchecked) var isReadingPaused = false
    @exclusivity(unchecked) var isClosing = false
    /// Whether anything came for consumers since they were woken last: a pong alone is none of theirs.
    @exclusivity(unchecked) var hasArrivals = false
    /// Whether the heartbeat hears of all that comes (H13).
    @exclusivity(unchecked) private(set) var countsInboundFrames: Bool
    private var isHandling = false
    /// The client is gone.
    private(set) var isAbandoned = false
    var opened: OpenedConnection?
    /// While the session has not stopped.
    var pathSubscription: PathSubscription?
    private var timer: (id: TimerID, deadline: MonotonicInstant)?
    @exclusivity(unchecked) private var writers: [Writer] = []
    private var lastWriter: UInt64 = 0
    /// How often those who waited for room were answered, and what they were told last.
    private(set) var answeredWriters: UInt64 = 0
    private(set) var lastRoom = Room.free
    private var arrived = BatchQueue<SessionEvent>()
    /// The time of the event that is handled, which is that of everything it leads to.
    var handledInstant: MonotonicInstant?

    init(
        source: RequestSource, machine: SessionMachine,
        configuration: ClientConfiguration, delivery: Delivery? = nil
    ) {
        self.source = source
        self.machine = machine
        countsInboundFrames = machine.configuration.heartbeat?.countsInboundFrames ?? false
        factory = configuration.transport
        executor = factory.executor
        journal = configuration.journal
        pathMonitor = configuration.presentPathMonitor
        receiveBufferBytes = max(1, configuration.receiveBufferBytes)
        messages = MessageHub(executor: executor)
        states = StateHub(executor: executor)
        events = EventHub(executor: executor)
        self.delivery = delivery
        messages.core = self
        events.core = self
        delivery?.core = self
        delivery?.begin()
    }

    /// Lends a transport, which copies nothing: so a message reaches it without a count of references.
    private struct Lane: ~Copyable {
        let transport: any Transport
    }

    // MARK: The app

    func connect() {
        handle(.connectRequested)
    }

    func disconnect(code: CloseCode?, reason: String) {
        flushOutgoing(.last)
        handle(.disconnectRequested(code: code, reason: reason))
    }

    /// Queues a message. Answers whether there is room for more.
    @inline(__always)
    func send(_ message: Message) throws(SendError) -> Bool {
        guard machine.admitsSend else { throw SendError.notOpen }
        switch lane {
        case let lane?: return try lane.transport.send(message)
        case nil: throw SendError.notOpen
        }
    }

    func setHeartbeat(_ settings: Heartbeat<MonotonicInstant>.Configuration?) {
        countsInboundFrames = settings?.countsInboundFrames ?? false
        handle(.heartbeatChanged(settings))
    }

    func checkConnection() {
        handle(.probeRequested)
    }

    /// The client is gone: wind up without it.
    func abandon() {
        isAbandoned = true
        flushOutgoing(.shutdown)
        flushOutgoing(.last)
        delivery?.close {}
        disconnect(code: .goingAway, reason: "")
        finishConsumers(forGood: true)
        states.finish()
    }

    // MARK: The machine

    /// Events that come up while effects are run wait for their turn, so effects never interleave.
    func handle(_ event: SessionEvent) {
        guard !isHandling else { return arrived.append(event) }
        isHandling = true
        take(event)
        // What came up meanwhile. Most events lead to none, and then there is no queue.
        if !arrived.isEmpty {
            while let event = arrived.popFirst() { take(event) }
            arrived = BatchQueue()
        }
        isHandling = false
        handledInstant = nil
        askForFence()
        rearm()
    }

    private func take(_ event: SessionEvent) {
        // Only a journal is told what was before.
        let old = journal == nil ? .idle : JournalEvent.State(machine.state)
        let turnedAway = machine.staleEvents
        let now = executor.now()
        handledInstant = now
        let effects = machine.handle(event, now: now)
        let isStale = machine.staleEvents != turnedAway
        if journal != nil { record(event, old, isStale: isStale) }
        if !isStale {
            delivery?.heard(event)
            tell(event)
        }
        for effect in effects where Self.permits(&machine, effect) {
            run(effect, old)
        }
    }

    /// By reference: to ask a machine that stands in an object costs a copy of it.
    private static func permits(_ machine: inout SessionMachine, _ effect: SessionEffect) -> Bool {
        machine.permits(effect)
    }

    // MARK: Senders that wait

    /// One call of `send` that waits for room.
    private struct Writer {
        let number: UInt64
        let continuation: UnsafeContinuation<Room, Never>
    }

    /// How a wait for room ended.
    enum Room {
        case free, connectionEnded, cancelled

        /// - Throws: ``SendError/connectionEnded`` or ``SendError/cancelled``.
        func checked() throws(SendError) {
            switch self {
            case .free: return
            case .connectionEnded: throw SendError.connectionEnded
            case .cancelled: throw SendError.cancelled
            }
        }
    }

    /// Waits until the backlog has gone down. The isolation is handed on by name, as where consumers wait.
    ///
    /// - Throws: ``SendError/connectionEnded`` or ``SendError/cancelled``.
    func waitForRoom(isolation: isolated (any Actor)?) async throws(SendError) {
        lastWriter &+= 1
        let number = lastWriter
        let room = await withTaskCancellationHandler(
            operation: {
                _ = isolation
                return await withUnsafeContinuation(isolation: isolation) {
                    (continuation: UnsafeContinuation<Room, Never>) in
                    // A cancellation that came first has found nobody to wake.
                    guard !Task.isCancelled else {
                        return continuation.resume(returning: .cancelled)
                    }
                    self.writers.append(Writer(number: number, continuation: continuation))
                }
            },
            onCancel: { executor.execute { self.giveUpWaiting(number) } },
            isolation: isolation)
        try room.checked()
    }

    private func giveUpWaiting(_ number: UInt64) {
        guard let index = writers.firstIndex(where: { $0.number == number }) else { return }
        writers.remove(at: index).continuation.resume(returning: .cancelled)
    }

    func resumeWriters(_ room: Room) {
        answeredWriters &+= 1
        lastRoom = room
        let waiting = writers
        writers = []
        for writer in waiting { writer.continuation.resume(returning: room) }
    }

    // MARK: The timer

    private func rearm() {
        let deadline = machine.nextDeadline
        guard deadline != timer?.deadline else { return }
        if let timer { executor.cancel(timer.id) }
        timer = nil
        guard let deadline else { return }
        let generation = machine.generation
        let id = executor.schedule(at: deadline) {
            self.timer = nil
            self.timeIsUp(generation)
        }
        timer = (id, deadline)
    }

    /// An attempt whose time is up ends for what the server has said of it already, where that is no (K05-08).
    private func timeIsUp(_ generation: Generation) {
        guard !machine.admitsSend, case .connecting = machine.state,
            generation == transportGeneration, let transport, let cause = transport.pendingCause
        else { return handle(.timerFired(generation)) }
        transport.abort()
        handle(.transportClosed(generation, cause))
    }
}
