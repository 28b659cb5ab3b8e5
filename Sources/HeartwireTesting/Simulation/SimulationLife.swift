import Heartwire
import HeartwireProtocol
import HeartwireSession

/// One client of a simulated world, from its making to its end, and what the app does with it.
///
/// `@unchecked Sendable`: everything happens in the virtual domain.
final class SimulationLife: @unchecked Sendable {
    /// Which client of its world this is; the first is 1.
    let number: Int
    let audit: SimulationSessionAudit
    private let paths: SimulationPathAudit
    let transports: SimulationTransportFactory
    /// Whether the app wants to be connected.
    var wantsConnection = true
    /// Whether the app is in the background.
    private(set) var isSuspended = false
    /// What the app does not do any more: everything but wait for the end.
    private(set) var isEnding = false
    /// The process is gone.
    private(set) var isDead = false
    private(set) var client: WebSocketClient?
    /// The same client, to see it go.
    private(set) weak var witness: WebSocketClient?
    private let world: SimulationWorld
    private let store: SimulationStore
    private let inbox: SimulationInbox
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var lastTask = 0
    /// How long the consumer stops taking messages, when it looks next.
    private var consumerPause: Duration?
    private var stops = 0

    init(_ number: Int, in world: SimulationWorld) throws {
        self.number = number
        self.world = world
        audit = SimulationSessionAudit(
            world.auditor, life: number,
            probeTime: world.client.pathSettling + world.client.heartbeat.timeout)
        paths = SimulationPathAudit(
            world.auditor, alarms: world.alarms, settings: world.client)
        let inbox = SimulationInbox(world.auditor)
        self.inbox = inbox
        store = SimulationStore(
            world.disk, dice: world.dice, alarms: world.alarms, audit: world.deliveries,
            answersAtOnce: world.client.answersAtOnce, readsBack: world.client.window != nil)
        transports = world.makeTransports(audit) { inbox.told($0) }
        let client = try WebSocketClient(world.url) { configure(&$0) }
        self.client = client
        witness = client
        watch(client)
    }

    private func configure(_ configuration: inout ClientConfiguration) {
        world.client.apply(to: &configuration, store: world.parts.wrapStore(store))
        configuration.pathMonitor = .custom(world.parts.wrapPaths(world.paths))
        configuration.seed = world.dice.next(.settings)
        configuration.transport = world.parts.wrapTransports(transports)
        configuration.outbox?.envelope = { [self] in label($0) }
        configuration.journal = { [self] in heard($0) }
        configuration.request = { [self] in try await request($0) }
    }

    private func heard(_ event: JournalEvent) {
        guard !isDead else { return }
        audit.heard(event)
        paths.heard(event)
        if event.kind == .suspendRequested { world.begunToWait() }
        guard event.kind == .stateChanged else { return }
        if event.newState == .waiting { world.begunToWait() }
        guard event.newState == .stopped else { return }
        stops += 1
        let stop = stops
        world.alarms.after(SimulationWorld.stopGrace) { [unowned self] in
            guard !isDead, stop == stops, audit.state == .stopped else { return }
            expectNoLine()
        }
    }

    /// The paths change now, by `change`.
    func pathChanged(to path: NetworkPath, _ change: () -> Void) {
        guard !isDead else { return change() }
        paths.told(path, isPingOut: audit.isPingOut, change)
    }

    private func expectNoLine() {
        guard transports.living > 0 else { return }
        world.auditor.violated(
            .nothingAfterStop, "\(transports.living) lines of client \(number) are left")
    }

    /// What is stored gets its id and its mark as it goes out. What is bound to a session is seen here first.
    private func label(_ entry: OutboxEntry) -> Message {
        if !isDead {
            world.deliveries.tookIn(entry.id, entry.message, isSessionBound: true)
        }
        return SimulationPayload.delivered(
            entry.id, isMarked: entry.isPossibleDuplicate, entry.message
        ).message()
    }

    private func request(_ attempt: ConnectionAttempt) async throws -> ConnectionRequest {
        if !isDead, world.dice.strikes(.lateRequest) {
            let delay = world.dice.duration(of: .lateRequest, .milliseconds(100) ... .seconds(45))
            try await VirtualClock(world.executor).sleep(for: delay)
        }
        var request = try ConnectionRequest(
            url: attempt.url,
            headers: [SimulationServer.whoField: "\(number).\(attempt.generation.number)"])
        if !world.client.compresses { request.compression = .off }
        return request
    }

    // MARK: What the app does

    func connect() {
        wantsConnection = true
        start { await $1.connect() }
    }

    func disconnect() {
        wantsConnection = false
        start { await $1.disconnect() }
    }

    /// The app goes to the background.
    func suspend() {
        isSuspended = true
        start { await $1.suspend() }
    }

    /// The app is back.
    func resume() {
        isSuspended = false
        start { await $1.resume() }
    }

    func check() { start { await $1.checkConnection() } }

    func setHeartbeat() {
        let interval = world.dice.duration(.app, .seconds(2) ... .seconds(60))
        let timeout = world.client.heartbeat.timeout
        start { try? await $1.setHeartbeat(.every(interval, timeout: timeout)) }
    }

    func send() {
        let (serial, fill) = world.nextSend()
        start { _, client in
            try? await client.send(SimulationPayload.sent(serial: serial).message(fill: fill))
        }
    }

    func deliver(isSessionBound: Bool = false) {
        let message = world.nextMessage()
        start { life, client in
            let receipt = try? await client.deliver(message, sessionBound: isSessionBound)
            guard let receipt, !life.isDead else { return }
            life.world.deliveries.promised(
                receipt.id, message, isSessionBound: isSessionBound)
            life.follow(receipt)
        }
    }

    /// A receipt outlives its client, so nobody who follows it holds that.
    private func follow(_ receipt: Receipt) {
        guard client != nil else { return }
        begin { life in
            let isConfirmed = (try? await receipt.confirmed()) != nil
            guard !life.isDead else { return }
            let what = isConfirmed ? "confirmed" : "unconfirmed"
            life.world.auditor.note(
                what, life: life.number, number: Int(clamping: receipt.id.number))
            if isConfirmed { life.world.deliveries.settled(receipt.id) }
        }
    }

    func pauseConsumer(for duration: Duration) { consumerPause = duration }

    /// Runs something that the app does, in the domain.
    private func start(
        _ action: @escaping @Sendable (SimulationLife, WebSocketClient) async -> Void
    ) {
        guard let client else { return }
        begin { life in await action(life, client) }
    }

    private func begin(_ action: @escaping @Sendable (SimulationLife) async -> Void) {
        lastTask += 1
        let number = lastTask
        tasks[number] = Task(executorPreference: world.executor) {
            await action(self)
            self.tasks[number] = nil
        }
    }

    private func watch(_ client: WebSocketClient) {
        let (messages, states) = (client.messages, client.states)
        begin { life in
            while !Task.isCancelled {
                for await message in messages {
                    life.inbox.took(message)
                    guard let pause = life.consumerPause.take() else { continue }
                    try? await VirtualClock(life.world.executor).sleep(for: pause)
                }
            }
        }
        begin { life in
            for await state in states where !life.isDead {
                life.audit.seen(JournalEvent.State(state))
            }
        }
    }

    // MARK: The end

    /// Drains and closes, and lets go of the client.
    func shutDown(grace: Duration, then next: @escaping @Sendable () -> Void) {
        guard !isEnding else { return }
        isEnding = true
        wantsConnection = false
        start { life, client in
            let report = await client.shutdown(grace: grace)
            guard !life.isDead else { return }
            life.check(report)
            life.letGo(then: next)
        }
    }

    private func check(_ report: ShutdownReport) {
        let (left, kept) = (report.left.map(\.id), world.disk.ids)
        if left != kept {
            world.auditor.violated(
                .shutdownReport, "\(left.count) messages are said to be left, \(kept.count) are")
        }
        for delivery in report.left
        where !delivery.mayHaveArrived && world.deliveries.hasArrived(delivery.id) {
            world.auditor.violated(
                .shutdownReport, "\(delivery.id) is said not to have arrived, and has")
        }
    }

    /// The app forgets the client, which has to go without being told anything.
    func letGo(then next: @escaping @Sendable () -> Void) {
        isEnding = true
        paths.clientIsGone()
        cancelTasks()
        client = nil
        world.alarms.after(SimulationWorld.releaseGrace) { [self] in
            guard !isDead else { return }
            finish()
            next()
        }
    }

    /// The process is gone from one instant to the next.
    func kill() {
        isEnding = true
        isDead = true
        paths.clientIsGone()
        transports.die()
        store.die()
        cancelTasks()
        client = nil
    }

    /// Looks whether all is gone.
    private func finish() {
        audit.finish()
        expectNoLine()
        expectRelease()
    }

    func expectRelease() {
        if witness != nil { world.auditor.violated(.release, "client \(number) is still there") }
    }

    func cancelTasks() {
        for task in tasks.sorted(by: { $0.key < $1.key }) { task.value.cancel() }
    }
}
