import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@Suite struct EndpointConnectionTests {
    // MARK: The opening

    @Test("A client that never asks is let go at the opening's deadline, not before")
    func openingDeadline() {
        let world = World()
        let diary = Diary(world.executor)
        world.executor.perform {
            diary.channel = world.network.connect(port: World.port, handler: diary)
        }
        world.executor.advance(by: .milliseconds(9_999))
        #expect(diary.lines == ["0 connected"])
        #expect(world.endpoint.connections.map(\.state) == [.awaitingRequest])
        world.executor.advance(by: .milliseconds(1))
        #expect(diary.lines == ["0 connected", "10000 EOF"])
        #expect(world.journalNames == ["accepted", "ended"])
    }

    @Test("A client that asks byte by byte within the deadline is answered")
    func slowRequest() throws {
        let world = World()
        world.network.readSize = 1
        let peer = try world.open("/?hello=2x3")
        #expect(peer.isOpen)
        #expect(peer.messages.count == 2)
    }

    @Test("What is no opening request gets an HTTP answer and the end of the stream")
    func badRequest() {
        let world = World()
        let wire = Diary(world.executor)
        world.executor.perform {
            wire.channel = world.network.connect(port: World.port, handler: wire)
        }
        world.executor.runUntilIdle()
        let request = Array("POST / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        world.executor.perform { _ = request.withUnsafeBytes { wire.channel?.write($0) } }
        world.executor.runUntilIdle()
        #expect(wire.lines.count == 3)
        #expect(wire.lines.last == "0 EOF")
        #expect(world.journalNames == ["accepted", "refused", "ended"])
        #expect(world.endpoint.counters.refused == 1)
    }

    @Test(
        "RFC 9112 3: a client of another protocol is answered as it speaks, and told what was heard"
    )
    func otherProtocols() {
        for (bytes, words) in [
            ([0x16, 3, 1, 2, 0], "TLS, as for a wss URL instead of a request"),
            (Array("SSH-2.0-x\r\n".utf8), #""SSH-2.0-x\r" instead of a request"#),
            (Array("EHLO a.test\r\n".utf8), "another first line instead of a request line"),
        ] as [([UInt8], String)] {
            let world = World()
            // The diary shows reads of so many bytes as they are.
            world.network.readSize = 40
            let wire = Diary(world.executor)
            world.executor.perform {
                wire.channel = world.network.connect(port: World.port, handler: wire)
            }
            world.executor.runUntilIdle()
            world.executor.perform { _ = bytes.withUnsafeBytes { wire.channel?.write($0) } }
            world.executor.runUntilIdle()
            let answer = wire.lines.map { $0.dropFirst(2) }.joined()
            #expect(answer.hasPrefix("connectedHTTP/1.1 400 Bad Request"))
            #expect(answer.contains(words), "\(answer)")
            #expect(wire.lines.last == "0 EOF")
            #expect(world.endpoint.connections.isEmpty)
        }
    }

    @Test("A client that speaks subprotocols gets the one that it likes best; others get none")
    func subprotocols() throws {
        let world = World()
        #expect(try world.open("/", subprotocols: ["b", "a"]).opened?.subprotocol == "b")
        #expect(try world.open("/").opened?.subprotocol == nil)
    }

    @Test("The request can be looked at by a test")
    func request() throws {
        let world = World()
        _ = try world.open("/path?echo=off")
        let connection = try #require(world.endpoint.connections.first)
        #expect(connection.request?.target == "/path?echo=off")
        #expect(!connection.behaviour.echoes)
        #expect(connection.number == 1)
    }

    // MARK: Output

    @Test("All that one read asks for leaves in one write at the end of the turn")
    func oneWrite() throws {
        let world = World()
        let peer = try world.open()
        let before = peer.reads.count
        try peer.act { engine throws(SendError) in
            for number in 0..<100 { try engine.send(.text("\(number)")) }
            try engine.sendPing([1])
        }
        #expect(peer.messages.count == 100)
        #expect(peer.pongs == [[1]])
        #expect(peer.reads.count == before + 1)
    }

    @Test("Back-pressure: nothing is read while more than the high-water mark waits")
    func backPressure() throws {
        var limits = Limits()
        limits.outgoingHighWater = 4_000
        limits.outgoingLowWater = 1_000
        let world = World(limits: limits)
        world.network.pipeCapacity = 2_000
        world.network.readSize = 1_000
        let peer = try world.open()
        world.executor.perform { peer.channel?.setReading(false) }
        try peer.act { engine throws(SendError) in
            for _ in 0..<100 { try engine.send(.binary([UInt8](repeating: 7, count: 494))) }
        }
        world.executor.advance(by: .seconds(1))
        // 2,000 bytes stand in the pipe back, and somewhat more than the mark in the endpoint.
        let held = world.endpoint.counters.messages
        #expect((12...14).contains(held))
        #expect(peer.engine.outgoingCount > 30_000)

        world.executor.perform { peer.channel?.setReading(true) }
        world.executor.advance(by: .seconds(1))
        #expect(world.endpoint.counters.messages == 100)
        #expect(peer.messages.count == 100)
    }

    @Test("Messages of one MiB go through a pipe of 64 KiB and come back unchanged")
    func largeEcho() throws {
        let world = World(latency: .microseconds(50))
        world.network.pipeCapacity = 64 << 10
        let peer = try world.connect()
        world.executor.advance(by: .seconds(1))
        let payload = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ ($0 >> 9)) }
        try peer.send(.binary(payload), .text("behind it"))
        world.executor.advance(by: .seconds(5))
        #expect(peer.messages == [.binary(payload), .text("behind it")])
    }

    // MARK: The end

    @Test("RFC 6455 5.5.1: a Close is answered with its code, and the endpoint ends TCP first")
    func closing() throws {
        let world = World()
        let peer = try world.open()
        try peer.act { engine throws(SendError) in try engine.close(4321, reason: "why") }
        #expect(peer.close == ClosePayload(code: 4321))
        #expect(peer.end == .finished)
        #expect(world.endpoint.counters.closed == 1)
        #expect(
            world.journal.suffix(3).map(\.kind) == [
                .closeReceived(4321), .closeSent(4321), .ended,
            ])
        #expect(world.executor.pendingTimers == 0)
    }

    @Test("A client that never answers a Close is let go when patience is over")
    func unansweredClose() throws {
        let world = World()
        let peer = try world.connect("/?close=1000@100")
        world.executor.advance(by: .milliseconds(50))
        world.executor.perform { peer.channel?.setReading(false) }
        world.executor.advance(by: .seconds(10))
        #expect(world.endpoint.counters.living == 1)
        world.executor.advance(by: .milliseconds(100))
        #expect(world.endpoint.counters.living == 0)
        #expect(world.journalNames.suffix(2) == ["close-sent", "ended"])
    }

    @Test(
        "K10-01: behind its Close, or its fault, a client that takes nothing is let go",
        arguments: [[0x88, 0x80, 0, 0, 0, 0], [0x83, 0x80, 0, 0, 0, 0]] as [[UInt8]])
    func stuckClosing(frame: [UInt8]) throws {
        let world = World()
        world.network.pipeCapacity = 1_000
        let peer = try world.connect()
        world.executor.runUntilIdle()
        let connection = try #require(world.endpoint.connections.first)
        world.executor.perform {
            peer.channel?.setReading(false)
            try? connection.send(binary: [UInt8](repeating: 0, count: 5_000))
            frame.withUnsafeBytes { _ = peer.channel?.write($0) }
        }
        world.executor.advance(by: Endpoint.patience - .milliseconds(1))
        #expect(connection.state == .open)
        // Whoever takes a part has its time anew.
        world.executor.perform { peer.channel?.setReading(true) }
        world.executor.perform { peer.channel?.setReading(false) }
        world.executor.advance(by: Endpoint.patience + .milliseconds(2))
        #expect(connection.state == .ended)
        #expect(world.executor.pendingTimers == 0)
    }

    @Test("A client that finishes its side without a Close gets what is queued and then FIN")
    func halfClose() throws {
        let world = World()
        let peer = try world.open()
        try world.executor.perform { () throws(SendError) in
            try peer.engine.send(.text("last"))
            peer.write()
            peer.channel?.finishWriting()
        }
        world.executor.runUntilIdle()
        #expect(peer.messages == [.text("last")])
        #expect(peer.close == nil)
        #expect(peer.end == .finished)
        #expect(world.endpoint.counters.living == 0)
    }

    @Test("A client that resets ends the connection at once, whatever was planned")
    func clientReset() throws {
        let world = World()
        let peer = try world.open("/?close=1000@500&drop=fin@900&pong=late:100")
        try peer.act { engine throws(SendError) in try engine.sendPing([1]) }
        world.executor.perform { peer.channel?.abort(reset: true) }
        world.executor.runUntilIdle()
        #expect(world.endpoint.counters.living == 0)
        #expect(world.executor.pendingTimers == 0)
        #expect(world.journalNames.last == "ended")
    }

    @Test("A client that takes nothing is reset when the endpoint has waited long enough to leave")
    func stuckLeaving() throws {
        let world = World()
        world.network.pipeCapacity = 1_000
        let peer = try world.open("/?hello=1x0")
        world.executor.perform { peer.channel?.setReading(false) }
        let connection = try #require(world.endpoint.connections.first)
        world.executor.perform {
            try? connection.send(binary: [UInt8](repeating: 0, count: 5_000))
            connection.drop(.fin)
        }
        world.executor.runUntilIdle()
        #expect(connection.state == .leaving)
        world.executor.advance(by: Endpoint.patience)
        #expect(connection.state == .ended)
        #expect(peer.end == .failed(.reset))
    }

    @Test("A frozen connection is kept for a day and then reset")
    func frozenLife() throws {
        let world = World()
        let peer = try world.open("/?freeze@0")
        world.executor.advance(by: Endpoint.keepTime - .milliseconds(1))
        #expect(peer.end == nil)
        world.executor.advance(by: .milliseconds(1))
        #expect(peer.end == .failed(.reset))
        #expect(world.executor.pendingTimers == 0)
    }

    @Test("A frozen connection that the client resets is over")
    func frozenReset() throws {
        let world = World()
        let peer = try world.open("/?freeze@0")
        world.executor.perform { peer.channel?.abort(reset: true) }
        world.executor.runUntilIdle()
        #expect(world.endpoint.counters.living == 0)
        #expect(world.executor.pendingTimers == 0)
    }

    @Test("P4: connections over the endpoint's limit are reset, and do not count")
    func connectionLimit() {
        let executor = VirtualExecutor()
        let network = VirtualNetwork(executor: executor)
        let endpoint = Endpoint(executor: executor, random: SeededRandomSource(seed: 1))
        network.listen(port: 1) { endpoint.accept($0) }
        let diaries = (0...Endpoint.connectionLimit).map { _ in Diary(executor) }
        executor.perform {
            for diary in diaries { diary.channel = network.connect(port: 1, handler: diary) }
        }
        executor.runUntilIdle()
        #expect(endpoint.counters.accepted == Endpoint.connectionLimit)
        #expect(diaries.last?.lines.last == "0 failed reset 104")
        #expect(diaries.first?.lines == ["0 connected"])
    }
}
