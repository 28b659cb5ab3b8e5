import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("The core: what the app asks for")
struct ClientCoreTests {
    private let world = World()

    // MARK: Sending

    @Test("D1: send throws notOpen in every phase but open, and never opens a connection")
    func sendWhenNotOpen() throws {
        let world = world
        let client = try world.client("/?delay=100")
        try world.run {
            await #expect(throws: SendError.notOpen) { try await client.send(.text("idle")) }
            await client.connect()
            await #expect(throws: SendError.notOpen) { try await client.send(.text("early")) }
            try await client.waitUntilOpen()
            try await client.send(.text("x"))
            async let closed: Void = client.disconnect()
            await Task.yield()
            #expect(await client.state == .closing(Generation(1)))
            await #expect(throws: SendError.notOpen) { try await client.send(.text("late")) }
            await closed
            await #expect(throws: SendError.notOpen) { try await client.send(.text("after")) }
        }
        #expect(world.endpoint.counters.messages == 1)
        #expect(world.network.attempts == 1)
    }

    @Test("T1: a transport is let go of in a later job than the one in which it ends")
    func letGoOfLater() throws {
        let abrupt = AbruptWorld()
        let client = try WebSocketClient("ws://test/") {
            $0.transport = abrupt
            $0.reconnect = nil
            $0.heartbeat = nil
        }
        let state = try abrupt.virtual.runScript(patience: .seconds(5)) {
            await client.connect()
            try await client.waitUntilOpen()
            try await client.send(.text("x"))
            for await state in client.states {
                if case .stopped = state { return state }
            }
            return await client.state
        }
        let cause = CloseCause.connectionLost(ConnectionFailure(.reset))
        #expect(state == .stopped(.refusedToRetry(cause)))
        #expect(abrupt.wasThereBehindItsEnd == true)
        #expect(abrupt.transport == nil, "and gone afterwards")
    }

    @Test("K03-11: sends and checks during the back-off open no connection of their own")
    func noExtraConnections() throws {
        let world = world
        let client = try world.client(port: World.closedPort) {
            $0.reconnect = ReconnectPolicy(
                backoff: try Backoff(cap: .seconds(30), jitter: .none, attempts: nil))
        }
        try world.run {
            await client.connect()
            for second in 0..<120 {
                for _ in 0..<20 {
                    try await world.sleep(.milliseconds(50))
                    _ = try? await client.send(.text("x"))
                }
                if second > 60 { await client.checkConnection() }
            }
            await client.disconnect()
        }
        // 0, 1, 3, 7, 15, 31, 61, 91 s, and checks that are at least 30 s apart.
        #expect(world.network.attempts <= 11)
        try world.checkNothingLeft(client)
    }

    @Test("D1, T4: send suspends at the high-water mark and goes on when the server reads again")
    func sendSuspends() throws {
        let world = world
        let client = try world.openClient("/?echo=off")
        let channel = try #require(world.serverChannel)
        world.executor.perform { channel.setReading(false) }
        let sent = Box(0)
        let sender = world.start {
            for _ in 0..<60 {
                do { try await client.send(.binary([UInt8](repeating: 1, count: 64 << 10))) } catch
                {
                    return
                }
                sent.value += 1
            }
        }
        // 256 KiB are under way in the channel, 1 MiB waits, and the call that went over it is suspended.
        #expect((18...21).contains(sent.value))
        let before = sent.value
        world.executor.advance(by: .seconds(100))
        #expect(sent.value == before)
        world.executor.perform { channel.setReading(true) }
        try world.run { await sender.value }
        #expect(sent.value == 60)
        world.executor.runUntilIdle()
        #expect(world.endpoint.counters.messages == 60)
    }

    @Test("D1, K09-04: senders that wait when the connection dies are all told that it ended")
    func sendersAreTold() throws {
        let world = world
        let client = try world.openClient("/?freeze@0") { $0.reconnect = nil }
        let errors = Box<[SendError]>([])
        let senders = (0..<3).map { _ in
            world.start {
                do throws(SendError) {
                    while true {
                        try await client.send(.binary([UInt8](repeating: 1, count: 1 << 19)))
                    }
                } catch { errors.value.append(error) }
            }
        }
        #expect(errors.value.isEmpty)
        try world.run {
            await client.disconnect()
            for sender in senders { await sender.value }
        }
        #expect(world.milliseconds == 5_000)
        #expect(errors.value == [.connectionEnded, .connectionEnded, .connectionEnded])
        try world.checkNothingLeft(client)
    }

    @Test(
        "K09-07: a send that waits for room gives up when its task is cancelled, the others go on")
    func cancelledSend() throws {
        let world = world
        let client = try world.openClient("/?freeze@0")
        let errors = Box<[SendError]>([])
        func start() -> Task<Void, Never> {
            world.start {
                do throws(SendError) {
                    while true {
                        try await client.send(.binary([UInt8](repeating: 1, count: 1 << 19)))
                    }
                } catch { errors.value.append(error) }
            }
        }
        let first = start()
        let second = start()
        first.cancel()
        try world.run { await first.value }
        #expect(errors.value == [.cancelled])
        // A task that is cancelled already does not wait either.
        let third = Task(executorPreference: world.executor) {
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: SendError.cancelled) { try await client.send(.text("x")) }
        }
        try world.run { await third.value }
        try world.atEndpoint { $0.drop(.rst) }
        try world.run { await second.value }
        #expect(errors.value == [.cancelled, .connectionEnded])
    }

    @Test(
        "K02-03: a peer that stops reading is left at interval plus timeout, blocked writes or not")
    func blockedWriter() throws {
        let world = world
        let client = try world.openClient("/?freeze@0") {
            $0.heartbeat = .every(.seconds(2), timeout: .seconds(2))
            $0.reconnect = nil
        }
        let outcome = try world.run {
            do throws(SendError) {
                while true { try await client.send(.binary([UInt8](repeating: 1, count: 1 << 19))) }
            } catch { return "\(error) at \(world.milliseconds)" }
        }
        #expect(outcome == "\(SendError.connectionEnded) at 4000")
        #expect(world.causes == [.heartbeatTimeout])
        try world.checkNothingLeft(client)
    }

    // MARK: The heartbeat

    @Test("K02-12: a heartbeat that was switched off and on again beats, with one timer")
    func heartbeatOffAndOn() throws {
        let world = world
        let client = try world.openClient {
            $0.heartbeat = .every(.seconds(1), timeout: .seconds(1))
        }
        func pings(after duration: Duration) -> Int {
            let before = world.endpoint.counters.pings
            world.executor.advance(by: duration)
            return world.endpoint.counters.pings - before
        }
        #expect(pings(after: .milliseconds(1_500)) == 1)
        try world.run { try await client.setHeartbeat(nil) }
        #expect(pings(after: .seconds(3)) == 0)
        try world.run { try await client.setHeartbeat(.every(.seconds(1), timeout: .seconds(1))) }
        #expect(pings(after: .milliseconds(3_500)) == 3)
        #expect(world.journal.count { $0.kind == .heartbeatChanged } == 2)
        let timers = world.executor.pendingTimers
        try world.run { try await client.setHeartbeat(nil) }
        #expect(world.executor.pendingTimers == timers - 1)
    }

    @Test("H14: a heartbeat that cannot be kept is refused, and the old one stays")
    func badHeartbeat() throws {
        let world = world
        let client = try world.openClient {
            $0.heartbeat = .every(.seconds(1), timeout: .seconds(1))
        }
        try world.run {
            await #expect(throws: HeartbeatConfigurationError.self) {
                try await client.setHeartbeat(.every(.seconds(1), timeout: .zero))
            }
            try await world.sleep(.milliseconds(1_500))
        }
        #expect(world.endpoint.counters.pings == 1)
        #expect(!world.journal.contains { $0.kind == .heartbeatChanged })
    }

    @Test("H15: a heartbeat that is set before connect() holds for the connection")
    func heartbeatBefore() throws {
        let world = world
        let client = try world.client("/?pong=off") { $0.reconnect = nil }
        try world.run {
            try await client.setHeartbeat(
                .every(.milliseconds(100), timeout: .milliseconds(1_000)))
            _ = await WebSocketClientTests.stopCause(client)
        }
        #expect(world.milliseconds == 1_100)
        #expect(world.causes == [.heartbeatTimeout])
    }

    @Test(
        "K02-10, L2: a check on a dead link ends it within the timeout and replaces it once, at once"
    )
    func deadLink() throws {
        let world = world
        let client = try world.openClient {
            $0.heartbeat = .every(.seconds(3_600), timeout: .seconds(10))
        }
        world.executor.perform { world.serverChannel?.freeze() }
        world.executor.advance(by: .seconds(600))
        #expect(world.states == [.connecting, .open])
        try world.run {
            await client.checkConnection()
            try await world.sleep(.milliseconds(10_001))
        }
        #expect(world.causes == [.heartbeatTimeout])
        #expect(world.states.suffix(3) == [.waiting, .connecting, .open])
        #expect(world.network.attempts == 2)
        #expect(world.journal.contains { $0.kind == .checkRequested })
        world.executor.advance(by: .seconds(60))
        #expect(world.network.attempts == 2)
    }

    @Test("L2: a check on a healthy connection pings once and changes nothing")
    func healthyCheck() throws {
        let world = world
        let client = try world.openClient {
            $0.heartbeat = .every(.seconds(3_600), timeout: .seconds(10))
        }
        try world.run {
            await client.checkConnection()
            try await world.sleep(.seconds(60))
        }
        #expect(world.endpoint.counters.pings == 1)
        #expect(world.states == [.connecting, .open])
    }

    @Test(
        "R6: a check during the wait cuts it short, but not twice in a row, and not in other phases"
    )
    func checkWhileWaiting() throws {
        let world = world
        let client = try world.client(port: World.closedPort) {
            $0.reconnect = ReconnectPolicy(
                backoff: try Backoff(base: .seconds(100), jitter: .none, attempts: 5))
        }
        try world.run {
            await client.checkConnection()
            await client.connect()
            try await world.sleep(.seconds(1))
            await client.checkConnection()
            try await world.sleep(.seconds(1))
            #expect(world.network.attempts == 2)
            await client.checkConnection()
            try await world.sleep(.seconds(1))
            #expect(world.network.attempts == 2)
            await client.disconnect()
            await client.checkConnection()
        }
        try world.checkNothingLeft(client)
    }

    // MARK: The timer

    @Test("K05-08: only an attempt ends for what its server has said, never an open connection")
    func pendingWhileOpen() throws {
        let world = DeliveryWorld()
        let (client, _) = try world.openClient {
            $0.heartbeat = .every(.seconds(1), timeout: .seconds(1))
        }
        world.line?.pendingCause = .connectFailed(ConnectionFailure(.reset))
        world.virtual.advance(by: .seconds(5))
        #expect(world.line?.pings.count == 5)
        #expect(world.lines.count == 1)
        _ = client
    }

    @Test("K05-08, G1: a timer that was set in an older attempt takes nothing from the present one")
    func timerOfAnOlderAttempt() throws {
        let world = DeliveryWorld()
        world.opens = false
        let core = Box<ClientCore?>(nil)
        let causes = Box<[CloseCause.Kind?]>([])
        let client = try world.client(nil) {
            $0.connectTimeout = .seconds(10)
            $0.reconnect = nil
            $0.journal = { event in
                if event.kind == .closed { causes.value.append(event.cause) }
                guard event.kind == .progressed else { return }
                // The deadline stays the same, and so does its timer.
                core.value?.disconnect(code: nil, reason: "")
                core.value?.connect()
            }
        }
        core.value = client.core
        try world.run { _ in await client.connect() }
        world.atLine { $0.observer?.transportProgressed($0.generation, .tcp) }
        #expect(world.lines.count == 2)
        world.line?.pendingCause = .connectFailed(ConnectionFailure(.reset))
        world.virtual.advance(by: .seconds(10))
        #expect(causes.value == [.closedByApp, .connectFailed])
        core.value = nil
    }
}

/// Makes a transport that ends when something has been sent, and that nobody else holds then.
private final class AbruptWorld: TransportFactory, @unchecked Sendable {
    let virtual = VirtualExecutor()
    var executor: any SessionExecutor { virtual }
    private weak var made: Abrupt?
    private(set) var wasThereBehindItsEnd: Bool?

    var transport: (any Transport)? { made }

    func makeTransport(
        _ generation: Generation, request: ConnectionRequest, observer: any TransportObserver
    ) -> any Transport {
        let made = Abrupt(self, generation, observer)
        self.made = made
        return made
    }

    func end(_ observer: any TransportObserver, _ generation: Generation) {
        observer.transportClosed(generation, .connectionLost(ConnectionFailure(.reset)))
        wasThereBehindItsEnd = made != nil
    }
}

private final class Abrupt: Transport {
    private let world: AbruptWorld
    private let generation: Generation
    private let observer: any TransportObserver

    init(_ world: AbruptWorld, _ generation: Generation, _ observer: any TransportObserver) {
        self.world = world
        self.generation = generation
        self.observer = observer
    }

    /// Does something in a job that does not hold this transport.
    private func later(
        _ act: @escaping (AbruptWorld, any TransportObserver, Generation) -> Void
    ) {
        _ = world.virtual.schedule(at: world.virtual.now()) { [world, observer, generation] in
            act(world, observer, generation)
        }
    }

    func open() {
        later { $1.transportOpened($2, OpenedConnection()) }
    }

    func send(_ message: Message) -> Bool {
        later { $0.end($1, $2) }
        return true
    }

    func ping(_ id: PingID) {}
    func close(_ code: CloseCode?, reason: String) {}
    func abort() {}
    func setReading(_ isReading: Bool) {}
}
