import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire

/// What virtual time cannot show: callers on other threads, and the kernel's descriptors.
@Suite("The client over TCP, in real time", .serialized, .timeLimit(.minutes(2)))
struct WebSocketClientOverTCPTests {
    @Test("T5, S1: several consumers and a sender on other threads see every message, in order")
    func order() async throws {
        let world = try TCPWorld()
        let client = try world.client()
        let texts = (0..<2_000).map { "message \($0)" }
        let iterators = (0..<3).map { _ in client.messages }
        let received = try await withThrowingTaskGroup(of: [Message].self) { group in
            let counter = Counter(ready: iterators.count)
            for messages in iterators {
                group.addTask {
                    var iterator = messages.makeAsyncIterator()
                    counter.arrive()
                    var all: [Message] = []
                    while all.count < texts.count, let next = await iterator.next() {
                        all.append(next)
                    }
                    return all
                }
            }
            while !counter.isComplete { await Task.yield() }
            await client.connect()
            try await client.waitUntilOpen()
            for text in texts { try await client.send(.text(text)) }
            var all: [[Message]] = []
            for try await one in group { all.append(one) }
            return all
        }
        for one in received { #expect(one == texts.map { .text($0) }) }
        await client.disconnect()
        #expect(await client.state != .open(Generation(1)))
        await world.shutdown()
    }

    @Test(
        "D1, S2: 32 MiB to and fro in messages that each fill the receive buffer, read on another thread"
    )
    func pressure() async throws {
        let world = try TCPWorld()
        let client = try world.client { $0.receiveBufferBytes = 1 << 20 }
        let block = [UInt8](repeating: 0x5A, count: 1 << 20)
        await client.connect()
        try await client.waitUntilOpen()
        let consumer = Task {
            var bytes = 0
            for await message in client.messages {
                bytes += message.byteCount
                if bytes == 32 << 20 { break }
            }
            return bytes
        }
        for _ in 0..<32 { try await client.send(.binary(block)) }
        #expect(await consumer.value == 32 << 20)
        await client.disconnect()
        await world.shutdown()
    }

    @Test(
        "K11-04: consumers on other threads end at once when cancelled, and when the session stops")
    func cancelled() async throws {
        let world = try TCPWorld()
        let client = try world.client()
        await client.connect()
        try await client.waitUntilOpen()
        for _ in 0..<50 {
            let messages = Task { for await _ in client.messages {} }
            let states = Task { for await _ in client.states {} }
            await Task.yield()
            messages.cancel()
            states.cancel()
            await messages.value
            await states.value
        }
        let last = Task { for await _ in client.messages {} }
        await client.disconnect()
        last.cancel()
        await last.value
        await world.shutdown()
    }

    @Test(
        "S1, S2, K09-01: loops that follow one another on another thread lose and hold up nothing")
    func loopsElsewhere() async throws {
        let world = try TCPWorld()
        let client = try world.client("/?hello=3000x1000") { $0.receiveBufferBytes = 65_536 }
        await client.connect()
        try await client.waitUntilOpen()
        var count = 0
        for end in [7, 14, 21, 500, 3_000] {
            for await _ in client.messages {
                count += 1
                if count == end { break }
            }
        }
        #expect(count == 3_000)
        #expect(try await world.eventually { _ in client.core.messages.consumers == 0 })
        await client.disconnect()
        await world.shutdown()
    }

    @Test(
        "R5, K09-01: a reset while nobody reads does not hold up disconnect(), and nothing is left")
    func resetWhileSuspended() async throws {
        for kind in [EndpointBehaviour.DropKind.rst, .fin] {
            let world = try TCPWorld()
            let client = try world.client("/?hello=3000x1000") { $0.receiveBufferBytes = 4_096 }
            await client.connect()
            try await client.waitUntilOpen()
            let isPaused = try await world.eventually { _ in
                world.journal.withLock { $0.contains { $0.kind == .readingPaused } }
            }
            #expect(isPaused)
            await world.on { endpoint in
                for connection in endpoint.connections { connection.drop(kind) }
            }
            let begin = ContinuousClock.now
            await client.disconnect()
            #expect(begin.duration(to: .now) < .seconds(4))
            #expect(try await world.eventually { _ in world.transports.living == 0 })
            await world.shutdown()
        }
    }

    @Test("K11-07: connect() from eight threads at once makes one TCP connection")
    func eightThreads() async throws {
        let world = try TCPWorld()
        let client = try world.client()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { await client.connect() } }
        }
        try await client.waitUntilOpen()
        #expect(await world.on { $0.counters.accepted } == 1)
        #expect(await client.state == .open(Generation(1)))
        await client.disconnect()
        await world.shutdown()
    }

    @Test("K09-07: when the last reference goes the endpoint sees 1001, and everything is freed")
    func lastReference() async throws {
        let world = try TCPWorld()
        var client: WebSocketClient? = try world.client()
        await client?.connect()
        try await client?.waitUntilOpen()
        weak let observed = client
        client = nil
        #expect(try await world.eventually { $0.counters.living == 0 })
        let sawGoingAway = world.endpointKinds.withLock { $0.contains(.closeReceived(1_001)) }
        #expect(sawGoingAway)
        #expect(observed == nil)
        #expect(try await world.eventually { _ in world.transports.living == 0 })
        await world.shutdown()
    }

    @Test("K09-06: 200 connections that end in six ways leave no descriptor and no object")
    func cycles() async throws {
        let world = try TCPWorld()
        let before = TCPWorld.descriptors
        let targets = [
            "/?close=1000", "/?drop=fin", "/?drop=rst", "/?refuse=403", "/?refuse=garbage", "/",
        ]
        for cycle in 0..<200 {
            let client = try world.client(targets[cycle % targets.count])
            await client.connect()
            _ = try? await client.waitUntilOpen()
            await client.disconnect()
        }
        #expect(try await world.eventually { $0.counters.living == 0 })
        #expect(
            try await world.eventually { _ in world.transports.living == 0 })
        // Other tests run in this process, so their descriptors come and go.
        #expect(
            try await world.eventually { _ in
                TCPWorld.descriptors <= before + 20
            })
        #expect(await world.on { $0.counters.accepted } == 200)
        await world.shutdown()
    }

    @Test("K11-10: four threads that connect, send, check and disconnect race with random drops")
    func hammer() async throws {
        let behaviours: [EndpointBehaviour] = (0..<7).map { number in
            var behaviour = EndpointBehaviour()
            switch number {
            case 1: behaviour.drop = .init(.rst, after: .milliseconds(2))
            case 2: behaviour.close = .init(code: 1_012, after: .milliseconds(1))
            case 3: behaviour.refusal = .status(503, retryAfterSeconds: nil)
            case 4: behaviour.drop = .init(.fin)
            case 5: behaviour.refusal = .reset
            default: break
            }
            return behaviour
        }
        let world = try TCPWorld(.custom { number, _ in behaviours[number % behaviours.count] })
        let client = try world.client {
            $0.heartbeat = .every(.milliseconds(2), timeout: .seconds(5))
            $0.reconnect = ReconnectPolicy(
                backoff: try Backoff(base: .milliseconds(1), jitter: .full, attempts: nil))
        }
        let consumer = Task { for await _ in client.messages {} }
        let watcher = Task {
            var states: [SessionState] = []
            for await state in client.states { states.append(state) }
            return states.last
        }
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<4 {
                group.addTask {
                    for round in 0..<300 { await Self.act(on: client, round &+ index * 7) }
                }
            }
        }
        await client.disconnect()
        let last = await client.state
        guard case .stopped(.disconnected) = last else {
            Issue.record("still \(last)")
            return
        }
        watcher.cancel()
        consumer.cancel()
        await consumer.value
        let seen = await watcher.value
        #expect(seen != nil)
        let changes = world.journal.withLock { $0.filter { $0.kind == .stateChanged } }
        for (earlier, later) in zip(changes, changes.dropFirst()) {
            #expect(earlier.newState == later.oldState)
        }
        #expect(changes.last?.newState == .stopped)
        let ended = world.journal.withLock { $0.filter { $0.kind == .closed }.map(\.generation) }
        #expect(Set(ended).count == ended.count)
        await world.shutdown()
    }

    private static func act(on client: WebSocketClient, _ round: Int) async {
        switch round % 6 {
        case 0: await client.connect()
        case 1, 2: try? await client.send(.text("\(round)"))
        case 3: _ = await client.state
        case 4: await client.checkConnection()
        default:
            if round % 30 == 5 { await client.disconnect() }
            await client.connect()
            let waiting = Task { try await client.waitUntilOpen() }
            if round % 12 == 5 { waiting.cancel() }
            _ = try? await waiting.value
        }
    }
}

/// Counts arrivals on any thread.
final class Counter: Sendable {
    private let missing: Locked<Int>

    init(ready count: Int) {
        missing = Locked(count)
    }

    func arrive() { missing.withLock { $0 -= 1 } }
    var isComplete: Bool { missing.withLock { $0 == 0 } }
}
