import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@Suite struct EndpointTests {
    @Test("The counters tell how often what happened")
    func counters() throws {
        let world = World()
        let one = try world.open()
        let two = try world.open("/?refuse=503")
        let three = try world.open()
        try one.send(.text("12345"), .binary([1, 2, 3]))
        try three.act { engine throws(SendError) in
            try engine.sendPing([1])
            try engine.sendPong([2])
        }
        try one.act { engine throws(SendError) in try engine.close(1000) }

        let counters = world.endpoint.counters
        #expect(two.refusal?.status == 503)
        #expect(counters.accepted == 3)
        #expect(counters.opened == 2)
        #expect(counters.refused == 1)
        #expect(counters.closed == 2)
        #expect(counters.living == 1)
        #expect(counters.messages == 2)
        #expect(counters.messageBytes == 8)
        #expect(counters.pings == 1)
        #expect(counters.pongs == 1)
    }

    @Test("The living connections are listed in the order in which they came")
    func connections() throws {
        let world = World()
        let peers = try (1...3).map { _ in try world.open() }
        #expect(world.endpoint.connections.map(\.number) == [1, 2, 3])
        #expect(world.endpoint.connections.map(\.state) == [.open, .open, .open])
        try peers[1].act { engine throws(SendError) in try engine.close(1000) }
        #expect(world.endpoint.connections.map(\.number) == [1, 3])
    }

    @Test("dropAll resets everybody")
    func dropAll() throws {
        let world = World()
        let peers = try (1...3).map { _ in try world.open() }
        world.executor.perform { world.endpoint.dropAll() }
        world.executor.runUntilIdle()
        #expect(peers.map(\.end) == [.failed(.reset), .failed(.reset), .failed(.reset)])
        #expect(world.endpoint.connections.isEmpty)
        #expect(world.endpoint.counters.living == 0)
        #expect(world.executor.pendingTimers == 0)
    }

    @Test("The journal counts time from when the endpoint was made, and names the connection")
    func journalTimes() throws {
        let executor = VirtualExecutor()
        executor.advance(by: .seconds(100))
        let network = VirtualNetwork(executor: executor)
        nonisolated(unsafe) var lines: [String] = []
        let endpoint = Endpoint(
            executor: executor, random: SeededRandomSource(seed: 1), behaviour: .byQuery,
            journal: { lines.append($0.jsonLine) })
        network.listen(port: 1) { endpoint.accept($0) }
        executor.advance(by: .milliseconds(250))
        let diary = Diary(executor)
        executor.perform { diary.channel = network.connect(port: 1, handler: diary) }
        executor.runUntilIdle()
        #expect(lines == ["{\"t_ms\":250,\"connection\":1,\"event\":\"accepted\"}"])
    }

    @Test("An endpoint without a journal does its work all the same")
    func noJournal() throws {
        let executor = VirtualExecutor()
        let network = VirtualNetwork(executor: executor)
        let endpoint = Endpoint(executor: executor, random: SeededRandomSource(seed: 1))
        network.listen(port: 1) { endpoint.accept($0) }
        let diary = Diary(executor)
        executor.perform { diary.channel = network.connect(port: 1, handler: diary) }
        executor.runUntilIdle()
        #expect(endpoint.counters.accepted == 1)
    }

    @Test("A connection keeps its endpoint until it ends, and not longer")
    func life() throws {
        let executor = VirtualExecutor()
        let network = VirtualNetwork(executor: executor)
        weak var weakEndpoint: Endpoint?
        do {
            let endpoint = Endpoint(executor: executor, random: SeededRandomSource(seed: 1))
            weakEndpoint = endpoint
            network.listen(port: 1) { [weak endpoint] in endpoint?.accept($0) }
            let diary = Diary(executor)
            executor.perform { diary.channel = network.connect(port: 1, handler: diary) }
            executor.runUntilIdle()
            withExtendedLifetime(endpoint) {}
        }
        #expect(weakEndpoint != nil)
        executor.advance(by: Endpoint.patience)
        #expect(weakEndpoint == nil)
    }

    @Test(
        "G6: the same seed and script give the same journal and the same bytes",
        arguments: [
            "/?hello=20x100&close=1000@70", "/?pong=late:30&drop=rst@100", "/?refuse=garbage",
            "/?refuse=badaccept", "/?freeze@40", "/?delay=25",
        ])
    func determinism(_ target: String) throws {
        func run(seed: UInt64) throws -> (journal: [String], bytes: [UInt8], times: [Int64]) {
            let world = World(latency: .milliseconds(3), seed: seed)
            let peer = try world.connect(target)
            for step in 0..<20 {
                world.executor.advance(by: .milliseconds(10))
                try? peer.send(.text("message \(step)"))
                try? peer.act { engine throws(SendError) in try engine.sendPing([UInt8(step)]) }
            }
            world.executor.advance(by: .seconds(60))
            return (world.journal.map(\.jsonLine), peer.received, peer.times)
        }
        let (first, second, other) = (try run(seed: 5), try run(seed: 5), try run(seed: 6))
        #expect(first == second)
        #expect(first.journal == other.journal)
        let isRandom = target.contains("garbage") || target.contains("badaccept")
        #expect((first.bytes != other.bytes) == isRandom)
    }
}
