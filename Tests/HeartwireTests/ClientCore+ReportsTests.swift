import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("The core: what transports report")
struct ClientCoreReportsTests {
    // MARK: Old connections

    /// Where the present connection stands when an old one reports.
    enum Phase: String, CaseIterable, Sendable {
        case request, tcp, handshake, open, closing, waiting, stopped
    }

    /// A client on its third connection, in `phase`.
    private func client(in phase: Phase, _ world: World) throws -> WebSocketClient {
        let (refuse, freeze) = (Box(false), Box(false))
        world.endpoint.script = .custom { _, _ in
            var behaviour = EndpointBehaviour()
            if refuse.value { behaviour.refusal = .silence }
            if freeze.value { behaviour.freezeDelay = .zero }
            return behaviour
        }
        let client = try world.client {
            $0.heartbeat = .every(.seconds(5), timeout: .seconds(5))
            $0.request = { attempt in
                if phase == .request, attempt.generation == Generation(3) {
                    try await world.sleep(.seconds(20))
                }
                let port = phase == .tcp && attempt.generation == Generation(3)
                return try ConnectionRequest(
                    url: world.url(port: port ? World.blackHolePort : World.port))
            }
        }
        try world.run {
            for _ in 0..<2 {
                await client.connect()
                try await client.waitUntilOpen()
                await client.disconnect()
            }
            refuse.value = phase == .handshake
            freeze.value = phase == .closing
            await client.connect()
            if [.open, .closing, .waiting, .stopped].contains(phase) {
                try await client.waitUntilOpen()
            }
            if phase == .stopped { await client.disconnect() }
            if phase == .closing {
                Task(executorPreference: world.executor) { await client.disconnect() }
            }
            if phase == .waiting { world.endpoint.connections.last?.drop(.rst) }
            try await world.sleep(.milliseconds(1))
        }
        return client
    }

    @Test(
        "K01-01, K01-02, G1, G3: an old connection's reports change nothing, in any phase of the new one",
        arguments: Phase.allCases)
    func staleReports(_ phase: Phase) throws {
        let world = World()
        let client = try client(in: phase, world)
        let received = Box<[Message]>([])
        world.start { for await message in client.messages { received.value.append(message) } }
        let before = try world.state(client)
        #expect(JournalEvent.State(before).rawValue == Self.expected(phase))
        let deadline = world.executor.nextDeadline
        let states = world.states
        let causes = world.causes
        let present = before.generation ?? Generation(4)
        let strangers = [0, 1, 2, 3, 4, 99].map { Generation($0) }.filter {
            // While waiting, the last connection is over and the next has not begun (G3).
            phase == .waiting || phase == .stopped || $0 != present
        }
        for stranger in strangers {
            world.executor.perform { world.transports.reportEverything(as: stranger) }
            world.executor.runUntilIdle()
        }
        #expect(try world.state(client) == before)
        #expect(world.states == states)
        #expect(world.causes == causes)
        #expect(received.value.isEmpty)
        #expect(world.executor.nextDeadline == deadline)
        #expect(world.journal.count { $0.kind == .stale } >= strangers.count * 11)
        #expect(!world.journal.contains { $0.kind == .pongReceived })
        if phase == .open {
            try world.run { try await client.send(.text("alive")) }
            world.executor.runUntilIdle()
            #expect(received.value == [.text("alive")])
        }
        try world.run {
            await client.disconnect()
            try await world.sleep(.seconds(6))
        }
        try world.checkNothingLeft(client)
    }

    private static func expected(_ phase: Phase) -> String {
        switch phase {
        case .request, .tcp, .handshake: "connecting"
        case .open: "open"
        case .closing: "closing"
        case .waiting: "waiting"
        case .stopped: "stopped"
        }
    }

    @Test(
        "K01-02: an old connection's room wakes no sender of the new one, its close resolves none twice"
    )
    func staleRoom() throws {
        let world = World(.always(EndpointBehaviour()))
        var frozen = EndpointBehaviour()
        frozen.freezeDelay = .zero
        world.endpoint.script = .always(frozen)
        let client = try world.openClient()
        let outcomes = Box<[String]>([])
        func fill() -> Task<Void, Never> {
            world.start {
                do throws(SendError) {
                    while true {
                        try await client.send(.binary([UInt8](repeating: 1, count: 1 << 20)))
                    }
                } catch { outcomes.value.append("\(error)") }
            }
        }
        let first = (0..<3).map { _ in fill() }
        try world.atEndpoint { $0.drop(.rst) }
        try world.run {
            for task in first { await task.value }
            try await world.sleep(.seconds(2))
        }
        let ended = "\(SendError.connectionEnded)"
        #expect(outcomes.value == [ended, ended, ended])
        let second = fill()
        world.executor.perform { world.transports.reportEverything(as: Generation(1)) }
        world.executor.runUntilIdle()
        #expect(outcomes.value.count == 3)
        #expect(try world.state(client) == .open(Generation(2)))
        world.executor.perform {
            world.transports.made.last?.observer?.transportBecameWritable(Generation(2))
        }
        world.executor.runUntilIdle()
        try world.atEndpoint { $0.drop(.rst) }
        try world.run { await second.value }
        #expect(outcomes.value.count == 4)
    }

    @Test("K01-02, G1, S6: what an old connection tells late is told of no other, nor as an event")
    func staleHandshake() throws {
        let world = World()
        let client = try world.openClient()
        try world.atEndpoint { $0.drop(.rst) }
        try world.run { try await world.sleep(.seconds(2)) }
        #expect(try world.state(client) == .open(Generation(2)))
        let events = client.events.makeAsyncIterator()
        world.executor.runUntilIdle()
        world.executor.perform {
            world.transports.reportEverything(as: Generation(1))
            #expect(client.core.events.weight == 0)
        }
        #expect(try world.run { try await client.waitUntilOpen() }.subprotocol == nil)
        _ = events
    }

    @Test("G1, S2: the end of an old connection's batch stops no reading of the new one")
    func oldBatch() throws {
        let world = DeliveryWorld()
        let (client, _) = try world.openClient { $0.receiveBufferBytes = 1 }
        world.atLine { $0.receive("a") }
        world.opens = false
        world.atLine { $0.lose() }
        for _ in 0..<100 where world.lines.count == 1 {
            world.virtual.advance(by: .milliseconds(100))
        }
        #expect(world.lines.map(\.readings) == [[false], []])
        world.virtual.perform {
            client.core.transportFinishedBatch(Generation(1))
            #expect(world.line?.readings == [])
            client.core.transportOpened(Generation(2), OpenedConnection())
            #expect(world.line?.readings == [false], "nobody has read the old one's messages")
        }
    }

    // MARK: Nobody reads

    @Test("S2: reading stops one byte beyond the buffer and goes on at half of it, told once each")
    func bounds() throws {
        let world = DeliveryWorld()
        let (client, _) = try world.openClient { $0.receiveBufferBytes = 200 }
        let (core, line) = (client.core, try #require(world.line))
        func text(weighing weight: Int) -> String {
            String(repeating: "x", count: weight - MessageHub.messageOverheadBytes)
        }
        world.atLine { $0.receive(text(weighing: 100)) }
        world.atLine { $0.receive(text(weighing: 100)) }
        #expect(line.readings == [], "full to the byte")
        world.atLine { $0.receive("") }
        #expect(line.readings == [false])
        world.atLine { $0.receive("") }
        #expect(line.readings == [false])
        world.virtual.perform {
            let consumer = core.messages.claim()
            for (weight, readings) in [(101, [false]), (100, [false, true])] {
                var batch = BatchQueue<Message>()
                consumer.take(into: &batch)
                consumer.cameBack()
                // What was read already when the reading stopped.
                core.transportReceived(line.generation, .text(text(weighing: weight)))
                core.consumerTook()
                #expect(line.readings == readings)
            }
            core.consumerTook()
        }
        #expect(line.readings == [false, true])
    }

    @Test(
        "S2, R5: a close has the transport read on only where it had stopped, and never stop again")
    func closing() throws {
        for (weight, readings) in [(200, []), (201, [false, true])] as [(Int, [Bool])] {
            let world = DeliveryWorld()
            let (client, _) = try world.openClient { $0.receiveBufferBytes = 200 }
            let (core, line) = (client.core, try #require(world.line))
            world.atLine {
                $0.receive(
                    String(repeating: "x", count: weight - MessageHub.messageOverheadBytes))
            }
            world.virtual.perform {
                core.disconnect(code: nil, reason: "")
                for _ in 0..<3 { core.transportReceived(line.generation, .text("")) }
                core.transportFinishedBatch(line.generation)
            }
            world.settle()
            #expect(line.readings == readings)
        }
    }

    @Test("K02-05, T4: pings are judged and answered on time while the consumer sleeps")
    func sleepingConsumer() throws {
        let world = World()
        let client = try world.openClient("/?hello=64x1024") {
            $0.heartbeat = .every(.seconds(2), timeout: .seconds(2))
            $0.reconnect = nil
        }
        world.start {
            var iterator = client.messages.makeAsyncIterator()
            _ = await iterator.next()
            try? await world.sleep(.seconds(60))
            _ = await iterator.next()
        }
        for second in stride(from: 5, through: 60, by: 5) {
            world.executor.run(until: MonotonicInstant.origin.advanced(by: .seconds(second)))
            let pongs = world.endpoint.counters.pongs
            try world.atEndpoint { try $0.ping([0x2A]) }
            #expect(world.endpoint.counters.pongs == pongs + 1)
        }
        #expect(world.endpoint.counters.pings == 30)
        #expect(try world.state(client) == .open(Generation(1)))
        #expect(world.causes.isEmpty)
    }

    @Test(
        "K09-01, S2: a flood that nobody reads is held to the buffer, then all of it comes in order"
    )
    func flood() throws {
        let (count, size, buffer) = (20_000, 1_024, 1 << 20)
        let world = World()
        let client = try world.openClient("/?hello=\(count)x\(size)") {
            $0.receiveBufferBytes = buffer
            $0.heartbeat = .every(.seconds(2), timeout: .seconds(2))
        }
        world.executor.advance(by: .seconds(100))
        let held = world.executor.perform { client.core.messages.weight }
        #expect(held > buffer)
        // What one read may bring on top.
        #expect(held <= buffer + 2 * VirtualNetwork.defaultReadSize)
        #expect(world.journal.count { $0.kind == .readingPaused } == 1)
        #expect(try world.state(client) == .open(Generation(1)), "no verdict while nothing is read")
        let received = try world.run {
            var iterator = client.messages.makeAsyncIterator()
            var seen = 0
            while seen < count, let message = await iterator.next() {
                guard message.byteCount == size else { break }
                seen += 1
            }
            return seen
        }
        #expect(received == count)
        #expect(world.journal.count { $0.kind == .readingResumed } >= 1)
        world.executor.advance(by: .seconds(10))
        #expect(try world.state(client) == .open(Generation(1)))
        #expect(world.causes.isEmpty)
    }

    @Test("S2: the slowest of several consumers sets the pace, and one that leaves sets it no more")
    func slowestConsumer() throws {
        let world = World()
        let client = try world.openClient { $0.receiveBufferBytes = 64 << 10 }
        let fast = Box(0)
        world.start { for await _ in client.messages { fast.value += 1 } }
        nonisolated(unsafe) var slow: Messages.Iterator? = client.messages.makeAsyncIterator()
        world.executor.runUntilIdle()
        for _ in 0..<200 {
            try world.atEndpoint { try $0.send(text: String(repeating: "x", count: 1_000)) }
        }
        #expect(fast.value < 200)
        #expect(world.journal.contains { $0.kind == .readingPaused })
        slow = nil
        _ = slow
        world.executor.runUntilIdle()
        #expect(fast.value == 200)
    }

    @Test(
        "K09-01, P4: a flood of what inflates a hundredfold is held to the buffer, then all of it comes"
    )
    func compressedFlood() throws {
        let (count, size, buffer) = (900, 65_536, 1 << 20)
        let world = World()
        let client = try world.openClient("/?hello=\(count)x\(size)&close=1000@50000") {
            $0.receiveBufferBytes = buffer
            $0.heartbeat = nil
            $0.compression = .deflate()
        }
        world.executor.advance(by: .seconds(100))
        let held = world.executor.perform { client.core.messages.weight }
        #expect(held > buffer)
        // What one slice of 4 KiB inflates to at deflate's utmost ratio.
        #expect(held <= buffer + 4_096 * 1_032 + size)
        let received = try world.run {
            var iterator = client.messages.makeAsyncIterator()
            var seen = 0
            while seen < count, let message = await iterator.next() {
                guard message.byteCount == size else { break }
                seen += 1
            }
            return seen
        }
        #expect(received == count)
        world.executor.advance(by: .seconds(100))
        #expect(world.causes == [.closedByPeer])
    }

    @Test("R5, K09-01: disconnect() goes through while reading is suspended and nobody reads")
    func closesWhilePaused() throws {
        let world = World()
        let client = try world.openClient("/?hello=2000x1024") { $0.receiveBufferBytes = 64 << 10 }
        #expect(world.journal.contains { $0.kind == .readingPaused })
        try world.run { await client.disconnect() }
        #expect(world.milliseconds == 0)
        let answer = PeerClose(code: 1_000)
        #expect(
            try world.state(client)
                == .stopped(.disconnected(.closedByApp(sent: 1_000, answer: answer))))
        // What was there before the close is still to be had.
        let left = try world.run { await MessagesTests.take(10, from: client) }
        #expect(left.count == 10)
        try world.checkNothingLeft(client)
    }

    @Test("K10-01: what the server sends after our Close still arrives until it answers")
    func afterOurClose() throws {
        let world = World(latency: .milliseconds(10))
        let client = try world.openClient()
        let received = Box(0)
        world.start { for await _ in client.messages { received.value += 1 } }
        try world.run {
            try? world.endpoint.connections.last?.send(text: "crossing")
            await client.disconnect()
        }
        world.executor.runUntilIdle()
        #expect(received.value == 1)
        try world.checkNothingLeft(client)
    }

    @Test("J1: a server's ping is told without its payload")
    func pingIsTold() throws {
        let world = World()
        let client = try world.openClient()
        try world.atEndpoint { try $0.ping([1, 2, 3]) }
        #expect(world.journal.last?.kind == .pingReceived)
        #expect(world.journal.last?.generation == Generation(1))
        #expect(try world.state(client) == .open(Generation(1)))
    }

    @Test(
        "K05-10: an attempt that is not open in time names how far it had come",
        arguments: [
            ("/", World.blackHolePort, ConnectPhase.resolving),
            ("/?refuse=silence", World.port, .upgrade),
        ])
    func phases(_ target: String, _ port: UInt16, _ phase: ConnectPhase) throws {
        let world = World()
        let client = try world.client(target, port: port) { $0.reconnect = nil }
        let cause = try world.run { await WebSocketClientTests.stopCause(client) }
        #expect(cause == .refusedToRetry(.connectTimeout(phase)))
        #expect(world.milliseconds == 30_000)
        try world.checkNothingLeft(client)
    }
}
