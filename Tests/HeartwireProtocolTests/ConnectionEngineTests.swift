import HeartwireProtocol
import Testing

@Suite("The life of a connection")
struct ConnectionEngineTests {
    private func request() throws -> OpeningRequest {
        try OpeningRequest(url: WebSocketURL("ws://server.example/chat"))
    }

    @Test("Payload may come straight into its message only while frames are read")
    func directBytes() throws {
        let request = try OpeningRequest(url: WebSocketURL("ws://server.example/"))
        #expect(
            ConnectionEngine(connecting: request, random: SeededSource(seed: 1)).directBytes == 0)
        var engine = try ConnectionEngine.open(.client)
        let inflates = engine.inflates
        #expect(!inflates)
        let hasRoom = engine.receiveDirectly(atMost: 10) { _ in 10 }
        #expect(!hasRoom)
        let beginning = hex("8203 01")
        engine.receive(beginning.span)
        #expect(engine.directBytes == 2)
        try engine.close(.normalClosure)
        #expect(engine.directBytes == 2)
        let nothing = engine.receiveDirectly(atMost: 10) { _ in 0 }
        #expect(!nothing)
        #expect(engine.directBytes == 2)
        let hasCome = engine.receiveDirectly(atMost: 10) { room in
            room.copyBytes(from: [2, 3])
            return 2
        }
        #expect(hasCome)
        #expect(engine.takeEvents() == [.message(.binary([1, 2, 3]))])
        engine.receive(beginning.span)
        engine.fail(.goingAway)
        #expect(engine.directBytes == 0)
    }

    @Test(
        "P4: the marks tell one byte more than they allow from what they allow, and count as 0 below that"
    )
    func marks() throws {
        for (high, low) in [(10, 5), (0, 0), (-1, -1)] {
            var limits = Limits()
            (limits.outgoingHighWater, limits.outgoingLowWater) = (high, low)
            var engine = try ConnectionEngine.open(.server, limits: limits)
            for count in 0...12 {
                #expect(engine.outgoingCount == count)
                #expect(engine.isOverHighWater == (count > max(0, high)))
                #expect(engine.isAtLowWater == (count <= max(0, low)))
                engine.queueRaw([0])
            }
        }
    }

    @Test("An owner that answers endings itself is offered no room behind one")
    func directBytesBehindAnEnding() throws {
        var engine = try ConnectionEngine.open(.client)
        engine.answersEndings = false
        let text = hex("8104 41")
        engine.receive(text.span)
        #expect(engine.directBytes == 3)
        engine.receiveDirectly(atMost: 3) { room in
            room.copyBytes(from: [0xFF])
            return 1
        }
        #expect(engine.state == .open)
        #expect(engine.directBytes == 0)
        #expect(engine.takeEvents().map(\.summary) == ["failed 1007 8.1"])
    }

    @Test("A new client waits with its request to be written; a new server waits for one")
    func beginnings() throws {
        var client = ConnectionEngine(connecting: try request(), random: SeededSource(seed: 1))
        #expect(client.role == .client)
        #expect(client.state == .connecting)
        #expect(client.outgoingCount > 0)
        #expect(client.nextEvent() == nil)
        #expect(client.shouldCloseTransport == false)

        var server = ConnectionEngine(accepting: Limits(), random: SeededSource(seed: 1))
        #expect(server.role == .server)
        #expect(server.state == .connecting)
        #expect(server.outgoingCount == 0)
        #expect(server.nextEvent() == nil)
    }

    @Test("4.1, 7.1: two engines open, talk, close and end", arguments: [Role.client, .server])
    func wholeLife(closing role: Role) throws {
        var client = ConnectionEngine(connecting: try request(), random: SeededSource(seed: 2))
        var server = ConnectionEngine(accepting: Limits(), random: SeededSource(seed: 3))
        #expect(Self.pass(&client, &server).map(\.summary) == ["request /chat"])
        server.accept()
        #expect(Self.pass(&server, &client).map(\.summary) == ["opened"])
        try client.send(.text("up"))
        try server.send(.binary([1]))
        #expect(Self.pass(&client, &server) == [.message(.text("up"))])
        #expect(Self.pass(&server, &client) == [.message(.binary([1]))])
        switch role {
        case .client:
            try client.close(.normalClosure, reason: "done")
            #expect(client.state == .closing)
            #expect(Self.pass(&client, &server).map(\.summary) == ["close 1000 done"])
            #expect(Self.pass(&server, &client).map(\.summary) == ["close 1000 "])
        case .server:
            try server.close(.goingAway)
            #expect(server.state == .closing)
            #expect(Self.pass(&server, &client).map(\.summary) == ["close 1001 "])
            #expect(Self.pass(&client, &server).map(\.summary) == ["close 1001 "])
        }
        #expect(client.state == .closed && server.state == .closed)
        #expect(client.shouldCloseTransport && server.shouldCloseTransport)
        client.receiveEOF()
        server.receiveEOF()
        #expect(client.takeEvents() == [.ended])
        #expect(server.takeEvents() == [.ended])
    }

    /// Moves all that one engine has to write to the other, and gives what that reports.
    private static func pass(
        _ from: inout ConnectionEngine, _ to: inout ConnectionEngine
    ) -> [EngineEvent] {
        let bytes = from.takeOutgoing()
        to.receive(bytes.span)
        return to.takeEvents()
    }

    @Test(
        "7.1.5: the end of the stream is reported once, whatever was open",
        arguments: [
            "", "81", "8105 48", "0105 48656c6c6f", "8102 6869",
        ])
    func endOfStream(_ stream: String) throws {
        for role in [Role.client, .server] {
            var engine = try ConnectionEngine.open(role)
            let bytes = role == .client ? hex(stream) : masked(stream)
            engine.receive(bytes.span)
            engine.receiveEOF()
            engine.receiveEOF()
            #expect(engine.takeEvents().last == .ended)
            #expect(engine.nextEvent() == nil)
            #expect(engine.state == .closed)
            #expect(engine.shouldCloseTransport == true)
            #expect(engine.outgoingCount == 0)
        }
    }

    @Test("8.5, K08-05: what a cut message had is never delivered")
    func cutMessage() throws {
        let recording = try ConnectionEngine.record(
            .client, [hex("0103 616263 8005 64")], eof: true)
        #expect(recording.events == [.ended])
    }

    @Test("Bytes behind the end of the stream are thrown away")
    func afterEOF() throws {
        var engine = try ConnectionEngine.open(.client)
        engine.receiveEOF()
        let late = hex("8101 41")
        engine.receive(late.span)
        #expect(engine.takeEvents() == [.ended])
    }

    @Test("No bytes at all change nothing, in any state")
    func noBytes() throws {
        let nothing: [UInt8] = []
        var engine = ConnectionEngine(accepting: Limits(), random: SeededSource(seed: 1))
        engine.receive(nothing.span)
        #expect(engine.state == .connecting)
        engine = try ConnectionEngine.open(.client)
        engine.receive(nothing.span)
        #expect(engine.state == .open)
        #expect(engine.nextEvent() == nil)
    }

    @Test("Written bytes are gone, and only they")
    func outgoing() throws {
        var engine = try ConnectionEngine.open(.server)
        try engine.send(.text("abc"))
        #expect(engine.withOutgoing { hexText($0) } == "8103616263")
        engine.didWrite(2)
        #expect(engine.withOutgoing { hexText($0) } == "616263")
        engine.didWrite(-1)
        #expect(engine.outgoingCount == 3)
        engine.didWrite(Int.max)
        #expect(engine.outgoingCount == 0)
        #expect(engine.withOutgoing { $0.count } == 0)
    }

    @Test("A hostile endpoint can queue any bytes in any state")
    func raw() throws {
        var engine = try ConnectionEngine.open(.server)
        engine.fail(.internalError)
        _ = engine.takeOutgoing()
        engine.queueRaw(hex("ff00"))
        #expect(engine.takeOutgoing() == [0xFF, 0x00])
    }

    @Test("An idle connection holds no buffer, and works on afterwards")
    func releaseBuffers() throws {
        for role in [Role.client, .server] {
            var engine = try ConnectionEngine.open(role)
            let stream = "0103 616263 | 8905 6869 313233 | 8003 646566 | 8201 00"
            let bytes = role == .client ? hex(stream) : masked(stream)
            for byte in bytes {
                let piece = [byte]
                engine.receive(piece.span)
                engine.releaseBuffers()
            }
            #expect(
                engine.takeEvents().map(\.summary)
                    == ["ping 6869313233", "text abcdef", "binary 00"])
            _ = engine.takeOutgoing()
            engine.releaseBuffers()
            #expect(engine.retainedBytes == 0)
            try engine.send(.text("on"))
            #expect(engine.retainedBytes > 0)
            #expect(WireFrame.all(in: engine.takeOutgoing()).map(\.summary) == ["text on"])
        }
    }
}
