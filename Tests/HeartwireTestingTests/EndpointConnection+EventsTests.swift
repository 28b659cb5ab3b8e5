import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireTesting

@Suite struct EndpointConnectionEventsTests {
    /// A client that has queued bytes of its own behind the lawful ones.
    private func sendRaw(_ peer: Peer, _ bytes: [UInt8]) {
        try? peer.act { engine throws(SendError) in engine.queueRaw(bytes) }
    }

    /// A masked frame with the key zero, which leaves the payload as it is.
    private func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [first, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload
    }

    @Test("P4: a client that does not wait for its answer is cut off, and was never open")
    func early() throws {
        for (count, opened) in [(16_384, 1), (16_385, 0)] {
            let world = World()
            let peer = try world.connect()
            peer.engine.queueRaw([UInt8](repeating: 0, count: count))
            world.executor.runUntilIdle()
            #expect(world.endpoint.counters.opened == opened)
            #expect(world.journalNames.contains("opened") == (opened == 1))
            #expect(world.endpoint.counters.living == 0)
        }
    }

    @Test("P4: a connection holds no buffers behind its opening and behind an answered ping")
    func idle() throws {
        let world = World()
        let peer = try world.open()
        let connection = try #require(world.endpoint.connections.first)
        let retained = { world.executor.perform { connection.engine.retainedBytes } }
        #expect(retained() == 0)
        try peer.act { engine throws(SendError) in try engine.send(.text("busy")) }
        #expect(retained() > 0, "the next message may come at once")
        try peer.act { engine throws(SendError) in try engine.sendPing([1]) }
        #expect(retained() == 0)
    }

    // MARK: Order

    @Test("Autobahn 7.1.1: a message ahead of a Close in one read is echoed ahead of the answer")
    func messageThenClose() throws {
        let world = World()
        let peer = try world.open()
        try peer.act { engine throws(SendError) in
            try engine.send(.text("Hello World!"))
            try engine.close(1000)
        }
        #expect(peer.messages == [.text("Hello World!")])
        #expect(peer.close == ClosePayload(code: 1000))
        #expect(peer.end == .finished)
    }

    @Test("K01-04: what follows a Close is ignored, a second Close among it")
    func behindClose() throws {
        let world = World()
        let peer = try world.open()
        sendRaw(
            peer,
            frame(0x88, [0x03, 0xE8]) + frame(0x88, [0x03, 0xE9]) + frame(0x81, [0x41])
                + frame(0x89, [1]))
        #expect(Array(peer.received.suffix(4)) == [0x88, 2, 0x03, 0xE8])
        #expect(peer.messages.isEmpty)
        #expect(world.endpoint.counters.messages == 0)
        #expect(world.endpoint.counters.pings == 0)
    }

    @Test("Autobahn 3.2: what came ahead of a broken frame in one read is answered first")
    func messageThenFault() throws {
        let world = World()
        let peer = try world.open()
        sendRaw(
            peer, frame(0x81, [0x41]) + frame(0x89, [9]) + frame(0xA1, [0x42]) + frame(0x81, [0x43])
        )
        #expect(peer.messages == [.text("A")])
        #expect(peer.pongs == [[9]])
        #expect(peer.close?.code == .protocolError)
        #expect(peer.end == .finished)
        #expect(world.endpoint.counters.messages == 1)
        #expect(world.journal.map(\.kind).suffix(2) == [.closeSent(1002), .ended])
    }

    @Test("A pong goes out where its ping stood between the messages")
    func pongInOrder() throws {
        let peer = try World().open()
        sendRaw(peer, frame(0x82, [1]) + frame(0x89, [2]) + frame(0x82, [3]))
        #expect(
            peer.events.suffix(3) == [
                .message(.binary([1])), .pongReceived([2]), .message(.binary([3])),
            ])
    }

    @Test(
        "What nobody watches is echoed and counted as what somebody does, in its order, however it is cut",
        arguments: ["/", "/?echo=off", "/?echo=all"])
    func unwatched(_ target: String) throws {
        let bytes =
            frame(0x82, [1]) + frame(0x82, []) + frame(0x89, [2]) + frame(0x82, [3])
            + frame(0x02, [4]) + frame(0x8A, [5]) + frame(0x80, [6]) + frame(0x82, [7])
            + frame(0x81, [0x41]) + frame(0x82, [8]) + frame(0x88, []) + frame(0x82, [9])
        for readSize in [1, 7, 8, 15, bytes.count] {
            var (events, counters): ([[EngineEvent]], [EndpointCounters]) = ([], [])
            for keepsJournal in [true, false] {
                let world = World(keepsJournal: keepsJournal)
                let peer = try world.open(target)
                world.network.readSize = readSize
                sendRaw(peer, bytes)
                events.append(peer.events)
                counters.append(world.endpoint.counters)
            }
            #expect(events[0] == events[1], "in reads of \(readSize)")
            #expect(counters[0] == counters[1], "in reads of \(readSize)")
            #expect(counters[1].messages == 7)
        }
    }

    @Test("A message handler sees each message of a connection that has no journal")
    func handler() throws {
        let world = World(keepsJournal: false)
        var seen: [Message] = []
        world.executor.perform { world.endpoint.messageHandler = { seen.append($1) } }
        let peer = try world.open()
        sendRaw(peer, frame(0x82, [1]) + frame(0x82, [2]))
        #expect(seen == [.binary([1]), .binary([2])])
        #expect(peer.messages == seen)
    }

    @Test("A Close at a test's will cuts a long hello short")
    func closeDuringHello() throws {
        let world = World()
        world.network.pipeCapacity = 10_000
        let peer = try world.connect("/?hello=100x50000")
        world.executor.runUntil(.distantFuture) { peer.messages.count == 3 }
        world.executor.perform { world.endpoint.connections.first?.close(1001) }
        world.executor.advance(by: .seconds(1))
        #expect(peer.close == ClosePayload(code: 1001))
        #expect((3..<100).contains(peer.messages.count))
        #expect(peer.end == .finished)
        #expect(world.endpoint.counters.living == 0)
    }

    // MARK: Faults of the client

    @Test(
        "RFC 6455 7.1.7: a client's fault is answered with the Close code that belongs to it",
        arguments: [
            ([0x81, 0x01, 0x41], 1002), ([0x83, 0x80, 0, 0, 0, 0], 1002),
            ([0x81, 0x81, 0, 0, 0, 0, 0xFF], 1007), ([0x80, 0x80, 0, 0, 0, 0], 1002),
            ([0x88, 0x81, 0, 0, 0, 0, 1], 1002),
            ([0x82, 0xFF, 0, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0], 1009),
        ] as [([UInt8], UInt16)])
    func faults(_ bytes: [UInt8], _ code: UInt16) throws {
        let world = World()
        let peer = try world.open()
        sendRaw(peer, bytes)
        #expect(peer.close?.code == CloseCode(rawValue: code))
        #expect(peer.end == .finished)
        #expect(world.endpoint.counters.living == 0)
    }

    @Test("A fault behind our own Close brings no second Close frame")
    func faultWhileClosing() throws {
        let world = World()
        let peer = try world.connect("/?close=1000@100")
        world.executor.advance(by: .milliseconds(50))
        world.executor.perform { peer.channel?.setReading(false) }
        world.executor.advance(by: .milliseconds(50))
        sendRaw(peer, [0x81, 0x01, 0x41])
        world.executor.perform { peer.channel?.setReading(true) }
        world.executor.advance(by: .seconds(1))
        #expect(world.journalNames.filter { $0 == "close-sent" }.count == 1)
        #expect(peer.close == ClosePayload(code: 1000))
        #expect(world.endpoint.counters.living == 0)
    }

    // MARK: Control frames

    @Test("Pongs of the client are counted and change nothing")
    func pongReceived() throws {
        let world = World()
        let peer = try world.open()
        try peer.act { engine throws(SendError) in try engine.sendPong([1, 2]) }
        #expect(world.endpoint.counters.pongs == 1)
        #expect(world.journal.last?.kind == .pong(bytes: 2))
        #expect(peer.end == nil)
    }

    private func flood(_ peer: Peer, _ pings: Int) throws {
        try peer.act { engine throws(SendError) in
            for number in 0..<pings {
                try engine.sendPing([UInt8(number >> 8), UInt8(number & 0xFF)])
            }
        }
    }

    @Test("5.5.2: each ping of a flood in one read gets its pong while the client reads")
    func floodAnswered() throws {
        let peer = try World().open()
        try flood(peer, 2_000)
        #expect(peer.pongs == (0..<2_000).map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
    }

    @Test("P4, K09-02: of pings whose pongs nobody reads few are answered, the newest at last")
    func floodUnread() throws {
        let world = World()
        world.network.pipeCapacity = 500
        let peer = try world.open()
        world.executor.perform { peer.channel?.setReading(false) }
        for _ in 0..<100 { try flood(peer, 2_000) }
        world.executor.perform { peer.channel?.setReading(true) }
        world.executor.advance(by: .seconds(60))
        #expect(world.endpoint.counters.pings == 200_000)
        #expect(peer.pongs.count < 500 / 4 + 2 * Limits().pendingPongs + 2)
        #expect(peer.pongs.last == [UInt8(1_999 >> 8), UInt8(1_999 & 0xFF)])
    }

    @Test("P4: late pongs that wait are bounded in number")
    func latePongsBounded() throws {
        let world = World()
        let peer = try world.open("/?pong=late:1000")
        for _ in 0..<12 {
            try peer.act { engine throws(SendError) in
                for _ in 0..<100 { try engine.sendPing([]) }
            }
        }
        world.executor.advance(by: .seconds(2))
        #expect(peer.pongs.count == 1_000)
        try peer.act { engine throws(SendError) in try engine.sendPing([5]) }
        world.executor.advance(by: .seconds(2))
        #expect(peer.pongs.last == [5])
        #expect(world.endpoint.counters.pings == 1_201)
    }

    @Test("Messages that come behind our own Close are read, counted, and not echoed")
    func messageWhileClosing() throws {
        let world = World()
        let peer = try world.connect("/?close=1000@100")
        world.executor.advance(by: .milliseconds(50))
        world.executor.perform { peer.channel?.setReading(false) }
        world.executor.advance(by: .milliseconds(50))
        try peer.send(.text("crossing"))
        world.executor.perform { peer.channel?.setReading(true) }
        world.executor.advance(by: .seconds(1))
        #expect(world.endpoint.counters.messages == 1)
        #expect(peer.messages.isEmpty)
        #expect(peer.close == ClosePayload(code: 1000))
    }
}
