import Testing

@testable import HeartwireProtocol

/// Two engines that have agreed on compression, or not.
struct CompressedPair: ~Copyable {
    var client: ConnectionEngine
    var server: ConnectionEngine
    /// What the client's engine made of the answer.
    var opened: [EngineEvent]

    init(
        client options: DeflateOptions?, server serverOptions: DeflateOptions?,
        codec: (any DeflateCodec)? = StoredCodec(), limits: Limits = Limits()
    ) throws {
        let request = try OpeningRequest(url: WebSocketURL("ws://server.example/"))
        let random = SeededSource(seed: 1)
        client = ConnectionEngine(
            connecting: request, limits: limits, random: random,
            compression: options.map { .deflate($0) } ?? .off, codec: codec)
        server = ConnectionEngine(accepting: limits, random: random)
        let asked = client.takeOutgoing()
        server.receive(asked.span)
        _ = server.takeEvents()
        server.accept(compression: serverOptions.map { .deflate($0) } ?? .off, codec: codec)
        let answer = server.takeOutgoing()
        client.receive(answer.span)
        opened = client.takeEvents()
    }

    /// What was agreed on.
    var agreed: DeflateParameters? {
        guard case .opened(let result)? = opened.first else { return nil }
        return result.compression
    }

    /// Sends from one side; gives the frames' first bytes and what the other side made of them.
    mutating func send(
        from role: Role, _ messages: Message...
    ) throws -> (firsts: [UInt8], events: [EngineEvent]) {
        switch role {
        case .client:
            for message in messages { try client.send(message) }
            let bytes = client.takeOutgoing()
            server.receive(bytes.span)
            return (WireFrame.all(in: bytes).map(\.first), server.takeEvents())
        case .server:
            for message in messages { try server.send(message) }
            let bytes = server.takeOutgoing()
            client.receive(bytes.span)
            return (WireFrame.all(in: bytes).map(\.first), client.takeEvents())
        }
    }
}

extension DeflateOptions {
    /// Everything is compressed, however small.
    static var everything: DeflateOptions {
        var options = DeflateOptions()
        options.thresholdBytes = 0
        return options
    }
}

@Suite("P2: compression on a connection")
struct ConnectionEngineCompressionTests {
    @Test("P2: what both want is compressed in both directions, and comes out as it went in")
    func bothWays() throws {
        var pair = try CompressedPair(client: .everything, server: .everything)
        #expect(pair.agreed == DeflateParameters())
        for role in [Role.client, .server] {
            let messages: [Message] = [.text("Grüße"), .binary([1, 2, 3]), .text(""), .binary([])]
            let (firsts, events) = try pair.send(
                from: role, messages[0], messages[1], messages[2], messages[3])
            #expect(firsts == [0xC1, 0xC2, 0xC1, 0xC2])
            #expect(events == messages.map { .message($0) })
        }
    }

    @Test("P2: below the threshold messages go plain on a compressed connection")
    func threshold() throws {
        var pair = try CompressedPair(client: DeflateOptions(), server: DeflateOptions())
        let (short, long) = (
            String(repeating: "s", count: 1_023), String(repeating: "l", count: 1_024)
        )
        let (firsts, events) = try pair.send(from: .client, .text(short), .text(long))
        #expect(firsts == [0x81, 0xC1])
        #expect(events == [.message(.text(short)), .message(.text(long))])
    }

    @Test("K07-12: where one side does not want it nothing is compressed, and RSV1 stays unlawful")
    func oneSided() throws {
        for (client, server) in [
            (nil, DeflateOptions.everything), (DeflateOptions.everything, nil), (nil, nil),
        ] {
            var pair = try CompressedPair(client: client, server: server)
            #expect(pair.agreed == nil)
            let (firsts, _) = try pair.send(from: .client, .text("plain"))
            #expect(firsts == [0x81])
            let compressed = hex("c107 f248cdc9c90700")
            pair.client.receive(compressed.span)
            #expect(pair.client.takeEvents().map(\.summary) == ["failed 1002 5.2"])
        }
    }

    @Test("Without a codec nothing is offered and nothing is accepted")
    func withoutCodec() throws {
        var pair = try CompressedPair(client: .everything, server: .everything, codec: nil)
        #expect(pair.agreed == nil)
        #expect(try pair.send(from: .server, .text("plain")).firsts == [0x81])
    }

    @Test("K07-09: pings, pongs and Close frames are never compressed")
    func controlFrames() throws {
        var pair = try CompressedPair(client: .everything, server: .everything)
        let ping = hex("8904 01020304")
        pair.client.receive(ping.span)
        try pair.client.sendPing([7])
        try pair.client.close(1000, reason: "bye")
        #expect(
            WireFrame.all(in: pair.client.takeOutgoing()).map(\.summary)
                == ["pong 01020304", "ping 07", "close 1000"])
    }

    @Test(
        "K07-08: RSV1 on a continuation or a control frame is 1002, and a ping within a message is not",
        arguments: [
            ("4106 00 0100 feff 41 c001 00", ["failed 1002 5.2"]),
            ("c900", ["failed 1002 5.2"]), ("c802 03e8", ["failed 1002 5.2"]),
            ("ca00", ["failed 1002 5.2"]), ("c000", ["failed 1002 5.2"]),
            ("a100", ["failed 1002 5.2"]), ("e100", ["failed 1002 5.2"]),
            ("4106 00 0100 feff 41 8900 8001 00", ["ping ", "text A"]),
        ])
    func reservedBit(_ stream: String, events: [String]) throws {
        var pair = try CompressedPair(client: .everything, server: .everything)
        let bytes = hex(stream)
        pair.client.receive(bytes.span)
        #expect(pair.client.takeEvents().map(\.summary) == events)
    }

    @Test("P2: what is corrupt, cut or too large fails the connection and is not passed on")
    func failures() throws {
        for (stream, event, close) in [
            ("c101 ff", "failed 1007 7.2.2", "close 1007"),
            ("c100", "failed 1007 7.2.1", "close 1007"),
            ("c107 00 0100 feff ff 00", "failed 1007 8.1", "close 1007"),
            ("c205 06 ffff00 00", "failed 1009 10.4", "close 1009"),
        ] {
            var limits = Limits()
            limits.messageBytes = 50_000
            var pair = try CompressedPair(client: .everything, server: .everything, limits: limits)
            let bytes = hex(stream)
            pair.client.receive(bytes.span)
            #expect(pair.client.takeEvents().map(\.summary) == [event])
            #expect(
                WireFrame.all(in: pair.client.takeOutgoing()).map(\.summary) == [close])
        }
    }

    @Test("Contexts that no message needs are given back when the connection is idle, others stay")
    func releases() throws {
        for forgets in [true, false] {
            var options = DeflateOptions.everything
            options.clientNoContextTakeover = forgets
            options.serverNoContextTakeover = forgets
            let codec = StoredCodec()
            var pair = try CompressedPair(client: options, server: options, codec: codec)
            #expect(codec.log.entries.isEmpty)
            for _ in 0..<2 {
                _ = try pair.send(from: .client, .text("a"))
                _ = try pair.send(from: .server, .text("b"))
                pair.client.releaseBuffers()
                pair.server.releaseBuffers()
            }
            let made = codec.log.entries.filter { $0.hasSuffix(" 15 1") || $0.hasSuffix(" 15") }
            #expect(made.count == (forgets ? 8 : 4))
        }
    }

    @Test("Each side compresses within its own window")
    func windows() throws {
        var options = DeflateOptions.everything
        options.clientMaxWindowBits = 9
        options.serverMaxWindowBits = 10
        let codec = StoredCodec()
        var pair = try CompressedPair(client: options, server: .everything, codec: codec)
        _ = try pair.send(from: .client, .text("a"))
        _ = try pair.send(from: .server, .text("b"))
        #expect(
            codec.log.entries.filter { $0.contains("flater") }
                == ["deflater 9 1", "inflater 9", "deflater 10 1", "inflater 10"])
    }

    @Test("Frames glued to the request are inflated as soon as it is accepted")
    func early() throws {
        let request = try OpeningRequest(url: WebSocketURL("ws://server.example/"))
        let random = SeededSource(seed: 1)
        var client = ConnectionEngine(
            connecting: request, random: random, compression: .deflate(), codec: StoredCodec())
        var server = ConnectionEngine(accepting: Limits(), random: random)
        let bytes = client.takeOutgoing() + masked("c107 00 0100 feff 41 00")
        server.receive(bytes.span)
        server.accept(compression: .deflate(), codec: StoredCodec())
        #expect(server.takeEvents().map(\.summary) == ["request /", "text A"])
    }

    @Test("An engine that is closed lets go of its contexts")
    func closed() throws {
        var pair = try CompressedPair(client: .everything, server: .everything)
        _ = try pair.send(from: .client, .text("a"))
        pair.client.receiveEOF()
        #expect(pair.client.compressor == nil)
        #expect(pair.client.agreement == nil)
    }

    @Test(
        "An open connection has nothing of its handshake, and no context before a message needs one"
    )
    func onDemand() throws {
        var pair = try CompressedPair(client: DeflateOptions(), server: DeflateOptions())
        #expect(pair.client.opening == nil)
        #expect(pair.server.opening == nil)
        _ = try pair.send(from: .client, .text("short"))
        let inflates = pair.client.inflates
        #expect(inflates)
        #expect(pair.client.compressor == nil)
        _ = try pair.send(from: .client, .text(String(repeating: "l", count: 1_024)))
        #expect(pair.client.compressor != nil)
    }
}
