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
        case provider(Provider)
    }

    let executor: any SessionExecutor
    let domain: Domain
    let messages: MessageHub
    let states: StateHub

    private let url: WebSocketURL
    private let source: RequestSource
    private let factory: any TransportFactory
    private let journal: (@Sendable (JournalEvent) -> Void)?
    private let receiveBufferBytes: Int
    /// Guaranteed delivery, where the app has asked for it.
    let delivery: Delivery?

    /// Exclusive by confinement: a value that calls nobody while it changes, so the runtime need not check.
    @exclusivity(unchecked) var machine: SessionMachine
    /// The connection that is under way; `nil` between connections.
    var transport: (any Transport)?
    var transportGeneration = Generation.none
    /// The request of the attempt under way, between the provider's answer and the transport.
    private var request: ConnectionRequest?
    private var providerTask: Task<Void, Never>?
    private var timer: TimerID?
    private var timerDeadline: MonotonicInstant?
    private var isReadingPaused = false
    private var isClosing = false
    private var writers: [UnsafeContinuation<Bool, Never>] = []
    private var opened: OpenedConnection?
    private var arrived = BatchQueue<SessionEvent>()
    private var isHandling = false
    /// The time of the event that is handled, which is that of everything it leads to.
    private var handledInstant: MonotonicInstant?

    init(
        url: WebSocketURL, source: RequestSource, machine: SessionMachine,
        configuration: ClientConfiguration, delivery: Delivery? = nil
    ) {
        self.url = url
        self.source = source
        self.machine = machine
        factory = configuration.transport
        executor = factory.executor
        domain = Domain(executor)
        journal = configuration.journal
        receiveBufferBytes = max(1, configuration.receiveBufferBytes)
        messages = MessageHub(executor: executor)
        states = StateHub(executor: executor)
        self.delivery = delivery
        messages.core = self
        delivery?.core = self
    }

    // MARK: The app

    func connect() {
        record(.connectRequested)
        handle(.connectRequested)
    }

    func disconnect(code: CloseCode?, reason: String) {
        record(.disconnectRequested)
        handle(.disconnectRequested(code: code, reason: reason))
    }

    /// Queues a message. Answers whether there is room for more.
    func send(_ message: Message) throws(SendError) -> Bool {
        guard machine.admitsSend, let transport else { throw SendError.notOpen }
        return try transport.send(message)
    }

    /// Waits until the backlog has gone down. Answers whether the connection still stands.
    nonisolated(nonsending) func waitForRoom() async -> Bool {
        await withUnsafeContinuation { writers.append($0) }
    }

    var openedConnection: OpenedConnection? { opened }

    /// The client is gone: wind up without it.
    func abandon() {
        delivery?.close {}
        disconnect(code: .goingAway, reason: "")
        messages.finish()
        states.finish()
    }

    // MARK: The machine

    /// Events that come up while effects are run wait for their turn, so effects never interleave.
    func handle(_ event: SessionEvent) {
        arrived.append(event)
        guard !isHandling else { return }
        isHandling = true
        while let event = arrived.popFirst() {
            let old = JournalEvent.State(machine.state)
            let turnedAway = machine.staleEvents
            let now = executor.now()
            handledInstant = now
            let effects = machine.handle(event, now: now)
            let isStale = machine.staleEvents != turnedAway
            recordArrival(event, isStale: isStale)
            if !isStale { delivery?.heard(event) }
            for effect in effects where machine.permits(effect) {
                run(effect, old)
            }
        }
        isHandling = false
        handledInstant = nil
        askForFence()
        rearm()
    }

    private func run(_ effect: SessionEffect, _ old: JournalEvent.State) {
        switch effect {
        case .askForRequest(let generation, let attempt): askForRequest(generation, attempt)
        case .openTransport(let generation): openTransport(generation)
        case .sendPing(let generation, let id):
            record(.pingSent, generation)
            transport?.ping(id)
            delivery?.pingSent(id)
        case .closeTransport(let generation, let code, let reason):
            record(.closeSent, generation, number: code.map { Int($0.rawValue) })
            transport?.close(code, reason: reason)
            stopPausing()
        case .abortTransport(let generation):
            record(.aborted, generation)
            dropTransport(generation)
        case .connectionEnded(let generation, let cause):
            record(.closed, generation, cause: cause.kind, number: cause.number)
            connectionEnded(generation)
        case .publish(let state): publish(state, old)
        }
    }

    private func publish(_ state: SessionState, _ old: JournalEvent.State) {
        if let journal {
            journal(
                JournalEvent(
                    time: handledInstant ?? executor.now(), generation: machine.generation,
                    kind: .stateChanged,
                    oldState: old, newState: JournalEvent.State(state)))
        }
        delivery?.entered(state)
        states.publish(state)
        if case .stopped = state { messages.finish() }
    }

    private func askForRequest(_ generation: Generation, _ attempt: Int) {
        record(.requestAsked, generation)
        switch source {
        case .fixed(let request): provided(generation, request)
        case .provider(let provider):
            let attempt = ConnectionAttempt(url: url, generation: generation, number: attempt)
            providerTask?.cancel()
            providerTask = Task(executorPreference: executor.taskExecutor) {
                await self.ask(provider, attempt)
            }
        }
    }

    /// Asks the provider and enters the domain with its answer, however late that is: the gate decides whether it
    /// still counts (promise R4).
    private func ask(_ provider: Provider, _ attempt: ConnectionAttempt) async {
        let generation = attempt.generation
        let answer: Result<ConnectionRequest, any Error>
        do {
            answer = .success(try await provider(attempt))
        } catch {
            answer = .failure(error)
        }
        executor.execute {
            switch answer {
            case .success(let request): self.provided(generation, request)
            case .failure(let error): self.handle(.requestFailed(generation, "\(type(of: error))"))
            }
        }
    }

    private func provided(_ generation: Generation, _ request: ConnectionRequest) {
        self.request = request
        handle(.requestProvided(generation))
    }

    private func openTransport(_ generation: Generation) {
        guard let request else { return }
        self.request = nil
        let transport = factory.makeTransport(generation, request: request, observer: self)
        self.transport = transport
        transportGeneration = generation
        transport.open()
    }

    private func dropTransport(_ generation: Generation) {
        guard generation == transportGeneration else { return }
        transport?.abort()
        transport = nil
    }

    private func connectionEnded(_ generation: Generation) {
        providerTask?.cancel()
        providerTask = nil
        request = nil
        if generation == transportGeneration { transport = nil }
        opened = nil
        isReadingPaused = false
        isClosing = false
        delivery?.ended(generation)
        resumeWriters(connectionStands: false)
    }

    private func resumeWriters(connectionStands: Bool) {
        let waiting = writers
        writers = []
        for writer in waiting { writer.resume(returning: connectionStands) }
    }

    // MARK: The timer

    private func rearm() {
        let deadline = machine.nextDeadline
        guard deadline != timerDeadline else { return }
        if let timer { executor.cancel(timer) }
        timer = nil
        timerDeadline = deadline
        guard let deadline else { return }
        let generation = machine.generation
        timer = executor.schedule(at: deadline) {
            self.timer = nil
            self.timerDeadline = nil
            self.timeIsUp(generation)
        }
    }

    /// An attempt whose time is up ends for what the server has said of it already, where that is no (K05-08).
    private func timeIsUp(_ generation: Generation) {
        guard case .connecting = machine.state, generation == transportGeneration,
            let transport, let cause = transport.pendingCause
        else { return handle(.timerFired(generation)) }
        transport.abort()
        handle(.transportClosed(generation, cause))
    }

    // MARK: The transport

    func transportProgressed(_ generation: Generation, _ phase: ConnectPhase) {
        handle(.connectProgressed(generation, phase))
    }

    func transportOpened(_ generation: Generation, _ opened: OpenedConnection) {
        if generation == transportGeneration { self.opened = opened }
        handle(.transportOpened(generation))
    }

    func transportReceived(_ generation: Generation, _ message: Message) {
        guard machine.admitsMessage(from: generation) else { return }
        if isClosing, messages.weight > receiveBufferBytes { return }
        messages.append(message)
        delivery?.received(message)
    }

    func transportFinishedBatch(_ generation: Generation) {
        messages.wake()
        pauseReadingIfFull()
    }

    func transportReceivedPing(_ generation: Generation, payload: [UInt8]) {
        record(machine.admitsMessage(from: generation) ? .pingReceived : .stale, generation)
    }

    func transportReceivedPong(_ generation: Generation, _ id: PingID) {
        handle(.pongReceived(generation, id))
    }

    func transportBecameWritable(_ generation: Generation) {
        guard machine.admitsMessage(from: generation) else { return }
        delivery?.becameWritable()
        guard delivery?.isBlocked != true else { return }
        resumeWriters(connectionStands: true)
    }

    func transportClosed(_ generation: Generation, _ cause: CloseCause) {
        messages.wake()
        handle(.transportClosed(generation, cause))
    }

    // MARK: Back-pressure

    private func pauseReadingIfFull() {
        guard !isReadingPaused, !isClosing, messages.weight > receiveBufferBytes, let transport
        else { return }
        isReadingPaused = true
        transport.setReading(false)
        record(.readingPaused, transportGeneration)
        handle(.readingPaused(transportGeneration))
    }

    func consumerTook() {
        guard isReadingPaused, messages.weight <= receiveBufferBytes / 2, let transport else {
            return
        }
        isReadingPaused = false
        transport.setReading(true)
        record(.readingResumed, transportGeneration)
        handle(.readingResumed(transportGeneration))
    }

    /// The app has asked for the close, and the peer's answer stands behind messages that perhaps nobody
    /// reads any more: from here on they are read, and dropped where there is no room.
    private func stopPausing() {
        isClosing = true
        guard isReadingPaused else { return }
        isReadingPaused = false
        transport?.setReading(true)
    }

    // MARK: Journal

    /// What arrived stands in the journal as what the gate made of it.
    private func recordArrival(_ event: SessionEvent, isStale: Bool) {
        guard let generation = event.generation else { return }
        if isStale { return record(.stale, generation) }
        switch event {
        case .requestProvided: record(.requestProvided, generation)
        case .connectProgressed(_, let phase): record(.progressed, generation, phase: phase)
        case .transportOpened: record(.opened, generation)
        case .pongReceived: record(.pongReceived, generation)
        // Their effects are recorded.
        case .connectRequested, .disconnectRequested, .probeRequested, .heartbeatChanged,
            .fenceRequested,
            .requestFailed, .frameReceived, .readingPaused, .readingResumed, .transportClosed,
            .timerFired:
            return
        }
    }

    private func record(
        _ kind: JournalEvent.Kind, _ generation: Generation? = nil, cause: CloseCause.Kind? = nil,
        number: Int? = nil, phase: ConnectPhase? = nil
    ) {
        guard let journal else { return }
        let state = JournalEvent.State(machine.state)
        journal(
            JournalEvent(
                time: handledInstant ?? executor.now(),
                generation: generation ?? machine.generation, kind: kind,
                oldState: state, newState: state, cause: cause, number: number, phase: phase))
    }
}
