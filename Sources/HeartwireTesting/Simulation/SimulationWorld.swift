import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

/// What may be put in between, so that tests can put a liar there.
struct SimulationParts {
    /// Between a client and its store.
    var wrapStore: (any OutboxStore) -> any OutboxStore = { $0 }
    /// Between a client and its transports.
    var wrapTransports: (any TransportFactory) -> any TransportFactory = { $0 }
    /// Between a client and the monitor of the machine's paths.
    var wrapPaths: (any PathMonitor) -> any PathMonitor = { $0 }
    /// Between the transports and the network.
    var wrapNetwork: (any ChannelConnector) -> any ChannelConnector = { $0 }
}

/// A server, the way to it, a disk, and one client after another, in virtual time.
///
/// `@unchecked Sendable`: everything happens in the virtual domain.
final class SimulationWorld: @unchecked Sendable {
    /// How long after its stop a session may have a line: the transport lingers for a second.
    static let stopGrace = Duration.seconds(3)
    /// How long a client that was let go may take until all is gone: a close, a lingering, a slow store.
    static let releaseGrace = Duration.seconds(15)
    /// The messages that a busy server sends at once.
    static let pushLimit = 400
    /// The longest payload of the app.
    static let payloadLimit = 2_000

    let executor = VirtualExecutor()
    let dice: SimulationDice
    let alarms: SimulationAlarms
    let auditor: SimulationAuditor
    let deliveries: SimulationDeliveryAudit
    let network: SimulationNetwork
    private(set) var server: SimulationServer
    let disk = SimulationDisk()
    let paths = VirtualPathMonitor()
    let client: SimulationClientSettings
    let parts: SimulationParts
    let url: WebSocketURL
    private(set) var life: SimulationLife?
    private(set) var lives: [SimulationLife] = []
    private(set) var kills = 0
    private(set) var sends = 0
    private(set) var delivers = 0
    /// The app does nothing of its own accord any more.
    private var isQuiet = false

    init(
        _ settings: SimulationSettings, parts: SimulationParts = SimulationParts(),
        trace: ((String) -> Void)? = nil
    ) throws {
        self.parts = parts
        url = try WebSocketURL("ws://simulation.test:\(SimulationNetwork.port)/")
        let dice = SimulationDice(seed: settings.seed, faults: settings.faults)
        let (alarms, auditor) = (
            SimulationAlarms(executor), SimulationAuditor(executor, trace: trace)
        )
        client = SimulationClientSettings(dice)
        deliveries = SimulationDeliveryAudit(
            auditor, confirmsReading: client.confirmation != .written)
        network = SimulationNetwork(executor, dice: dice, alarms: alarms, auditor: auditor)
        let book = SimulationBook()
        server = SimulationServer(
            SimulationServer.Surroundings(
                executor: executor, network: network.network, dice: dice, alarms: alarms,
                auditor: auditor),
            audit: deliveries, acknowledges: client.confirmation == .acknowledgement,
            replacedPings: { book.world?.replacedPings($0) ?? 0 })
        (self.dice, self.alarms, self.auditor) = (dice, alarms, auditor)
        book.world = self
    }

    private func replacedPings(_ arrival: SimulationDeliveryAudit.Arrival) -> Int {
        guard let life = lives.first(where: { $0.number == arrival.life }) else { return 0 }
        return life.audit.replacedPings[arrival.generation] ?? 0
    }

    func makeTransports(
        _ audit: SimulationSessionAudit, onMessage: @escaping (Message) -> Void
    ) -> SimulationTransportFactory {
        let random = SimulationConfinedRandom(SimulationRandomSource(dice, .masks))
        let sockets = SocketTransportFactory(
            connector: parts.wrapNetwork(network), random: random.give)
        return SimulationTransportFactory(
            sockets, network: network, dice: dice, alarms: alarms, audit: audit,
            onMessage: onMessage)
    }

    // MARK: What the app says

    func nextSend() -> (serial: Int, fill: Int) {
        sends += 1
        deliveries.sentOnce(sends)
        return (sends, dice.number(.payload, 0...Self.payloadLimit))
    }

    func nextMessage() -> Message {
        delivers += 1
        let fill = SimulationPayload.filler(dice.number(.payload, 0...Self.payloadLimit))
        let text = "\(delivers):\(fill)"
        return dice.number(.payload, 0...1) == 0 ? .text(text) : .binary(Array(text.utf8))
    }

    // MARK: The course of things

    func begin() throws {
        try beginLife()
        tick()
        minute()
    }

    private func beginLife() throws {
        let life = try SimulationLife(lives.count + 1, in: self)
        lives.append(life)
        self.life = life
        auditor.note("begin", life: life.number, number: disk.entries.count)
        life.connect()
    }

    /// The next client begins where the last one ended.
    private func beginLifeSoon() {
        life = nil
        alarms.after(dice.duration(.app, .zero ... .seconds(20))) { [unowned self] in
            guard life == nil else { return }
            do {
                try beginLife()
            } catch {
                auditor.violated(.liveness, "a client could not be made")
            }
        }
    }

    func kill() {
        guard let life, !life.isDead else { return }
        kills += 1
        auditor.note("kill", life: life.number)
        life.kill()
        beginLifeSoon()
    }

    private func minute() {
        alarms.after(.seconds(60)) { [unowned self] in
            perhaps(.serverRestart) { $0.server.restart() }
            perhaps(.kill) { $0.kill() }
            perhaps(.pathLost) { $0.losePaths() }
            perhaps(.pathChanged) { $0.changePaths() }
            perhaps(.slowConsumer) { world in
                let pause = world.dice.duration(of: .slowConsumer, .seconds(1) ... .seconds(120))
                world.life?.pauseConsumer(for: pause)
                world.server.push(world.dice.number(of: .slowConsumer, 1...Self.pushLimit))
            }
            minute()
        }
    }

    /// A fault of this minute happens at some moment of it.
    private func perhaps(
        _ fault: SimulationFault, _ action: @escaping (SimulationWorld) -> Void
    ) {
        guard dice.strikes(fault) else { return }
        alarms.after(dice.duration(of: fault, .zero ... .seconds(60))) { [unowned self] in
            auditor.note(fault.rawValue, life: life?.number ?? 0)
            action(self)
        }
    }

    /// The app does something every now and then.
    private func tick() {
        alarms.after(dice.duration(.app, .milliseconds(10) ... .seconds(10))) { [unowned self] in
            guard !isQuiet else { return }
            if let life, !life.isEnding { act(life) }
            tick()
        }
    }

    private func act(_ life: SimulationLife) {
        let roll = dice.number(.app, 0...99)
        if reconnectsIfStopped(life) || comesBack(life, roll) { return }
        switch roll {
        case 0..<40: for _ in 0..<dice.number(.app, 1...10) { life.deliver() }
        case 40..<60: life.send()
        case 60..<65: life.deliver(isSessionBound: true)
        case 65..<75: server.push(dice.number(.server, 1...20))
        case 75..<82: life.check()
        case 82..<86: life.setHeartbeat()
        case 86..<90: life.connect()
        default:
            // While nothing is wrong the app stays, too.
            if !dice.isCalm { leave(life, roll) }
        }
    }

    private func leave(_ life: SimulationLife, _ roll: Int) {
        switch roll {
        case 90..<92: life.suspend()
        case 92..<96: life.disconnect()
        case 96..<98:
            life.shutDown(grace: dice.duration(.app, .zero ... .seconds(10))) { [self] in
                beginLifeSoon()
            }
        default: life.letGo { [self] in beginLifeSoon() }
        }
    }

    /// An app that wants a connection asks again when its session has stopped.
    private func reconnectsIfStopped(_ life: SimulationLife) -> Bool {
        guard life.audit.state == .stopped, life.wantsConnection || dice.isCalm else {
            return false
        }
        life.connect()
        return true
    }

    /// An app in the background comes back before long, at once while nothing is wrong.
    private func comesBack(_ life: SimulationLife, _ roll: Int) -> Bool {
        guard life.isSuspended, dice.isCalm || roll.isMultiple(of: 3) else { return false }
        life.resume()
        return true
    }

    /// The client is open, and what it had stored has arrived.
    var hasRecovered: Bool {
        guard let life, !life.isEnding else { return false }
        return life.audit.state == .open && disk.entries.isEmpty
    }

    /// Where the client stands, in numbers.
    var standing: String {
        let state = life.map { "\($0.audit.state)" } ?? "none"
        return "the session is \(state) and \(disk.entries.count) messages wait"
    }

    // MARK: The end

    /// The last client ends, in one of four ways.
    func endLife() {
        isQuiet = true
        guard let life, !life.isEnding else { return }
        switch dice.number(.app, 0...3) {
        case 0: life.shutDown(grace: .seconds(5)) {}
        case 1: life.letGo {}
        case 2: life.kill()
        default: life.disconnect()
        }
    }

    /// Takes the world's own things away, so that what is left is the client's.
    func clear() {
        for life in lives where !life.isEnding { life.letGo {} }
        for life in lives { life.cancelTasks() }
        alarms.cancelAll()
        server.endpoint.dropAll()
    }

    /// Looks for what should not be there any more.
    func expectNothing() {
        let (timers, connections) = (executor.pendingTimers, server.endpoint.counters.living)
        let lines = network.living.count
        if timers + connections + lines > 0 {
            auditor.violated(
                .nothingAfterStop,
                "\(timers) timers, \(connections) connections and \(lines) lines are left")
        }
        for life in lives { life.expectRelease() }
    }
}

/// Lets the server ask a world that is made around it.
private final class SimulationBook {
    weak var world: SimulationWorld?
}

/// Gives one source of random numbers to every connection of a domain, in which alone it is used.
private final class SimulationConfinedRandom: @unchecked Sendable {
    private let source: SimulationRandomSource

    init(_ source: SimulationRandomSource) {
        self.source = source
    }

    @Sendable func give() -> any RandomSource { source }
}
