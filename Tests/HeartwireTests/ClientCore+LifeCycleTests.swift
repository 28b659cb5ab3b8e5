import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("The client and the network's paths")
struct ClientCoreLifeCycleTests {
    private let world = World()
    private let monitor = VirtualPathMonitor()

    private func client(port: UInt16 = World.port) throws -> WebSocketClient {
        try world.client(port: port) {
            $0.pathMonitor = .custom(monitor)
            $0.heartbeat = .every(
                .seconds(3_600), timeout: .seconds(10), probeTimeout: .seconds(2))
            $0.reconnect = ReconnectPolicy(
                backoff: try Backoff(base: .seconds(1_000), jitter: .none, attempts: 5))
        }
    }

    private func change(_ path: NetworkPath) {
        world.executor.perform { monitor.change(to: path) }
    }

    @Test(
        "L3, R5: a client listens to the network's paths while its session goes on, and no longer")
    func subscription() throws {
        let client = try client()
        #expect(monitor.subscriberCount == 0)
        try world.run {
            await client.connect()
            try await client.waitUntilOpen()
        }
        #expect(monitor.subscriberCount == 1)
        try world.run { await client.disconnect() }
        #expect(monitor.subscriberCount == 0)
        try world.run {
            await client.connect()
            try await client.waitUntilOpen()
        }
        #expect(monitor.subscriberCount == 1)
        try world.run { await client.disconnect() }
        change(.usable)
        #expect(!world.journal.contains { $0.kind == .pathChanged })
        try world.checkNothingLeft(client)
    }

    @Test("L3: a report that was under way when the session stopped goes nowhere")
    func lateReport() throws {
        let late = LateMonitor()
        let client = try world.client { $0.pathMonitor = .custom(late) }
        try world.run {
            await client.connect()
            try await client.waitUntilOpen()
            await client.disconnect()
        }
        world.executor.perform { late.report?(.usable) }
        #expect(!world.journal.contains { $0.kind == .pathChanged })
        try world.checkNothingLeft(client)
    }

    @Test("L3, R5: when the client is gone, so is its subscription, and a late report finds nobody")
    func gone() throws {
        var client: WebSocketClient? = try client()
        if let client {
            try world.run {
                await client.connect()
                try await client.waitUntilOpen()
            }
        }
        #expect(monitor.subscriberCount == 1)
        client = nil
        world.executor.advance(by: .seconds(6))
        #expect(monitor.subscriberCount == 0)
        #expect(world.transports.living == 0)
    }

    @Test(
        "L3: a change of path on a dead link has it replaced within the settling and the probe, at once"
    )
    func deadLink() throws {
        let client = try client()
        try world.run {
            await client.connect()
            try await client.waitUntilOpen()
        }
        world.executor.perform { world.serverChannel?.freeze() }
        world.executor.advance(by: .seconds(60))
        for _ in 0..<20 { change(.usable) }
        world.executor.advance(by: .milliseconds(2_499))
        #expect(world.causes.isEmpty)
        world.executor.advance(by: .milliseconds(1))
        #expect(world.causes == [.heartbeatTimeout])
        #expect(world.states.suffix(3) == [.waiting, .connecting, .open])
        #expect(world.network.attempts == 2)
        #expect(world.journal.count { $0.kind == .pathChanged } == 20)
        #expect(try world.state(client) == .open(Generation(2)))
    }

    @Test("L3: a change of path on a healthy connection costs one ping")
    func healthy() throws {
        let client = try client()
        try world.run {
            await client.connect()
            try await client.waitUntilOpen()
        }
        change(.unusable)
        change(.usable)
        world.executor.advance(by: .seconds(60))
        #expect(world.endpoint.counters.pings == 1)
        #expect(try world.state(client) == .open(Generation(1)))
    }

    @Test("R6: a regained path cuts a back-off wait short, once for a storm")
    func regained() throws {
        let client = try client(port: World.closedPort)
        try world.run {
            await client.connect()
            try await world.sleep(.seconds(1))
        }
        #expect(world.network.attempts == 1)
        for _ in 0..<50 {
            change(.unusable)
            change(.usable)
            world.executor.advance(by: .milliseconds(10))
        }
        world.executor.advance(by: .seconds(29))
        #expect(world.network.attempts == 2)
        guard case .waiting(2, _, _) = try world.state(client) else {
            Issue.record("the attempt was not counted")
            return
        }
        try world.run { await client.disconnect() }
        try world.checkNothingLeft(client)
    }

    @Test("L3: with the monitor off, or none on the transport, nobody is listened to")
    func off() throws {
        let loop = EventLoop(name: "off")
        defer { loop.shutdown() }
        var settings = ClientConfiguration()
        #expect(settings.presentPathMonitor != nil, "the system's is the default")
        settings.transport = world.transports
        #expect(settings.presentPathMonitor == nil)
        settings.transport = SocketTransportFactory(loop: loop)
        #expect(settings.presentPathMonitor != nil)
        settings.pathMonitor = .off
        #expect(settings.presentPathMonitor == nil)
        settings.pathMonitor = .custom(monitor)
        #expect(settings.presentPathMonitor === monitor)
    }

    /// Reports after its subscription was cancelled, too.
    private final class LateMonitor: PathMonitor, @unchecked Sendable {
        var report: (@Sendable (NetworkPath) -> Void)?

        func subscribe(
            in executor: any SessionExecutor, _ report: @escaping @Sendable (NetworkPath) -> Void
        ) -> PathSubscription {
            self.report = report
            return PathSubscription {}
        }
    }
}
