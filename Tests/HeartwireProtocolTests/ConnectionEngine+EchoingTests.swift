import Testing

@testable import HeartwireProtocol

@Suite struct ConnectionEngineEchoingTests {
    /// What became of the first of `bytes`: what was taken of them, and what is to be written.
    private func echo(
        _ bytes: [UInt8], _ role: Role = .server, limits: Limits = Limits(),
        _ prepare: (inout ConnectionEngine) -> Void = { _ in }
    ) throws -> (taken: ConnectionEngine.Echo?, replies: [String]) {
        var engine = try ConnectionEngine.open(role, limits: limits)
        prepare(&engine)
        _ = engine.takeOutgoing()
        let taken = engine.echo(firstOf: bytes.span)
        return (taken, WireFrame.all(in: engine.takeOutgoing()).map(\.summary))
    }

    @Test("RFC 6455 5.1: a whole binary message goes back without its mask, and alone")
    func whole() throws {
        let (taken, replies) = try echo(masked("8203 010203 | 8201 04"))
        #expect(taken == ConnectionEngine.Echo(frameBytes: 9, payloadBytes: 3))
        #expect(replies == ["binary 010203"])
        let empty = try echo(masked("8200"))
        #expect(empty.taken == ConnectionEngine.Echo(frameBytes: 6, payloadBytes: 0))
        #expect(empty.replies == ["binary "])
    }

    @Test(
        "RFC 6455 5.2: an echo is the same as to receive and to send",
        arguments: [0, 1, 17, 125, 126, 65_535, 65_536, ConnectionEngine.longMessageBytes - 1])
    func same(_ length: Int) throws {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var client = try ConnectionEngine.open(.client)
        try client.send(.binary(payload))
        let bytes = client.takeOutgoing()
        var echoing = try ConnectionEngine.open(.server)
        var sending = try ConnectionEngine.open(.server)
        let taken = echoing.echo(firstOf: bytes.span)
        #expect(
            taken == ConnectionEngine.Echo(frameBytes: bytes.count, payloadBytes: length))
        try sending.send(.binary(payload))
        let isSame = echoing.takeOutgoing() == sending.takeOutgoing()
        #expect(isSame)
        let events = echoing.takeEvents()
        #expect(events.isEmpty)
    }

    @Test(
        "RFC 6455 5.4: what is no whole binary message, or no lawful one, is left as it is",
        arguments: [
            "", "82", "8203 0102", "8101 41", "0201 01", "8001 01", "8900", "8800", "8b00",
            "c201 01", "8205 0102030405",
        ])
    func others(_ frame: String) throws {
        var limits = Limits()
        limits.messageBytes = 4
        let (taken, replies) = try echo(masked(frame), limits: limits)
        #expect(taken == nil)
        #expect(replies == [])
    }

    @Test("RFC 6455 5.1: nothing goes back that is not masked, and nothing from a client")
    func roles() throws {
        #expect(try echo(hex("8201 01")).taken == nil)
        #expect(try echo(hex("8201 01"), .client).taken == nil)
    }

    @Test("RFC 6455 5.4: in the middle of a frame or of a message nothing is taken")
    func middle() throws {
        for begun in ["0201 01", "8203 01"] {
            let (taken, _) = try echo(masked("8201 01")) { engine in
                let bytes = masked(begun)
                engine.receive(bytes.span)
            }
            #expect(taken == nil, "behind \(begun)")
        }
    }

    @Test("T5: nothing overtakes what came before and has not been taken")
    func order() throws {
        var engine = try ConnectionEngine.open(.server)
        let (text, binary) = (masked("8101 41"), masked("8201 01"))
        engine.receive(text.span)
        let overtaking = engine.echo(firstOf: binary.span)
        #expect(overtaking == nil)
        _ = engine.takeEvents()
        let following = engine.echo(firstOf: binary.span)
        #expect(following?.payloadBytes == 1)
    }

    @Test("RFC 6455 5.5.1: nothing is sent behind a Close frame, nor taken behind the peer's")
    func closing() throws {
        let behindOurs = try echo(masked("8201 01")) { try? $0.close(1000) }
        #expect(behindOurs.taken == nil)
        let behindTheirs = try echo(masked("8201 01")) { engine in
            engine.answersAutomatically = false
            let close = masked("8800")
            engine.receive(close.span)
            _ = engine.takeEvents()
        }
        #expect(behindTheirs.taken == nil)
    }

    @Test("RFC 7692 6: where compression was agreed on nothing goes back as it came")
    func compressed() throws {
        var pair = try CompressedPair(client: .everything, server: .everything)
        let bytes = masked("8201 01")
        let taken = pair.server.echo(firstOf: bytes.span)
        #expect(taken == nil)
    }

    @Test("A message that is better sent in pieces is left")
    func long() throws {
        var client = try ConnectionEngine.open(.client)
        let length = ConnectionEngine.longMessageBytes
        try client.send(.binary([UInt8](repeating: 1, count: length)))
        let bytes = client.takeOutgoing()
        #expect(try echo(bytes).taken == nil)
    }
}
