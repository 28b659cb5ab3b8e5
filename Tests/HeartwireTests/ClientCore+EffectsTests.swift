import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("The core: what the machine wants done")
struct ClientCoreEffectsTests {
    private let world = World()

    // MARK: Requests

    @Test("R4: the provider is asked anew for every attempt, and told its generation and number")
    func askedAnew() throws {
        let world = world
        let attempts = Box<[ConnectionAttempt]>([])
        let targets = Box<[String]>([])
        world.endpoint.script = .custom { number, head in
            targets.value.append(head.target)
            var behaviour = EndpointBehaviour()
            if number < 3 { behaviour.refusal = .status(503, retryAfterSeconds: nil) }
            return behaviour
        }
        let client = try world.client {
            $0.request = { attempt in
                attempts.value.append(attempt)
                await Task.yield()
                return try world.request("/?token=\(attempts.value.count)")
            }
        }
        try world.run {
            await client.connect()
            try await client.waitUntilOpen()
            await client.disconnect()
            await client.connect()
            try await client.waitUntilOpen()
        }
        #expect(attempts.value.map(\.number) == [0, 1, 2, 0])
        #expect(attempts.value.map(\.generation.number) == [1, 2, 3, 4])
        #expect(targets.value == (1...4).map { "/?token=\($0)" })
        #expect(try attempts.value.allSatisfy { $0.url == (try world.url()) })
    }

    @Test("R4: a provider that answers for an attempt that is over is ignored")
    func lateProvider() throws {
        let world = world
        let client = try world.client {
            $0.connectTimeout = .seconds(1)
            $0.request = { attempt in
                // Deaf to cancellation, as a provider may be.
                if attempt.number == 0 {
                    await world.sleepDeaf(.seconds(3))
                }
                return try world.request("/?hello=1x\(attempt.number + 1)")
            }
        }
        let states = try world.run {
            await client.connect()
            try await client.waitUntilOpen()
            #expect(world.milliseconds == 2_000)
            try await world.sleep(.seconds(5))
            return await client.state
        }
        #expect(states == .open(Generation(2)))
        #expect(world.causes == [.connectTimeout])
        #expect(world.network.attempts == 1)
        #expect(world.journal.contains { $0.kind == .stale })
        world.checkJournal()
    }

    @Test("R4: a provider that throws ends the attempt for that cause, without its words")
    func providerThrows() throws {
        struct Refused: Error {}
        let world = world
        let client = try world.client {
            $0.reconnect = nil
            $0.request = { _ in throw Refused() }
        }
        let cause = try world.run { await WebSocketClientTests.stopCause(client) }
        #expect(cause == .refusedToRetry(.requestFailed("Refused")))
        #expect(world.causes == [.requestFailed])
        #expect(world.network.attempts == 0)
        try world.checkNothingLeft(client)
    }

    @Test("K01-10: a provider that answers after disconnect() opens no connection")
    func providerAfterDisconnect() throws {
        let world = world
        let client = try world.client {
            $0.request = { _ in
                await world.sleepDeaf(.seconds(1))
                return try world.request()
            }
        }
        try world.run {
            await client.connect()
            try await world.sleep(.milliseconds(500))
            await client.disconnect()
            try await world.sleep(.seconds(10))
        }
        #expect(world.network.attempts == 0)
        #expect(world.states == [.connecting, .stopped])
        try world.checkNothingLeft(client)
    }

    @Test(
        "R4, R5, K01-05: a provider may disconnect or connect from within, and its answer counts accordingly",
        arguments: [true, false])
    func providerActs(_ disconnects: Bool) throws {
        let world = World()
        let holder = Box<WebSocketClient?>(nil)
        let client = try world.client {
            $0.request = { _ in
                if disconnects {
                    await holder.value?.disconnect()
                } else {
                    await holder.value?.connect()
                }
                return try world.request()
            }
        }
        holder.value = client
        try world.run {
            await client.connect()
            try await world.sleep(.seconds(5))
        }
        holder.value = nil
        #expect(world.network.attempts == (disconnects ? 0 : 1))
        if !disconnects { try world.run { await client.disconnect() } }
        try world.checkNothingLeft(client)
    }

    @Test("K03-05: after a failing provider, connect() asks again and opens")
    func providerRecovers() throws {
        struct Refused: Error {}
        let world = world
        let calls = Box(0)
        let client = try world.client {
            $0.reconnect = ReconnectPolicy(backoff: try Backoff(jitter: .none, attempts: 0))
            $0.request = { _ in
                calls.value += 1
                guard calls.value > 1 else { throw Refused() }
                return try world.request()
            }
        }
        let cause = try world.run { await WebSocketClientTests.stopCause(client) }
        #expect(cause == .attemptsExhausted(.requestFailed("Refused")))
        try world.run {
            await client.connect()
            try await client.waitUntilOpen()
        }
        #expect(try world.state(client) == .open(Generation(2)))
    }

    @Test("G2: an effect for another connection drops nothing of the present one")
    func strangeEffects() throws {
        let client = try world.openClient()
        let core = client.core
        world.executor.perform {
            let transport = core.transport
            #expect(transport != nil)
            for stranger in [Generation.none, Generation(2)] {
                core.run(.abortTransport(stranger), .open)
                core.run(.connectionEnded(stranger, .heartbeatTimeout), .open)
                #expect(core.transport === transport)
            }
            core.run(.abortTransport(Generation(1)), .open)
            #expect(core.transport == nil)
        }
    }

    @Test("G2: an effect that the session has moved on from before it runs is not run")
    func overtaken() throws {
        let world = DeliveryWorld()
        let core = Box<ClientCore?>(nil)
        let (client, _) = try world.openClient {
            $0.heartbeat = .every(.seconds(60), timeout: .seconds(60))
            $0.journal = { event in
                guard event.kind == .checkRequested else { return }
                // Between the decision and the deed.
                _ = core.value?.machine.handle(
                    .disconnectRequested(code: nil, reason: ""), now: world.virtual.now())
            }
        }
        core.value = client.core
        try world.run { _ in await client.checkConnection() }
        #expect(world.line?.pings == [])
        core.value = nil
    }

    // MARK: Reconnecting

    @Test("R2, K03-01: a server that accepts and closes at once is not hammered")
    func acceptAndClose() throws {
        let client = try world.client("/?close=1000") {
            $0.reconnect = ReconnectPolicy(
                backoff: try Backoff(cap: .seconds(60), jitter: .none, attempts: nil))
        }
        try world.run { await client.connect() }
        world.executor.advance(by: .seconds(600))
        #expect(world.network.attempts <= 16)
        #expect(world.causes.allSatisfy { $0 == .closedByPeer })
        world.checkJournal()
    }

    @Test("K03-07, R3: Retry-After is honoured", arguments: [7, 20])
    func retryAfter(_ seconds: Int) throws {
        let world = World()
        var refusing = EndpointBehaviour()
        refusing.refusal = .status(429, retryAfterSeconds: seconds)
        world.endpoint.script = .sequence([refusing], then: .always(EndpointBehaviour()))
        let client = try world.openClient()
        #expect(world.milliseconds == Int64(seconds) * 1_000)
        #expect(try world.state(client) == .open(Generation(2)))
    }

    @Test(
        "K03-08, R3: 401 asks once for fresh credentials, then stops; 403 stops at once",
        arguments: [
            (401, 2), (403, 1),
        ])
    func unauthorized(_ status: Int, _ attempts: Int) throws {
        let world = World()
        let client = try world.client("/?refuse=\(status)")
        let cause = try world.run { await WebSocketClientTests.stopCause(client) }
        guard case .refusedToRetry(.refused(let refusal))? = cause else {
            Issue.record("stopped with \(String(describing: cause))")
            return
        }
        #expect(refusal.status == status)
        #expect(world.network.attempts == attempts)
        try world.checkNothingLeft(client)
    }

    @Test(
        "K03-14: 200 clients that are dropped at once come back spread over the whole delay, by seed"
    )
    func spread() throws {
        func returns() throws -> [Duration] {
            let world = World()
            let clients = try (0..<200).map { number in
                try world.openClient {
                    $0.seed = UInt64(number)
                    $0.reconnect = ReconnectPolicy(backoff: try Backoff(jitter: .full))
                }
            }
            world.executor.perform { world.endpoint.dropAll() }
            world.executor.advance(by: .seconds(1))
            #expect(world.endpoint.counters.living == clients.count)
            return world.endpointEvents.filter { $0.kind == .accepted }.suffix(200).map(\.time)
        }
        let times = try returns()
        var bins: [Int64: Int] = [:]
        for time in times { bins[time.wholeMilliseconds / 50, default: 0] += 1 }
        #expect(bins.values.allSatisfy { $0 <= 20 })
        #expect(bins.count >= 19)
        // 20 bins of 10 on average: chi-square with 19 degrees of freedom, 1 % beyond 36.2.
        let square = (0..<20).reduce(0.0) { sum, bin in
            let difference = Double(bins[Int64(bin), default: 0]) - 10
            return sum + difference * difference / 10
        }
        #expect(square < 36.2)
        #expect(try returns() == times)
    }

    @Test("K03-10, K10-11: each failure makes one attempt and one cause, with one timer at a time")
    func oneTimer() throws {
        let world = world
        let client = try world.client(port: World.closedPort)
        try world.run { await client.connect() }
        for _ in 0..<8 {
            world.executor.runUntilIdle()
            #expect(world.executor.pendingTimers == 1)
            let next = try #require(world.executor.nextDeadline)
            world.executor.run(until: next)
        }
        #expect(world.network.attempts == 9)
        world.network.listen(port: World.closedPort) { world.endpoint.accept($0) }
        try world.run { try await client.waitUntilOpen() }
        #expect(world.network.attempts == 10)
        #expect(world.causes == Array(repeating: .connectFailed, count: 9))
        world.checkJournal()
    }

    @Test(
        "K10-11, G4: one cause for every kind of end",
        arguments: [
            ("/?refuse=403", CloseCause.Kind.refused), ("/?refuse=reset", .connectFailed),
            ("/?refuse=garbage", .badHandshake), ("/?refuse=badaccept", .badHandshake),
            ("/?drop=fin", .connectionLost), ("/?drop=rst", .connectionLost),
            ("/?close=4000:x", .closedByPeer), ("/?close=none", .closedByPeer),
            ("/?close=1005", .protocolViolation), ("/?refuse=silence", .connectTimeout),
            ("/?pong=off", .heartbeatTimeout),
        ])
    func oneCause(_ target: String, _ cause: CloseCause.Kind) throws {
        let world = World()
        let client = try world.client(target) {
            $0.reconnect = nil
            $0.heartbeat = .every(.seconds(1), timeout: .seconds(1))
        }
        _ = try world.run { await WebSocketClientTests.stopCause(client) }
        #expect(world.causes == [cause])
        try world.checkNothingLeft(client)
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
