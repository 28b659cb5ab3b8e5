import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import Testing

@testable import HeartwireTesting

// The checker is worth what it finds: each of these puts a liar between the client and the world.

/// The rules that some of the first seeds break with a liar in between.
private func broken(
    _ faults: SimulationFaults = SimulationFaults(), seeds: ClosedRange<UInt64> = 1...6,
    _ lie: (inout SimulationParts) -> Void
) -> Set<SimulationViolation.Rule> {
    var parts = SimulationParts()
    lie(&parts)
    var rules: Set<SimulationViolation.Rule> = []
    for seed in seeds {
        let settings = SimulationSettings(seed: seed, duration: .seconds(900), faults: faults)
        rules.formUnion(Simulation(settings, parts: parts).run().violations.map(\.rule))
    }
    return rules
}

private func only(_ faults: [SimulationFault: Double]) -> SimulationFaults {
    var all = SimulationFaults.none
    for (fault, probability) in faults { all[fault] = probability }
    return all
}

@Suite("A simulation with a liar in it")
struct SimulationSabotageTests {
    @Test("D4: a store that says it keeps what it does not is found out")
    func forgetfulStore() {
        let rules = broken(only([.kill: 0.9, .lostWhenOpen: 0.9])) { parts in
            parts.wrapStore = { LyingStore($0, .forgets) }
        }
        #expect(rules.contains(.nothingLost))
        // What is not there when it is read back is given up, and so settled.
        #expect(rules.isSubset(of: [.nothingLost, .shutdownReport, .earlyConfirmation]))
    }

    @Test("D4, D5: a store that gives messages each other's ids is found out")
    func confusedStore() {
        // Where entries are read back it cannot lie without giving itself away by their lengths.
        let faults = only([.kill: 0.9, .lostWhenOpen: 0.9, .serverRestart: 0.5])
        let rules = broken(faults, seeds: 1...18) { parts in
            parts.wrapStore = { LyingStore($0, .confuses) }
        }
        #expect(rules.contains(.identity))
    }

    @Test("D2: an outbox that turns its order around is found out")
    func turnedAround() {
        let rules = broken { parts in
            parts.wrapTransports = { LyingFactory($0, .swapsMessages) }
        }
        #expect(rules.contains(.order))
    }

    @Test("D1: a transport that sends everything twice is found out")
    func twice() {
        let rules = broken { parts in
            parts.wrapTransports = { LyingFactory($0, .sendsTwice) }
        }
        #expect(rules.contains(.atMostOnce) || rules.contains(.order))
    }

    @Test("D3: a transport that makes up pongs is found out")
    func madeUpPong() {
        let rules = broken { parts in
            parts.wrapTransports = { LyingFactory($0, .makesUpPongs) }
        }
        #expect(rules.contains(.earlyConfirmation))
    }

    @Test("D3: a transport that swallows messages is found out")
    func swallowed() {
        let rules = broken { parts in
            parts.wrapTransports = { LyingFactory($0, .swallows) }
        }
        #expect(rules.contains(.earlyConfirmation))
    }

    @Test(
        "G1, G3: reports of an old connection under the generation of the current one are found out"
    )
    func staleAsCurrent() {
        let faults = only([.reorderedReport: 0.3, .doubledReport: 0.3, .lostWhenOpen: 0.9])
        let rules = broken(faults) { parts in
            parts.wrapTransports = { LyingFactory($0, .reportsAsCurrent) }
        }
        #expect(rules.contains(.staleReport))
    }

    @Test("H3: a second ping while one is out is found out")
    func secondPing() {
        let rules = broken { parts in
            parts.wrapTransports = { LyingFactory($0, .pingsTwice) }
        }
        #expect(rules.contains(.onePing))
    }

    @Test("R5: a connection that is not dropped is found out")
    func leftOpen() {
        let rules = broken(only([.missingPong: 0.9])) { parts in
            parts.wrapTransports = { LyingFactory($0, .neverDrops) }
        }
        #expect(rules.contains(.nothingAfterStop))
    }

    @Test("R5: a timer that is left behind is found out")
    func leftTimer() {
        let rules = broken(seeds: 1...1) { parts in
            parts.wrapTransports = { LyingFactory($0, .leavesTimers) }
        }
        #expect(rules.contains(.nothingAfterStop))
    }

    @Test("a way on which nobody ever arrives is no healthy one: the client does not get on")
    func noWay() {
        let rules = broken(.none, seeds: 1...1) { parts in
            parts.wrapNetwork = { DeadNetwork(inner: $0) }
        }
        #expect(rules == [.liveness])
    }

    @Test("S1: messages that no connection brought are found out")
    func madeUpMessages() {
        let rules = broken { parts in
            parts.wrapTransports = { LyingFactory($0, .makesUpMessages) }
        }
        #expect(rules.contains(.received))
    }

    @Test("L3, R6: a client that does not hear of its network's changes is found out")
    func deafToPaths() {
        let faults = only([.pathChanged: 0.9, .pathInWait: 0.9, .lostWhenOpen: 0.9])
        let rules = broken(faults) { parts in
            parts.wrapPaths = { _ in VirtualPathMonitor() }
        }
        #expect(rules == [.paths])
    }

    @Test("R6: a wait that a path does not cut short is found out, where nothing else changes")
    func deafWhileWaiting() {
        let faults = only([.pathInWait: 1, .unansweredConnect: 0.9])
        let rules = broken(faults, seeds: 1...12) { parts in
            parts.wrapPaths = { DeafMonitor(inner: $0) }
        }
        #expect(rules == [.paths])
    }

    @Test("the parts without a lie break nothing")
    func honest() {
        let rules = broken(seeds: 1...2) { parts in
            parts.wrapStore = { LyingStore($0, nil) }
            parts.wrapTransports = { LyingFactory($0, nil) }
        }
        #expect(rules == [])
    }
}

/// A store that may lie.
private final class LyingStore: OutboxStore {
    enum Lie {
        case forgets, confuses
    }

    private let inner: any OutboxStore
    private let lie: Lie?

    init(_ inner: any OutboxStore, _ lie: Lie?) {
        self.inner = inner
        self.lie = lie
    }

    var readsBack: Bool { inner.readsBack }

    func read(_ range: ClosedRange<DeliveryID>) { inner.read(range) }

    func open(
        _ report: @escaping @Sendable (OutboxStoreReport) -> Void
    ) throws(OutboxStoreError) -> OutboxContents {
        var contents = try inner.open(report)
        if lie == .confuses {
            let messages = contents.entries.map(\.message).reversed()
            contents.entries = zip(contents.entries, messages).map {
                OutboxEntry(id: $0.id, message: $1)
            }
        }
        return contents
    }

    func append(_ entry: OutboxEntry) -> Bool {
        guard lie == .forgets, entry.id.number.isMultiple(of: 3) else { return inner.append(entry) }
        inner.reserve(entry.id)
        return true
    }

    func reserve(_ id: DeliveryID) { inner.reserve(id) }

    func remove(_ ids: [DeliveryID]) { inner.remove(ids) }

    func close(_ done: @escaping @Sendable () -> Void) { inner.close(done) }
}

/// Makes transports that may lie. Lives in the virtual domain.
private final class LyingFactory: TransportFactory, @unchecked Sendable {
    enum Lie {
        case swapsMessages, sendsTwice, makesUpPongs, swallows, reportsAsCurrent, pingsTwice
        case neverDrops, leavesTimers, makesUpMessages
    }

    let executor: any SessionExecutor
    let lie: Lie?
    var current = Generation.none
    private let inner: any TransportFactory

    init(_ inner: any TransportFactory, _ lie: Lie?) {
        self.inner = inner
        self.lie = lie
        executor = inner.executor
    }

    func makeTransport(
        _ generation: Generation, request: ConnectionRequest, observer: any TransportObserver
    ) -> any Transport {
        current = generation
        let transport = LyingTransport(self, generation, observer)
        transport.inner = inner.makeTransport(generation, request: request, observer: transport)
        return transport
    }
}

private final class LyingTransport: Transport, TransportObserver {
    var inner: (any Transport)?
    private let factory: LyingFactory
    private let own: Generation
    private let observer: any TransportObserver
    private var heldBack: Message?
    private var count = 0

    init(_ factory: LyingFactory, _ own: Generation, _ observer: any TransportObserver) {
        self.factory = factory
        self.own = own
        self.observer = observer
    }

    private var told: Generation { factory.lie == .reportsAsCurrent ? factory.current : own }

    func open() {
        if factory.lie == .leavesTimers {
            let late = factory.executor.now().advanced(by: .seconds(10 * 86_400))
            _ = factory.executor.schedule(at: late) {}
        }
        inner?.open()
    }

    func send(_ message: Message) throws(SendError) -> Bool {
        guard let inner else { throw SendError.notOpen }
        count += 1
        switch factory.lie {
        case .swapsMessages:
            guard let first = heldBack.take() else {
                heldBack = message
                return true
            }
            _ = try inner.send(message)
            return try inner.send(first)
        case .sendsTwice: _ = try inner.send(message)
        case .swallows: if count.isMultiple(of: 5) { return true }
        case .makesUpPongs, .reportsAsCurrent, .pingsTwice, .neverDrops, .leavesTimers,
            .makesUpMessages, nil:
            break
        }
        return try inner.send(message)
    }

    func ping(_ id: PingID) {
        if factory.lie == .makesUpPongs {
            _ = factory.executor.schedule(at: factory.executor.now()) {
                self.observer.transportReceivedPong(self.own, id)
            }
            return
        }
        inner?.ping(id)
        if factory.lie == .pingsTwice { inner?.ping(PingID(id.number + 1_000_000)) }
    }

    func close(_ code: CloseCode?, reason: String) { inner?.close(code, reason: reason) }

    func abort() { if factory.lie != .neverDrops { inner?.abort() } }

    func setReading(_ isReading: Bool) { inner?.setReading(isReading) }

    func transportProgressed(_ generation: Generation, _ phase: ConnectPhase) {
        observer.transportProgressed(told, phase)
    }

    func transportOpened(_ generation: Generation, _ opened: OpenedConnection) {
        observer.transportOpened(told, opened)
    }

    func transportReceived(_ generation: Generation, _ message: Message) {
        observer.transportReceived(told, message)
        if factory.lie == .makesUpMessages {
            observer.transportReceived(told, SimulationPayload.pushed(serial: 0).message())
        }
    }

    func transportFinishedBatch(_ generation: Generation) { observer.transportFinishedBatch(told) }

    func transportReceivedPing(_ generation: Generation, payload: [UInt8]) {
        observer.transportReceivedPing(told, payload: payload)
    }

    func transportReceivedPong(_ generation: Generation, _ id: PingID) {
        observer.transportReceivedPong(told, id)
    }

    func transportBecameWritable(_ generation: Generation) {
        observer.transportBecameWritable(told)
    }

    func transportClosed(_ generation: Generation, _ cause: CloseCause) {
        observer.transportClosed(told, cause)
    }
}

/// A monitor that takes every path for lost.
private final class DeafMonitor: PathMonitor {
    let inner: any PathMonitor

    init(inner: any PathMonitor) {
        self.inner = inner
    }

    func subscribe(
        in executor: any SessionExecutor, _ report: @escaping @Sendable (NetworkPath) -> Void
    ) -> PathSubscription {
        inner.subscribe(in: executor) { _ in report(.unusable) }
    }
}

/// Connects to where nobody answers.
private struct DeadNetwork: ChannelConnector {
    let inner: any ChannelConnector

    var executor: any SessionExecutor { inner.executor }

    func connect(to url: WebSocketURL, handler: any ByteChannelHandler) -> any ByteChannel {
        let channel = inner.connect(to: url, handler: handler)
        channel.handler = nil
        return channel
    }
}
