import HeartwireProtocol
import HeartwireSession

/// Makes transports whose reports come late, twice or not at all, for one client of a simulated world.
///
/// `@unchecked Sendable`: it lives in its executor's domain, and is only handed through other places.
final class SimulationTransportFactory: TransportFactory, @unchecked Sendable {
    let executor: any SessionExecutor
    fileprivate let dice: SimulationDice
    fileprivate let alarms: SimulationAlarms
    fileprivate let audit: SimulationSessionAudit
    fileprivate let network: SimulationNetwork
    /// Where the messages go that the client was told of while their connection was current.
    fileprivate let onMessage: (Message) -> Void
    private let inner: any TransportFactory
    private var lines: [SimulationLine] = []
    /// The process is gone: nothing is connected or reported any more.
    private(set) var isDead = false

    init(
        _ inner: any TransportFactory, network: SimulationNetwork, dice: SimulationDice,
        alarms: SimulationAlarms, audit: SimulationSessionAudit,
        onMessage: @escaping (Message) -> Void
    ) {
        self.inner = inner
        self.network = network
        self.dice = dice
        self.alarms = alarms
        self.audit = audit
        self.onMessage = onMessage
        executor = inner.executor
    }

    /// The process is gone, and the system resets its connections.
    func die() {
        isDead = true
        for line in lines { line.die() }
        lines = []
    }

    func makeTransport(
        _ generation: Generation, request: ConnectionRequest, observer: any TransportObserver
    ) -> any Transport {
        let transport = SimulationTransport(self, generation, observer)
        transport.inner = inner.makeTransport(generation, request: request, observer: transport)
        return transport
    }

    fileprivate func opened(_ line: SimulationLine) {
        lines.removeAll(where: \.isOver)
        lines.append(line)
    }

    /// How many of its connections are not closed.
    var living: Int { lines.count { !$0.isOver } }
}

/// The transport of one generation with the faults of its reports.
final class SimulationTransport: Transport, TransportObserver {
    fileprivate var inner: (any Transport)?
    private let factory: SimulationTransportFactory
    private let generation: Generation
    private let observer: any TransportObserver
    private weak var line: SimulationLine?

    fileprivate init(
        _ factory: SimulationTransportFactory, _ generation: Generation,
        _ observer: any TransportObserver
    ) {
        self.factory = factory
        self.generation = generation
        self.observer = observer
    }

    // MARK: Transport

    var pendingCause: CloseCause? { inner?.pendingCause }
    var unacknowledgedBytes: Int { inner?.unacknowledgedBytes ?? 0 }

    func open() {
        guard !factory.isDead else { return }
        factory.audit.connecting()
        inner?.open()
        guard let line = factory.network.newest else { return }
        self.line = line
        factory.opened(line)
    }

    func send(_ message: Message) throws(SendError) -> Bool {
        guard !factory.isDead, let inner else { throw SendError.notOpen }
        return try inner.send(message)
    }

    func ping(_ id: PingID) {
        guard !factory.isDead else { return }
        factory.audit.pinged(generation, id)
        inner?.ping(id)
    }

    func close(_ code: CloseCode?, reason: String) {
        guard !factory.isDead else { return }
        inner?.close(code, reason: reason)
        let dice = factory.dice
        guard let line, dice.strikes(.lostWhenClosing) else { return }
        let delay = dice.duration(of: .lostWhenClosing, .zero ... .milliseconds(160))
        factory.alarms.after(delay) { line.lose() }
    }

    func abort() { inner?.abort() }

    func setReading(_ isReading: Bool) { inner?.setReading(isReading) }

    // MARK: TransportObserver

    func transportProgressed(_ generation: Generation, _ phase: ConnectPhase) {
        hear(.progressed(phase))
    }

    func transportOpened(_ generation: Generation, _ opened: OpenedConnection) { hear(.opened) }

    func transportReceived(_ generation: Generation, _ message: Message) { hear(.message(message)) }

    func transportFinishedBatch(_ generation: Generation) {
        guard !factory.isDead else { return }
        observer.transportFinishedBatch(generation)
    }

    func transportReceivedPing(_ generation: Generation, payload: [UInt8]) { hear(.ping) }

    func transportReceivedPong(_ generation: Generation, _ id: PingID) { hear(.pong(id)) }

    func transportBecameWritable(_ generation: Generation) { hear(.writable) }

    func transportClosed(_ generation: Generation, _ cause: CloseCause) {
        inner = nil
        hear(.closed(cause))
    }

    private func hear(_ report: TransportReport) {
        let (dice, alarms) = (factory.dice, factory.alarms)
        if report.mayBeMissing, dice.strikes(.missingReport) { return }
        if dice.strikes(.reorderedReport) {
            // Most come soon, and one in four perhaps on another connection's time.
            let isLong = dice.number(of: .reorderedReport, 1...4) == 1
            let most = isLong ? Duration.seconds(60) : .seconds(2)
            alarms.after(dice.duration(of: .reorderedReport, .zero...most)) { self.tell(report) }
            return
        }
        tell(report)
        guard dice.strikes(.doubledReport) else { return }
        let isSoon = dice.number(of: .doubledReport, 1...2) == 1
        let delay = dice.duration(of: .doubledReport, .zero ... .seconds(30))
        alarms.after(isSoon ? .zero : delay) { self.tell(report, isAgain: true) }
    }

    private func tell(_ report: TransportReport, isAgain: Bool = false) {
        guard !factory.isDead else { return }
        let audit = factory.audit
        if case .message(let message) = report, generation == audit.current {
            factory.onMessage(message)
        }
        if case .pong(let id) = report { audit.ponged(generation, id) }
        audit.tell(generation, isAgain: isAgain) { report.tell(observer, as: generation) }
    }
}

extension TransportReport {
    /// Whether a client can get over its absence by its own time limits. Without a message or the word that
    /// there is room again nobody could; those come late or twice at the worst.
    fileprivate var mayBeMissing: Bool {
        switch self {
        case .progressed, .opened, .ping, .pong, .closed: true
        case .message, .writable: false
        }
    }
}
