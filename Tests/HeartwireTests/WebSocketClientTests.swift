import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire

/// The session as its user drives it: connecting, disconnecting, waiting (promise R5).
@Suite("The client: connecting and disconnecting")
struct WebSocketClientTests {
    private let world = World()

    // MARK: Making one

    @Test("A URL, a heartbeat or a header that cannot be used is refused when the client is made")
    func refused() throws {
        #expect(throws: WebSocketURLError.self) { _ = try WebSocketClient("http://h/") }
        #expect(throws: HeartbeatConfigurationError.self) {
            _ = try WebSocketClient("ws://h/") {
                $0.heartbeat = .every(.zero, timeout: .seconds(1))
            }
        }
        #expect(throws: OpeningRequestError.self) {
            _ = try WebSocketClient("ws://h/") { $0.headers = ["X y": "1"] }
        }
        #expect(throws: OpeningRequestError.self) {
            _ = try WebSocketClient("ws://h/") { $0.subprotocols = ["p\r\nX: y"] }
        }
    }

    @Test(
        "a configuration that is made ahead can be handed over on the main actor, and is checked alike"
    )
    @MainActor
    func madeAhead() async throws {
        let url = try WebSocketURL("ws://127.0.0.1:1/")
        var configuration = ClientConfiguration()
        configuration.reconnect = nil
        let client = try WebSocketClient(url, configuration: configuration)
        await client.connect()
        let stopped = await #expect(throws: SessionStopped.self) {
            try await client.waitUntilOpen()
        }
        guard case .refusedToRetry(.connectFailed) = stopped?.cause else {
            Issue.record("the policy was not taken: \(String(describing: stopped))")
            return
        }
        configuration.heartbeat = .every(.zero, timeout: .seconds(1))
        #expect(throws: HeartbeatConfigurationError.self) {
            _ = try WebSocketClient(url, configuration: configuration)
        }
    }

    @Test("a view model on the main actor writes the configuration in place")
    @MainActor
    func writtenInPlace() async throws {
        let policy: ReconnectPolicy? = nil
        for client in [
            try WebSocketClient("ws://127.0.0.1:1/") { $0.reconnect = policy },
            try WebSocketClient(try WebSocketURL("ws://127.0.0.1:1/")) {
                $0.reconnect = policy
            },
        ] {
            await client.connect()
            let stopped = await #expect(throws: SessionStopped.self) {
                try await client.waitUntilOpen()
            }
            guard case .refusedToRetry(.connectFailed) = stopped?.cause else {
                Issue.record("the policy was not taken: \(String(describing: stopped))")
                continue
            }
        }
    }

    @Test("S1: a client that was never asked to connect is idle, and says so when waited for")
    func idle() throws {
        let client = try world.client()
        #expect(try world.state(client) == .idle)
        #expect(throws: SessionStopped(cause: .disconnected(nil))) {
            try world.run { try await client.waitUntilOpen() }
        }
        #expect(world.network.attempts == 0)
    }

    @Test("K05-13: target, headers and subprotocols go out as they were set")
    func handshake() throws {
        let client = try world.client("/a%0d%0aX?delay=5") {
            $0.headers = ["X-App": "one"]
            $0.subprotocols = ["chat.v2", "chat.v1"]
        }
        let head = Box<OpeningRequestHead?>(nil)
        world.endpoint.script = .custom { _, request in
            head.value = request
            return EndpointBehaviour()
        }
        let opened = try world.run {
            await client.connect()
            return try await client.waitUntilOpen()
        }
        #expect(head.value?.target == "/a%0d%0aX?delay=5")
        #expect(head.value?.headers["x-app"] == "one")
        #expect(head.value?.subprotocols == ["chat.v2", "chat.v1"])
        #expect(opened.subprotocol == "chat.v2")
    }

    // MARK: connect()

    @Test("R5: connect() twice makes one connection, in every phase in which it joins one")
    func connectTwice() throws {
        let client = try world.client("/?delay=10")
        try world.run {
            await client.connect()
            await client.connect()
            try await self.world.sleep(.milliseconds(5))
            await client.connect()
            try await client.waitUntilOpen()
            await client.connect()
        }
        #expect(world.network.attempts == 1)
        #expect(world.states == [.connecting, .open])
        #expect(world.endpoint.counters.opened == 1)
    }

    @Test("R5, K11-07: connect() from eight tasks at once makes one connection")
    func connectFromEightTasks() throws {
        let client = try world.client()
        let generations = try world.run {
            try await withThrowingTaskGroup(of: SessionState.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        await client.connect()
                        try await client.waitUntilOpen()
                        return await client.state
                    }
                }
                var states: Set<SessionState> = []
                for try await state in group { states.insert(state) }
                return states
            }
        }
        #expect(generations == [.open(Generation(1))])
        #expect(world.network.attempts == 1)
    }

    @Test("R5: connect() while closing connects again once the close is through")
    func connectWhileClosing() throws {
        let client = try world.openClient()
        let world = world
        try world.run {
            async let closed: Void = client.disconnect()
            await Task.yield()
            #expect(await client.state == .closing(Generation(1)))
            await client.connect()
            await closed
            try await client.waitUntilOpen()
        }
        #expect(world.states == [.connecting, .open, .closing, .connecting, .open])
        #expect(world.causes == [.closedByApp])
        #expect(world.network.attempts == 2)
    }

    @Test("R5, K11-07: connect() and then disconnect() while closing stops")
    func connectTakenBack() throws {
        let client = try world.openClient("/?freeze@0")
        let world = world
        try world.run {
            async let closed: Void = client.disconnect()
            await Task.yield()
            await client.connect()
            await client.disconnect()
            await closed
        }
        #expect(world.milliseconds == 5_000)
        #expect(world.states == [.connecting, .open, .closing, .stopped])
        try world.checkNothingLeft(client)
    }

    @Test("K03-05: connect() after exhausted attempts starts a new row and opens")
    func afterExhaustion() throws {
        let client = try world.client(port: World.closedPort) {
            $0.reconnect = ReconnectPolicy(backoff: try Backoff(jitter: .none, attempts: 2))
        }
        let world = world
        let cause = try world.run { await Self.stopCause(client) }
        guard case .attemptsExhausted(let last)? = cause else {
            Issue.record("stopped with \(String(describing: cause))")
            return
        }
        #expect(last.kind == .connectFailed)
        #expect(world.network.attempts == 3)
        #expect(world.milliseconds == 3_000)
        world.network.listen(port: World.closedPort) { world.endpoint.accept($0) }
        let opened = try world.run {
            await client.connect()
            #expect(await client.state == .connecting(Generation(4), attempt: 0))
            try await client.waitUntilOpen()
            return await client.state
        }
        #expect(opened == .open(Generation(4)))
        world.checkJournal()
    }

    @Test("R5: connect() during a back-off wait tries at once")
    func connectWhileWaiting() throws {
        let client = try world.client("/?refuse=503")
        let world = world
        try world.run {
            await client.connect()
            try await world.sleep(.milliseconds(500))
            world.endpoint.script = .always(EndpointBehaviour())
            await client.connect()
            try await client.waitUntilOpen()
        }
        #expect(world.milliseconds == 500)
        #expect(world.network.attempts == 2)
    }

    // MARK: Waiting

    @Test(
        "S1: what the handshake settled can be asked for without waiting, while the connection is open"
    )
    func asked() throws {
        let client = try world.client("/?close=1012@50")
        try world.run {
            #expect(await client.openedConnection == nil)
            await client.connect()
            #expect(await client.openedConnection == nil)
            try await client.waitUntilOpen()
            #expect(await client.openedConnection == OpenedConnection())
            try await self.world.sleep(.milliseconds(60))
            #expect(await client.openedConnection == nil)
            #expect(self.world.milliseconds == 60, "the next connection is not waited for")
            await client.disconnect()
        }
    }

    @Test("S1: waitUntilOpen() throws the cause when the session stops instead")
    func stopsInstead() throws {
        let client = try world.client("/?refuse=403")
        let error = try world.run {
            await client.connect()
            do {
                try await client.waitUntilOpen()
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(error.contains("403"))
    }

    @Test("K11-04: a cancelled waitUntilOpen() throws at once")
    func cancelledWait() throws {
        let client = try world.client("/?refuse=silence")
        let world = world
        try world.run {
            await client.connect()
            let waiting = Task(executorPreference: world.executor) {
                try await client.waitUntilOpen()
            }
            try await world.sleep(.milliseconds(10))
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            #expect(world.milliseconds == 10)
            await client.disconnect()
        }
        try world.checkNothingLeft(client)
    }

    @Test(
        "K11-02, K11-08: a wait that is cancelled in any step of an attempt throws once, at once",
        arguments: [
            ("/", World.blackHolePort), ("/", World.closedPort), ("/?refuse=silence", World.port),
            ("/?refuse=503", World.port), ("/?delay=50", World.port),
            ("/?refuse=reset", World.port),
        ])
    func cancelledAnywhere(_ target: String, _ port: UInt16) throws {
        let world = World(latency: .milliseconds(3))
        let client = try world.client(target, port: port)
        try world.run {
            for moment in stride(from: 0, through: 30, by: 3) {
                await client.connect()
                let begin = world.milliseconds
                let waiting = Task(executorPreference: world.executor) {
                    try await client.waitUntilOpen()
                }
                try await world.sleep(.milliseconds(moment))
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
                #expect(world.milliseconds == begin + Int64(moment))
                await client.disconnect()
                guard case .stopped = await client.state else {
                    Issue.record("not stopped")
                    return
                }
            }
        }
        try world.checkNothingLeft(client)
    }

    @Test(
        "K11-01: a pong and a disconnect in the same instant, either way round, end the session once"
    )
    func pongAndDisconnect() throws {
        for early in [true, false] {
            let world = World(latency: .milliseconds(5))
            let client = try world.openClient {
                $0.heartbeat = .every(.seconds(100), timeout: .seconds(1))
            }
            try world.run {
                // The pong is there after 10 ms; the sleep is scheduled ahead of it or behind it.
                if early {
                    async let slept: Void = world.sleep(.milliseconds(10))
                    await Task.yield()
                    await client.checkConnection()
                    try await slept
                } else {
                    await client.checkConnection()
                    try await world.sleep(.milliseconds(10))
                }
                await client.disconnect()
            }
            #expect(world.causes == [.closedByApp])
            #expect(world.endpoint.counters.pings == 1)
            try world.checkNothingLeft(client)
        }
    }

    static func stopCause(_ client: WebSocketClient) async -> StopCause? {
        await client.connect()
        for await state in client.states {
            if case .stopped(let cause) = state { return cause }
        }
        return nil
    }
}
