import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

/// A1: each key and value of a behaviour, asked for in the URL and seen by a client.
@Suite struct EndpointBehaviourTests {
    private func ping(_ peer: Peer, _ payload: [UInt8]) throws {
        try peer.act { engine throws(SendError) in try engine.sendPing(payload) }
    }

    private func isMessage(_ event: EngineEvent) -> Bool {
        if case .message = event { true } else { false }
    }

    private func isPong(_ event: EngineEvent) -> Bool {
        if case .pongReceived = event { true } else { false }
    }

    private func isClose(_ event: EngineEvent) -> Bool {
        if case .closeReceived = event { true } else { false }
    }

    // MARK: deflate

    @Test("P2: an offer of compression is taken up, and messages come back as they went out")
    func deflate() throws {
        let text = String(repeating: "round and round ", count: 1_000)
        let peer = try World().open("/", compression: .deflate())
        #expect(peer.opened?.compression == DeflateParameters())
        try peer.send(.text(text))
        #expect(peer.messages == [.text(text)])
        // The echo came compressed: what was read is a fraction of it.
        #expect(peer.received.count < text.utf8.count / 2)
    }

    @Test("P2: deflate=off, an endpoint that has it off, and a client without an offer go plain")
    func deflateOff() throws {
        let text = String(repeating: "round and round ", count: 1_000)
        for peer in [
            try World().open("/?deflate=off", compression: .deflate()),
            try World(compression: .off).open("/", compression: .deflate()),
            try World().open("/?deflate=on"),
        ] {
            #expect(peer.opened != nil && peer.opened?.compression == nil)
            try peer.send(.text(text))
            #expect(peer.messages == [.text(text)])
            #expect(peer.received.count > text.utf8.count)
        }
    }

    // MARK: pong

    @Test("pong=on: each ping is answered at once with its payload (RFC 6455 5.5.3)")
    func pongOn() throws {
        let peer = try World().open("/?pong=on")
        try ping(peer, [])
        try ping(peer, [1, 2, 3])
        #expect(peer.pongs == [[], [1, 2, 3]])
    }

    @Test("pong=off: pings are not answered, messages still are")
    func pongOff() throws {
        let world = World()
        let peer = try world.open("/?pong=off")
        try ping(peer, [1])
        try peer.send(.text("still here"))
        world.executor.advance(by: .seconds(1_000))
        #expect(peer.pongs.isEmpty)
        #expect(peer.messages == [.text("still here")])
        #expect(world.endpoint.counters.pings == 1)
    }

    @Test("pong=double: each ping is answered twice")
    func pongDouble() throws {
        let peer = try World().open("/?pong=double")
        try ping(peer, [7])
        #expect(peer.pongs == [[7], [7]])
    }

    @Test("pong=wrong: the payload is another one, for an empty ping too")
    func pongWrong() throws {
        let peer = try World().open("/?pong=wrong")
        try ping(peer, [0, 0xFF, 0x0F])
        try ping(peer, [])
        #expect(peer.pongs == [[0xFF, 0, 0xF0], [0xFF]])
    }

    @Test("pong=late:MS: the right answer comes after that time, not a millisecond before")
    func pongLate() throws {
        let world = World()
        let peer = try world.open("/?pong=late:750")
        try ping(peer, [1])
        world.executor.advance(by: .milliseconds(100))
        try ping(peer, [2])
        world.executor.advance(by: .milliseconds(649))
        #expect(peer.pongs.isEmpty)
        world.executor.advance(by: .milliseconds(1))
        #expect(peer.pongs == [[1]])
        world.executor.advance(by: .seconds(1))
        #expect(peer.pongs == [[1], [2]])
        #expect(peer.time(where: isPong) == 750)
    }

    @Test("A late pong of a connection that has ended goes nowhere, and leaves no timer")
    func pongLateEnded() throws {
        let world = World()
        let peer = try world.open("/?pong=late:1000")
        try ping(peer, [1])
        try peer.act { engine throws(SendError) in try engine.close(1000) }
        #expect(world.executor.pendingTimers == 0)
        #expect(peer.pongs.isEmpty)
    }

    // MARK: echo

    @Test("echo=on: messages come back as they were, in order")
    func echoOn() throws {
        let peer = try World().open("/?echo=on")
        let long = [UInt8](repeating: 0xA5, count: 70_000)
        try peer.send(.text("\u{2713}"), .binary([]), .binary(long), .text(""))
        #expect(peer.messages == [.text("\u{2713}"), .binary([]), .binary(long), .text("")])
    }

    @Test("echo=off: messages are read and counted, and nothing comes back")
    func echoOff() throws {
        let world = World()
        let peer = try world.open("/?echo=off")
        try peer.send(.text("x"), .binary([1]))
        #expect(peer.messages.isEmpty)
        #expect(world.endpoint.counters.messages == 2)
    }

    @Test("A1: echo=all: a message goes to all that share theirs, once to each, and to nobody else")
    func room() throws {
        let world = World()
        let (alice, bob) = (try world.open("/?echo=all"), try world.open("/?echo=all"))
        let others = [
            try world.open("/"), try world.open("/?echo=off"),
            try world.connect("/?echo=all&delay=9"),
        ]
        try alice.send(.text("one"))
        try bob.send(.binary([2]), .text("three"))
        try others[0].send(.text("four"))
        let said: [Message] = [.text("one"), .binary([2]), .text("three")]
        #expect(alice.messages == said)
        #expect(bob.messages == said)
        #expect(others.map(\.messages) == [[.text("four")], [], []])
        #expect(world.endpoint.counters.messages == 4)
    }

    @Test(
        "A1: echo=all: what comes to a closing connection, or from one that is gone, changes nothing"
    )
    func roomOfLeavers() throws {
        let world = World()
        let (alice, bob) = (try world.open("/?echo=all"), try world.open("/?echo=all&close=1000@5"))
        world.executor.advance(by: .milliseconds(5))
        try alice.send(.text("late"))
        #expect(alice.messages == [.text("late")])
        #expect(bob.messages.isEmpty)
    }

    @Test(
        "A1, P4: echo=all: who does not read is dropped at the high-water mark and holds up nobody")
    func roomWithASleeper() throws {
        var limits = Limits()
        (limits.outgoingHighWater, limits.outgoingLowWater) = (1_000, 500)
        let world = World(limits: limits)
        let (alice, sleeper) = (try world.open("/?echo=all"), try world.open("/?echo=all"))
        world.executor.perform { sleeper.channel?.setReading(false) }
        let message = Message.binary([UInt8](repeating: 7, count: 100_000))
        var sent = 0
        while sleeper.end == nil, sent < 1_000, world.endpoint.counters.closed == 0 {
            try alice.send(message)
            sent += 1
        }
        #expect(world.endpoint.counters.closed == 1)
        #expect(world.journalNames.contains("dropped"))
        #expect(alice.messages.count == sent)
        #expect(alice.end == nil)
    }

    // MARK: hello

    @Test("hello=COUNTxSIZE: so many text messages of so many characters come unasked")
    func hello() throws {
        let peer = try World().open("/?hello=3x5")
        #expect(peer.messages == [.text("hhhhh"), .text("hhhhh"), .text("hhhhh")])
    }

    @Test("hello=1x0 is one empty message")
    func helloEmpty() throws {
        #expect(try World().open("/?hello=1x0").messages == [.text("")])
    }

    @Test("A small hello comes in one read with the 101 (K01-08)")
    func helloWithOpening() throws {
        let peer = try World().open("/?hello=2x10")
        #expect(peer.reads.count == 1)
        #expect(peer.isOpen)
        #expect(peer.messages.count == 2)
    }

    @Test("A hello far over the high-water mark comes whole, and the echo works behind it")
    func helloLarge() throws {
        let world = World()
        let peer = try world.open("/?hello=40x100000")
        try peer.send(.text("last"))
        world.executor.advance(by: .seconds(1))
        #expect(peer.messages.count == 41)
        #expect(peer.messages.last == .text("last"))
        #expect(peer.messages.dropLast().allSatisfy { $0.byteCount == 100_000 })
    }

    // MARK: close

    @Test("close=CODE: the Close frame comes right behind the 101, in the same read")
    func closeAtOnce() throws {
        let world = World()
        let peer = try world.open("/?close=1001")
        #expect(peer.reads.count == 1)
        #expect(peer.close == ClosePayload(code: 1001))
        #expect(peer.end == .finished)
        #expect(world.endpoint.counters.living == 0)
        #expect(
            world.journalNames == [
                "accepted", "requested", "opened", "close-sent", "close-received", "ended",
            ])
    }

    @Test("close=CODE:reason@MS: code, reason and time are as asked")
    func closeLater() throws {
        let world = World(latency: .milliseconds(10))
        let peer = try world.connect("/?close=4001:going%20home@500")
        world.executor.advance(by: .seconds(2))
        #expect(peer.close == ClosePayload(code: 4001, reason: "going home"))
        // The request arrives after 30 ms, its frame after another 10.
        #expect(peer.time(where: isClose) == 540)
    }

    @Test("close=none: the Close frame is empty")
    func closeNone() throws {
        let peer = try World().open("/?close=none")
        #expect(peer.close == ClosePayload(code: nil))
        #expect(peer.end == .finished)
    }

    @Test(
        "close with a code that may not be on the wire is sent all the same",
        arguments: [1006, 999, 5000])
    func closeHostile(_ code: Int) throws {
        let world = World()
        let peer = try world.open("/?close=\(code):why")
        #expect(peer.violation?.closeCode == .protocolError)
        #expect(peer.end == .finished)
        let frame: [UInt8] = [0x88, 5, UInt8(code >> 8), UInt8(code & 0xFF)] + Array("why".utf8)
        #expect(Array(peer.received.suffix(frame.count)) == frame)
        #expect(world.endpoint.connections.isEmpty)
    }

    @Test("close waits for the whole of a hello that is over the high-water mark")
    func closeBehindHello() throws {
        let world = World()
        let peer = try world.open("/?hello=30x100000&close=1000")
        world.executor.advance(by: .seconds(1))
        #expect(peer.messages.count == 30)
        #expect(peer.close == ClosePayload(code: 1000))
        #expect(peer.events.last == .ended)
    }

    // MARK: drop

    @Test("drop=fin: the stream ends behind the 101 without a Close frame")
    func dropFin() throws {
        let world = World()
        let peer = try world.open("/?drop=fin")
        #expect(peer.isOpen)
        #expect(peer.close == nil)
        #expect(peer.end == .finished)
        #expect(world.journalNames == ["accepted", "requested", "opened", "dropped", "ended"])
    }

    @Test("drop=rst@MS: the stream is reset at that time")
    func dropRst() throws {
        let world = World()
        let peer = try world.open("/?drop=rst@300")
        world.executor.advance(by: .milliseconds(299))
        #expect(peer.end == nil)
        world.executor.advance(by: .milliseconds(1))
        #expect(peer.end == .failed(.reset))
        #expect(peer.endTime == 300)
    }

    @Test("drop=rst at once: the 101 and the hello are out before the reset")
    func dropRstAtOnce() throws {
        let peer = try World().open("/?drop=rst&hello=2x3")
        #expect(peer.isOpen)
        #expect(peer.messages.count == 2)
        #expect(peer.end == .failed(.reset))
    }

    @Test("close and a later drop: a client that does not answer the Close is dropped then")
    func closeThenDrop() throws {
        let world = World()
        let peer = try world.connect("/?close=1000@10&drop=rst@50")
        world.executor.advance(by: .milliseconds(9))
        world.executor.perform { peer.channel?.setReading(false) }
        world.executor.advance(by: .seconds(1))
        #expect(peer.end == .failed(.reset))
        #expect(peer.endTime == 50)
    }

    // MARK: freeze

    @Test("freeze@MS: from then on nothing is read and nothing comes, and the socket stays")
    func freeze() throws {
        let world = World()
        let peer = try world.open("/?freeze@100&pong=late:50")
        try peer.send(.text("before"))
        world.executor.advance(by: .milliseconds(60))
        try ping(peer, [1])
        world.executor.advance(by: .milliseconds(40))
        try peer.send(.text("after"))
        world.executor.advance(by: .seconds(3_600))
        #expect(peer.messages == [.text("before")])
        #expect(peer.pongs.isEmpty)
        #expect(peer.end == nil)
        #expect(world.endpoint.counters.messages == 1)
        #expect(world.endpoint.connections.map(\.state) == [.frozen])
        #expect(world.journalNames.last == "frozen")
    }

    @Test("freeze@0: the 101 and the hello are out before the silence")
    func freezeAtOnce() throws {
        let peer = try World().open("/?freeze@0&hello=2x3")
        #expect(peer.isOpen)
        #expect(peer.messages.count == 2)
        try peer.send(.text("anyone?"))
        #expect(peer.messages.count == 2)
    }

    @Test("A frozen connection makes the client's channel full in the end (K02-03)")
    func freezeFills() throws {
        let world = World()
        world.network.pipeCapacity = 1_000
        let peer = try world.open("/?freeze@0")
        try peer.send(.binary([UInt8](repeating: 0, count: 5_000)))
        #expect(peer.engine.outgoingCount > 4_000)
    }

    // MARK: refuse

    @Test("refuse=STATUS: the client gets this HTTP answer and the end of the stream")
    func refuseStatus() throws {
        let world = World()
        let peer = try world.open("/?refuse=403")
        #expect(peer.refusal?.status == 403)
        #expect(peer.refusal?.retryAfterSeconds == nil)
        #expect(
            peer.refusal.map { String(decoding: $0.body, as: UTF8.self) } == "refused on request\n")
        #expect(peer.end == .finished)
        #expect(world.journalNames == ["accepted", "requested", "refused", "ended"])
        #expect(world.journal[2].kind == .refused(status: 403))
    }

    @Test("refuse=503&retry-after=S: the answer says how long to wait")
    func refuseRetryAfter() throws {
        let peer = try World().open("/?refuse=503&retry-after=17")
        #expect(peer.refusal?.status == 503)
        #expect(peer.refusal?.retryAfterSeconds == 17)
    }

    @Test("refuse=reset: the request is answered with RST")
    func refuseReset() throws {
        let world = World()
        let peer = try world.open("/?refuse=reset")
        #expect(peer.end == .failed(.reset))
        #expect(peer.received.isEmpty)
        #expect(world.journal.contains { $0.kind == .refused(status: nil) })
    }

    @Test("refuse=silence: no answer comes, the socket stays until the client goes")
    func refuseSilence() throws {
        let world = World()
        let peer = try world.open("/?refuse=silence")
        world.executor.advance(by: .seconds(3_600))
        #expect(peer.received.isEmpty)
        #expect(peer.end == nil)
        #expect(world.endpoint.counters.living == 1)
        world.executor.perform { peer.channel?.finish() }
        world.executor.runUntilIdle()
        #expect(world.endpoint.counters.living == 0)
    }

    @Test("refuse=garbage: the answer is no HTTP, and the client can tell")
    func refuseGarbage() throws {
        let world = World()
        let peer = try world.open("/?refuse=garbage")
        #expect(peer.received.count == 68)
        #expect(peer.violation != nil || peer.refusal != nil)
        #expect(!peer.isOpen)
        world.executor.advance(by: Endpoint.patience)
        #expect(world.endpoint.counters.living == 0)
    }

    @Test("refuse=badaccept: the 101 is for another key, and the client fails the handshake")
    func refuseBadAccept() throws {
        let world = World()
        let peer = try world.open("/?refuse=badaccept")
        #expect(String(decoding: peer.received.prefix(12), as: UTF8.self) == "HTTP/1.1 101")
        #expect(peer.violation != nil)
        #expect(!peer.isOpen)
        world.executor.advance(by: Endpoint.patience)
        #expect(world.endpoint.counters.living == 0)
    }

    @Test(
        "A query that is not understood gets HTTP 400 and a line that names the key",
        arguments: [
            ("pong=maybe", "pong: expected on, off"), ("colour=red", "colour: unknown key"),
            ("echo=on&echo=on", "echo: may be given only once"),
            ("refuse=403&drop=fin", "drop: contradicts refuse"), ("hello=9", "hello: expected"),
        ])
    func badQuery(_ query: String, _ line: String) throws {
        let world = World()
        let peer = try world.open("/?\(query)")
        let body = String(decoding: peer.refusal?.body ?? [], as: UTF8.self)
        #expect(peer.refusal?.status == 400)
        #expect(body.hasPrefix(line))
        #expect(body.hasSuffix("\n"))
        #expect(world.endpoint.counters.refused == 1)
        #expect(world.endpoint.counters.living == 0)
    }

    // MARK: delay

    @Test("delay=MS: the 101 comes after that time, and @MS counts from it")
    func delay() throws {
        let world = World()
        let peer = try world.open("/?delay=400&close=1000@100")
        world.executor.advance(by: .milliseconds(399))
        #expect(!peer.isOpen)
        #expect(world.endpoint.connections.map(\.state) == [.answering])
        world.executor.advance(by: .milliseconds(1))
        #expect(peer.isOpen)
        world.executor.advance(by: .seconds(1))
        #expect(peer.time(where: isClose) == 500)
    }

    @Test("delay holds back a refusal, too")
    func delayedRefusal() throws {
        let world = World()
        let peer = try world.open("/?delay=400&refuse=404")
        world.executor.advance(by: .milliseconds(400))
        #expect(peer.refusal?.status == 404)
        #expect(peer.endTime == 400)
    }

    @Test("A delay longer than the opening's deadline is kept: the client has asked")
    func longDelay() throws {
        let world = World()
        let peer = try world.open("/?delay=60000")
        world.executor.advance(by: .seconds(60))
        #expect(peer.isOpen)
    }

    @Test("A client that goes during the delay ends the connection, and nothing is left")
    func goneDuringDelay() throws {
        let world = World()
        let peer = try world.open("/?delay=60000")
        world.executor.perform { peer.channel?.finish() }
        world.executor.runUntilIdle()
        #expect(world.endpoint.counters.living == 0)
        #expect(world.executor.pendingTimers == 0)
    }
}
