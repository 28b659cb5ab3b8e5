import Foundation
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting

@testable import Heartwire

/// What lives of what a process made: clients, cores, transports and channels, by weak references that go when
/// their object has gone. Confined to the loop.
final class LeakCensus: @unchecked Sendable {
    enum Kind: String, CaseIterable {
        case client, core, transport, channel
    }

    private struct Entry {
        let kind: Kind
        weak var object: AnyObject?
    }

    private var entries: [Entry] = []
    private var known = 64

    func note(_ object: AnyObject, _ kind: Kind) {
        entries.append(Entry(kind: kind, object: object))
        // The census itself must not grow.
        guard entries.count > 2 * known else { return }
        entries.removeAll { $0.object == nil }
        known = max(64, entries.count)
    }

    func living(_ kind: Kind) -> Int { entries.count { $0.kind == kind && $0.object != nil } }

    var living: Int { entries.count { $0.object != nil } }
}

/// Counts the channels of a connector.
private struct CountedConnector: ChannelConnector {
    let base: any ChannelConnector
    let census: LeakCensus

    var executor: any SessionExecutor { base.executor }

    func connect(to url: WebSocketURL, handler: any ByteChannelHandler) -> any ByteChannel {
        let channel = base.connect(to: url, handler: handler)
        census.note(channel, .channel)
        return channel
    }
}

/// Counts the transports of a factory, and the cores that they report to.
private struct CountedFactory: TransportFactory {
    let base: any TransportFactory
    let census: LeakCensus

    var executor: any SessionExecutor { base.executor }

    func makeTransport(
        _ generation: Generation, request: ConnectionRequest, observer: any TransportObserver
    ) -> any Transport {
        let transport = base.makeTransport(generation, request: request, observer: observer)
        census.note(transport, .transport)
        census.note(observer, .core)
        return transport
    }
}

/// Clients that come and go on one loop, against an endpoint on it.
final class LeakWorld: Sendable {
    /// What one client lives through.
    enum Cycle: String, CaseIterable, Sendable {
        case closed, closedByPeer, endedByPeer, resetByPeer, refused, garbage, unreachable
        case cancelledInHandshake, cancelledWaiting, cancelledInBackoff, letGo, talked
    }

    /// What is there at one moment.
    struct Figures: Sendable, Equatable {
        var residentKiB = 0
        var descriptors = 0
        var watched = 0
        var timers = 0
        var tasks = 0
        var living = 0
    }

    let loop = EventLoop(name: "leak-check")
    let census = LeakCensus()
    /// Tasks that consume and have not ended.
    private let tasks = Locked(0)
    private let endpoint: Endpoint
    private let listener: TCPListener
    private let closedPort: UInt16
    private let paths: (any PathMonitor)?

    init() throws {
        let endpoint = Endpoint(executor: loop, random: SeededRandomSource(seed: 1))
        self.endpoint = endpoint
        listener = try TCPListener.listen(on: loop) { channel in
            endpoint.accept(channel)
            channel.start()
        }
        let closed = try TCPListener.listen(on: loop) { $0.abort(reset: true) }
        closedPort = closed.port
        closed.close()
        paths = SocketTransportFactory(loop: loop).pathMonitor
    }

    /// One client's life, from its making to its end.
    func live(_ cycle: Cycle) async throws {
        switch cycle {
        case .closed: try await end(try await open("/"))
        case .closedByPeer: try await end(try await open("/?close=1000"))
        case .endedByPeer: try await end(try await open("/?drop=fin"))
        case .resetByPeer: try await end(try await open("/?drop=rst"))
        case .refused: try await end(try await open("/?refuse=403"))
        case .garbage: try await end(try await open("/?refuse=garbage"))
        case .unreachable: try await end(try await open("/", port: closedPort))
        case .cancelledInHandshake:
            let client = try await client("/?refuse=silence")
            await client.connect()
            await client.disconnect()
        case .cancelledWaiting:
            let client = try await client("/?delay=60000")
            await client.connect()
            let waiting = Task { _ = try? await client.waitUntilOpen() }
            waiting.cancel()
            await waiting.value
        case .letGo: _ = try await open("/")
        case .cancelledInBackoff:
            let client = try await client("/?drop=rst") {
                $0.reconnect = ReconnectPolicy(
                    backoff: try Backoff(base: .milliseconds(1), jitter: .none, attempts: 2))
            }
            await client.connect()
            // A short wait may be over before it is seen; then the attempts are used up.
            loop: for await state in client.states {
                switch state {
                case .waiting, .stopped: break loop
                case .idle, .connecting, .open, .closing, .suspended: continue
                }
            }
            await client.disconnect()
        case .talked:
            let client = try await open("/")
            consume(client)
            for _ in 0..<3 { try await client.send(.text("hello")) }
            await client.disconnect()
        }
    }

    private func client(
        _ target: String, port: UInt16? = nil,
        _ configure: (inout ClientConfiguration) throws -> Void = { _ in }
    ) async throws -> WebSocketClient {
        var settings = ClientConfiguration()
        let connector = CountedConnector(base: TCPConnector(loop: loop), census: census)
        settings.transport = CountedFactory(
            base: SocketTransportFactory(connector: connector) { SystemRandomSource() },
            census: census)
        settings.pathMonitor = paths.map { .custom($0) } ?? .off
        settings.reconnect = nil
        try configure(&settings)
        let ready = settings
        let client = try WebSocketClient("ws://127.0.0.1:\(port ?? listener.port)\(target)") {
            $0 = ready
        }
        await on { self.census.note(client, .client) }
        return client
    }

    private func open(_ target: String, port: UInt16? = nil) async throws -> WebSocketClient {
        let client = try await client(target, port: port)
        await client.connect()
        _ = try? await client.waitUntilOpen()
        return client
    }

    private func end(_ client: WebSocketClient) async throws {
        consume(client)
        await client.disconnect()
    }

    /// A task that reads what comes; it ends with the client.
    private func consume(_ client: WebSocketClient) {
        tasks.withLock { $0 += 1 }
        let messages = client.messages
        Task {
            for await _ in messages {}
            self.tasks.withLock { $0 -= 1 }
        }
    }

    // MARK: Counting

    private func on<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withHandover { handover in
            loop.execute { handover.resume(returning: body()) }
        }
    }

    /// What is there once everything under way has ended, or when `patience` is over.
    func settled(within patience: Duration = .seconds(10)) async throws -> Figures {
        let deadline = ContinuousClock.now.advanced(by: patience)
        while true {
            let figures = await figures()
            let isQuiet =
                figures.living == 0 && figures.tasks == 0 && figures.timers == 0
                && figures.watched <= 1
            if isQuiet || ContinuousClock.now > deadline { return figures }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func figures() async -> Figures {
        await on {
            Figures(
                residentKiB: Self.residentKiB, descriptors: TCPWorld.descriptors,
                watched: self.loop.watchedCount, timers: self.loop.timerCount,
                tasks: self.tasks.withLock { $0 },
                living: self.census.living + self.endpoint.counters.living)
        }
    }

    /// The resident memory of this process; 0 where the system has no `/proc`.
    private static var residentKiB: Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
        else { return 0 }
        return Int(line.filter(\.isNumber)) ?? 0
    }

    func shutdown() async {
        await on { self.endpoint.dropAll() }
        listener.close()
        loop.shutdown()
    }
}
