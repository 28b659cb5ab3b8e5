import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("Letting go of the client")
struct ClientReleaseTests {
    private let world = World()

    /// The phases in which the last reference can go.
    enum Phase: String, CaseIterable, Sendable {
        case idle, provider, tcp, handshake, open, waiting, stopped, closing

        var target: String {
            switch self {
            case .handshake: "/?delay=3600000"
            case .waiting: "/?refuse=503"
            case .closing: "/?freeze@0"
            case .idle, .provider, .tcp, .open, .stopped: "/"
            }
        }
    }

    @Test(
        "K09-07, R5: when the last reference goes, in any phase, the client is freed and nothing is left",
        arguments: Phase.allCases)
    func lastReference(_ phase: Phase) throws {
        let world = World()
        var client: WebSocketClient? = try world.client(
            phase.target, port: phase == .tcp ? World.blackHolePort : World.port
        ) {
            guard phase == .provider else { return }
            $0.request = { _ in
                try await world.sleep(.seconds(60))
                return try world.request()
            }
        }
        weak let observed = client
        weak let core = client?.core
        try drive(client, to: phase, in: world)
        let states = try #require(client?.states)
        client = nil
        world.executor.runUntilIdle()
        #expect(observed == nil)
        if phase == .open { #expect(world.endpointKinds.contains(.closeReceived(1_001))) }
        let last = try world.run(limit: .seconds(20)) {
            var last: SessionState?
            for await state in states { last = state }
            return last
        }
        #expect(last != nil)
        world.executor.advance(by: .seconds(6))
        world.executor.perform { world.endpoint.dropAll() }
        world.executor.runUntilIdle()
        #expect(world.executor.pendingTimers == 0)
        #expect(world.transports.living == 0)
        if phase != .idle { #expect(world.states.last == .stopped) }
        #expect(core != nil, "the sequence of states holds it")
        world.checkJournal()
    }

    private func drive(_ client: WebSocketClient?, to phase: Phase, in world: World) throws {
        guard let client else { return }
        try world.run {
            switch phase {
            case .idle: return
            case .provider, .tcp, .handshake, .waiting:
                await client.connect()
                try await world.sleep(.milliseconds(1))
            case .open:
                await client.connect()
                try await client.waitUntilOpen()
            case .stopped:
                await client.connect()
                try await client.waitUntilOpen()
                await client.disconnect()
            case .closing:
                await client.connect()
                try await client.waitUntilOpen()
                let closing = Task(executorPreference: world.executor) { await client.disconnect() }
                try await world.sleep(.milliseconds(1))
                closing.cancel()
                await closing.value
            }
        }
        world.executor.runUntilIdle()
    }

    @Test(
        "K09-06: a thousand connections that end in five ways leave nothing in virtual time either")
    func cycles() throws {
        let targets = ["/?close=1000", "/?drop=fin", "/?drop=rst", "/?refuse=403", "/"]
        var settings: [WebSocketClient] = []
        for target in targets { settings.append(try world.client(target) { $0.reconnect = nil }) }
        let clients = settings
        try world.run {
            for cycle in 0..<1_000 {
                let client = clients[cycle % clients.count]
                await client.connect()
                _ = try? await client.waitUntilOpen()
                await client.disconnect()
            }
        }
        world.executor.advance(by: .seconds(1))
        #expect(world.network.attempts == 1_000)
        #expect(world.transports.living == 0)
        #expect(world.endpoint.counters.living == 0)
        #expect(world.executor.pendingTimers == 0)
    }

    @Test("K09-07: a consumer alone does not keep the connection; its loop ends")
    func consumersDoNotHold() throws {
        let world = world
        var client: WebSocketClient? = try world.openClient()
        weak let core = client?.core
        let messages = try #require(client?.messages)
        let consumer = Task(executorPreference: world.executor) { for await _ in messages {} }
        world.executor.runUntilIdle()
        client = nil
        try world.run { await consumer.value }
        #expect(world.milliseconds == 0)
        world.executor.advance(by: .seconds(2))
        #expect(world.endpointKinds.contains(.closeReceived(1_001)))
        #expect(world.transports.living == 0)
        _ = core
    }
}
