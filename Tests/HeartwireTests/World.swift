import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire

/// A client, an endpoint and the network between them in virtual time, with everything written down.
///
/// `@unchecked Sendable`: everything in it is confined to the virtual domain, which is the test's own thread.
final class World: @unchecked Sendable {
    static let port: UInt16 = 9_001
    static let closedPort: UInt16 = 9_002
    static let blackHolePort: UInt16 = 9_003

    let executor = VirtualExecutor()
    let network: VirtualNetwork
    let endpoint: Endpoint
    let transports: SpyFactory
    private let book = Book()

    /// The server's end of the newest connection.
    var serverChannel: VirtualChannel? { book.channel }
    /// What the client wrote into its journal.
    var journal: [JournalEvent] { book.journal }
    /// What the endpoint wrote into its own.
    var endpointKinds: [EndpointEvent.Kind] { book.endpoint.map(\.kind) }
    var endpointEvents: [EndpointEvent] { book.endpoint }

    init(_ script: EndpointScript = .byQuery, latency: Duration = .zero, limits: Limits = Limits())
    {
        let book = book
        let endpoint = Endpoint(
            executor: executor, random: SeededRandomSource(seed: 1), behaviour: script,
            limits: limits, journal: { book.endpoint.append($0) })
        self.endpoint = endpoint
        network = VirtualNetwork(executor: executor, latency: latency)
        network.listen(port: Self.port) {
            book.channel = $0
            endpoint.accept($0)
        }
        network.blackHole(port: Self.blackHolePort)
        transports = SpyFactory(
            SocketTransportFactory(
                connector: network, random: { SeededRandomSource(seed: 2) }))
    }

    /// Virtual milliseconds since the beginning.
    var milliseconds: Int64 { executor.now().nanoseconds / 1_000_000 }

    func url(_ target: String = "/", port: UInt16 = World.port) throws -> WebSocketURL {
        try WebSocketURL("ws://endpoint.test:\(port)\(target)")
    }

    func request(_ target: String = "/") throws -> ConnectionRequest {
        try ConnectionRequest(url: url(target))
    }

    /// A client without heartbeat whose back-off is exactly 1, 2, 4 … seconds.
    func client(
        _ target: String = "/", port: UInt16 = World.port,
        configure: (inout ClientConfiguration) throws -> Void = { _ in }
    ) throws -> WebSocketClient {
        var settings = ClientConfiguration()
        settings.transport = transports
        settings.seed = 4
        settings.heartbeat = nil
        settings.reconnect = ReconnectPolicy(backoff: try Backoff(jitter: .none, attempts: 10))
        let book = book
        settings.journal = { event in book.journal.append(event) }
        // Repeated bytes shrink to nothing, and these tests count what is under way.
        settings.compression = .off
        try configure(&settings)
        let ready = settings
        return try WebSocketClient(url(target, port: port)) { $0 = ready }
    }

    /// A client that is open.
    func openClient(
        _ target: String = "/", configure: (inout ClientConfiguration) throws -> Void = { _ in }
    ) throws -> WebSocketClient {
        let client = try client(target, configure: configure)
        try run {
            await client.connect()
            try await client.waitUntilOpen()
        }
        return client
    }

    /// Runs a script in the domain.
    @discardableResult
    func run<Success: Sendable>(
        limit: Duration = .seconds(86_400), _ script: @escaping @Sendable () async throws -> Success
    ) throws -> Success {
        try executor.runScript(limit: limit, script)
    }

    /// Starts a task in the domain that goes on beside scripts.
    @discardableResult
    func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        let task = Task(executorPreference: executor) { await work() }
        executor.runUntilIdle()
        return task
    }

    /// Sleeps in virtual time.
    func sleep(_ duration: Duration) async throws {
        try await VirtualClock(executor).sleep(for: duration)
    }

    /// Sleeps in virtual time and hears of no cancellation.
    func sleepDeaf(_ duration: Duration) async {
        await withUnsafeContinuation { continuation in
            _ = executor.schedule(at: executor.now().advanced(by: duration)) {
                continuation.resume()
            }
        }
    }

    /// The endpoint's connection that is the newest of those that live.
    var connection: EndpointConnection? { executor.perform { endpoint.connections.last } }

    /// Does something to the endpoint's newest connection and lets happen what happens at once.
    func atEndpoint(_ body: (EndpointConnection) throws -> Void) throws {
        let connection = try #require(connection)
        try executor.perform { try body(connection) }
        executor.runUntilIdle()
    }

    /// The state of a client at this moment.
    func state(_ client: WebSocketClient) throws -> SessionState {
        try run { await client.state }
    }

    /// The states that were published, in order, as the journal has them.
    var states: [JournalEvent.State] {
        journal.filter { $0.kind == .stateChanged }.map(\.newState)
    }

    /// The causes of the connections that ended, in order.
    var causes: [CloseCause.Kind?] { journal.filter { $0.kind == .closed }.map(\.cause) }

    private final class Book: @unchecked Sendable {
        var journal: [JournalEvent] = []
        var endpoint: [EndpointEvent] = []
        var channel: VirtualChannel?
    }
}

extension World {
    /// What must hold for every run that ended in `stopped`: nothing is left anywhere, and the journal
    /// tells of a lawful life (R5, G4).
    func checkNothingLeft(
        _ client: WebSocketClient, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let state = try state(client)
        guard case .stopped = state else {
            Issue.record("still \(state)", sourceLocation: sourceLocation)
            return
        }
        let known = journal.count
        // What a transport still owes to its closing handshake takes a second at the most.
        executor.advance(by: .seconds(1))
        executor.perform { endpoint.dropAll() }
        executor.advance(by: .seconds(1))
        #expect(executor.pendingTimers == 0, sourceLocation: sourceLocation)
        #expect(transports.living == 0, sourceLocation: sourceLocation)
        let attempts = network.attempts
        executor.advance(by: .seconds(3_600))
        #expect(network.attempts == attempts, sourceLocation: sourceLocation)
        #expect(journal.count == known, "events after the end", sourceLocation: sourceLocation)
        checkJournal(sourceLocation: sourceLocation)
    }

    /// Each state follows lawfully from the one before it, and each connection ends once.
    func checkJournal(sourceLocation: SourceLocation = #_sourceLocation) {
        var present = JournalEvent.State.idle
        for event in journal where event.kind == .stateChanged {
            #expect(event.oldState == present, sourceLocation: sourceLocation)
            #expect(
                Self.successors(of: present).contains(event.newState),
                "\(present) to \(event.newState)", sourceLocation: sourceLocation)
            present = event.newState
        }
        let asked = journal.filter { $0.kind == .requestAsked }.map(\.generation)
        let ended = journal.filter { $0.kind == .closed }.map(\.generation)
        #expect(Set(asked).count == asked.count, sourceLocation: sourceLocation)
        #expect(asked == asked.sorted(), sourceLocation: sourceLocation)
        #expect(Set(ended).count == ended.count, sourceLocation: sourceLocation)
        if present == .stopped { #expect(asked == ended, sourceLocation: sourceLocation) }
    }

    private static func successors(of state: JournalEvent.State) -> [JournalEvent.State] {
        switch state {
        case .idle: [.connecting, .suspended, .stopped]
        case .connecting: [.open, .waiting, .suspended, .stopped]
        case .open: [.closing, .waiting, .suspended, .stopped]
        case .closing: [.connecting, .suspended, .stopped]
        case .waiting: [.connecting, .suspended, .stopped]
        case .suspended: [.connecting, .waiting, .stopped]
        case .stopped: [.connecting, .suspended]
        }
    }
}

/// A place for what a script sees. Confined like ``World``.
final class Box<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}
