import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting

/// A client in virtual time whose transports are under the test's command.
///
/// `@unchecked Sendable`: everything happens in the virtual domain.
final class DeliveryWorld: TransportFactory, @unchecked Sendable {
    /// A message as it went out.
    struct Sent: Equatable {
        let generation: Generation
        let message: Message

        init(_ generation: Generation, _ message: Message) {
            self.generation = generation
            self.message = message
        }
    }

    let virtual = VirtualExecutor()
    var executor: any SessionExecutor { virtual }
    fileprivate(set) var lines: [Line] = []
    fileprivate(set) var sent: [Sent] = []
    /// Whether the next transports open, and pings are answered.
    var opens = true
    var answersPings = true
    /// How many messages a transport takes before it is full.
    var room = Int.max

    var line: Line? { lines.last }
    var texts: [String] { sent.map { if case .text(let text) = $0.message { text } else { "?" } } }

    func makeTransport(
        _ generation: Generation, request: ConnectionRequest, observer: any TransportObserver
    ) -> any Transport {
        let line = Line(self, generation, observer)
        lines.append(line)
        return line
    }

    func client(
        _ outbox: OutboxConfiguration? = .memory,
        _ configure: @Sendable (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> WebSocketClient {
        try WebSocketClient("ws://test/") { configuration in
            configuration.transport = self
            configuration.seed = 1
            configuration.outbox = outbox
            configuration.heartbeat = nil
            configure(&configuration)
        }
    }

    /// Waits in virtual time.
    func pause(_ milliseconds: Int = 1) async {
        await withCheckedContinuation { continuation in
            let deadline = virtual.now().advanced(by: .milliseconds(milliseconds))
            _ = virtual.schedule(at: deadline) { continuation.resume() }
        }
    }

    func run<Success: Sendable>(
        _ script: @escaping @Sendable (DeliveryWorld) async throws -> Success
    ) throws -> Success {
        try virtual.runScript(patience: .seconds(5)) { try await script(self) }
    }
}

/// A transport that does what the test says.
final class Line: Transport {
    unowned let world: DeliveryWorld
    let generation: Generation
    private(set) var observer: (any TransportObserver)?
    private(set) var pings: [PingID] = []
    /// How many messages this transport had taken when each ping went out.
    private(set) var pingPlaces: [Int] = []
    private(set) var closes: [CloseCode?] = []
    private(set) var readings: [Bool] = []
    private var taken = 0
    /// What it would have ended for, if its time were up.
    var pendingCause: CloseCause?
    /// What the next send throws.
    var fault: SendError?

    init(_ world: DeliveryWorld, _ generation: Generation, _ observer: any TransportObserver) {
        self.world = world
        self.generation = generation
        self.observer = observer
    }

    func open() {
        guard world.opens else { return }
        later { $0.transportOpened($1, OpenedConnection()) }
    }

    func send(_ message: Message) throws(SendError) -> Bool {
        if let fault {
            self.fault = nil
            throw fault
        }
        world.sent.append(DeliveryWorld.Sent(generation, message))
        taken += 1
        return taken < world.room
    }

    func ping(_ id: PingID) {
        pings.append(id)
        pingPlaces.append(world.sent.count { $0.generation == generation })
        if world.answersPings { pong(id) }
    }

    func pong(_ id: PingID) {
        later { $0.transportReceivedPong($1, id) }
    }

    func close(_ code: CloseCode?, reason: String) {
        closes.append(code)
        later { $0.transportClosed($1, .closedByPeer(PeerClose(code: code))) }
    }

    func abort() {
        observer = nil
        pendingCause = nil
    }

    func setReading(_ isReading: Bool) { readings.append(isReading) }

    /// The connection is lost.
    func lose() {
        later { $0.transportClosed($1, .connectionLost(ConnectionFailure(.reset))) }
    }

    /// There is room again.
    func drain() {
        taken = 0
        later { $0.transportBecameWritable($1) }
    }

    func receive(_ text: String) {
        later {
            $0.transportReceived($1, .text(text))
            $0.transportFinishedBatch($1)
        }
    }

    private func later(_ report: @escaping (any TransportObserver, Generation) -> Void) {
        _ = world.virtual.schedule(at: world.virtual.now()) {
            guard let observer = self.observer else { return }
            report(observer, self.generation)
        }
    }
}

/// A store that answers when and what the test says.
final class ScriptedStore: OutboxStore, @unchecked Sendable {
    private(set) var entries: [OutboxEntry] = []
    private(set) var removed: [DeliveryID] = []
    private(set) var reserved: [DeliveryID] = []
    private(set) var isClosed = false
    private var report: (@Sendable (OutboxStoreReport) -> Void)?
    /// The same, also when the store is closed: a report may be under way then.
    private(set) var lateReport: (@Sendable (OutboxStoreReport) -> Void)?
    var contents = OutboxContents()
    /// Whether it gives back what it keeps, and what it was asked for.
    var readsBack = false
    private(set) var reads: [ClosedRange<DeliveryID>] = []
    var openFault: OutboxStoreError?

    func open(
        _ report: @escaping @Sendable (OutboxStoreReport) -> Void
    ) throws(OutboxStoreError) -> OutboxContents {
        if let openFault { throw openFault }
        self.report = report
        lateReport = report
        return contents
    }

    func append(_ entry: OutboxEntry) -> Bool {
        entries.append(entry)
        return false
    }

    func reserve(_ id: DeliveryID) { reserved.append(id) }

    func read(_ range: ClosedRange<DeliveryID>) { reads.append(range) }

    func remove(_ ids: [DeliveryID]) { removed += ids }

    func close(_ done: @escaping @Sendable () -> Void) {
        isClosed = true
        report = nil
        done()
    }

    func answer(_ answer: OutboxStoreReport) { report?(answer) }
}

extension ScriptedStore {
    /// A store that gives back what it keeps: three messages of an earlier process, each of them `x`.
    static func holdingThree() -> ScriptedStore {
        let store = ScriptedStore()
        store.readsBack = true
        store.contents = OutboxContents(
            unread: (1...3).map { UnreadEntry(id: DeliveryID($0), byteCount: 1) },
            lastID: DeliveryID(3))
        return store
    }

    /// Gives back what was asked for, but for what is not there.
    func answerRead(_ first: UInt64, _ last: UInt64, without lost: UInt64 = 0) {
        let entries = (first...last).filter { $0 != lost }
            .map { OutboxEntry(id: DeliveryID($0), message: .text("x")) }
        answer(.read(DeliveryID(first)...DeliveryID(last), entries))
    }
}

extension OutboxConfiguration {
    /// A store in memory with these bounds.
    static func memory(
        count: Int = 10_000, _ overflow: OutboxBounds.Overflow = .rejectNew,
        age: Duration? = nil, confirmation: Confirmation = .fence
    ) -> OutboxConfiguration {
        var configuration = OutboxConfiguration.memory
        configuration.bounds.count = count
        configuration.bounds.overflow = overflow
        configuration.bounds.age = age
        configuration.confirmation = confirmation
        return configuration
    }

    /// What goes out tells the id and whether it may be a duplicate.
    func labelled() -> OutboxConfiguration {
        var configuration = self
        configuration.envelope = { entry in
            guard case .text(let text) = entry.message else { return entry.message }
            return .text("\(entry.id.number)\(entry.isPossibleDuplicate ? "?" : "!")\(text)")
        }
        return configuration
    }
}
