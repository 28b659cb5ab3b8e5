import HeartwireProtocol
import Testing

@Suite("Receiving frames, by section of RFC 6455, in both roles and however cut")
struct ConnectionEngineReceivingTests {
    @Test("RFC 6455 5.2 to 5.8: lawful frames, in both roles", arguments: lawful)
    func lawfulFrames(_ fixture: FrameFixture) throws {
        try check(fixture)
    }

    @Test(
        "RFC 6455 5.2 to 5.5: unlawful frames fail the connection, in both roles",
        arguments: unlawful)
    func unlawfulFrames(_ fixture: FrameFixture) throws {
        try check(fixture)
    }

    @Test("RFC 6455 5.5.1 and 7.4: Close frames, in both roles", arguments: closing)
    func closeFrames(_ fixture: FrameFixture) throws {
        try check(fixture)
    }

    @Test("RFC 6455 8.1: text that is not UTF-8, in both roles", arguments: invalidText)
    func invalidTexts(_ fixture: FrameFixture) throws {
        try check(fixture)
    }

    static let lawful: [FrameFixture] = [
        .init(name: "5.7: an unmasked text", frames: "8105 48656c6c6f", events: ["text Hello"]),
        .init(
            name: "5.7: a fragmented text", frames: "0103 48656c | 8002 6c6f",
            events: ["text Hello"]),
        .init(
            name: "5.7: a ping and its pong", frames: "8905 48656c6c6f",
            events: ["ping 48656c6c6f"], replies: ["pong 48656c6c6f"]),
        .init(
            name: "5.5.3: an unsolicited pong is reported and not answered", frames: "8a02 6869",
            events: ["pong 6869"]),
        .init(
            name: "K06-04: a ping between fragments",
            frames: "0105 68656c6c6f | 8900 | 8005 776f726c64",
            events: ["ping ", "text helloworld"], replies: ["pong "]),
        .init(
            name: "K06-04: a pong between fragments",
            frames: "0105 68656c6c6f | 8a02 6869 | 8005 776f726c64",
            events: ["pong 6869", "text helloworld"]),
        .init(
            name: "K06-04: a Close between fragments drops the partial message",
            frames: "0105 68656c6c6f | 8802 03e8 | 8005 776f726c64",
            events: ["close 1000 "], replies: ["close 1000"], state: .closed),
        .init(
            name: "K06-05: the euro sign split over three fragments",
            frames: "0101 e2 | 0001 82 | 8001 ac", events: ["text €"]),
        .init(
            name: "K06-07: empty messages are messages",
            frames: "8100 | 8200 | 0100 | 8000 | 0101 41 | 0000 | 8000 | 8800",
            events: ["text ", "binary ", "text ", "text A", "close none"], replies: ["close"],
            state: .closed),
        .init(
            name: "5.4: binary fragments with a control frame between",
            frames: "0202 0001 | 8900 | 0001 02 | 8003 030405",
            events: ["ping ", "binary 000102030405"], replies: ["pong "]),
        .init(
            name: "K06-15: 126 bytes take the length of two bytes",
            frames: "827e 007e " + String(repeating: "ab", count: 126),
            events: ["binary " + String(repeating: "ab", count: 126)]),
        .init(
            name: "K02-13: each ping is answered in order with the same payload",
            frames:
                "890d 31373030303030303030303030 | 8900 | 890d 31373030303030303030303030 | 8900",
            events: [
                "ping 31373030303030303030303030", "ping ", "ping 31373030303030303030303030",
                "ping ",
            ],
            replies: [
                "pong 31373030303030303030303030", "pong ", "pong 31373030303030303030303030",
                "pong ",
            ]),
    ]

    static func fails(_ name: String, _ frames: String, _ code: Int, _ clause: String)
        -> FrameFixture
    {
        FrameFixture(
            name: name, frames: frames, events: ["failed \(code) \(clause)"],
            replies: ["close \(code)"], state: .closed)
    }

    static let unlawful: [FrameFixture] = [
        fails("K06-01: a 64-bit length of all ones", "827f ffffffffffffffff", 1002, "5.2"),
        fails("K06-01: a 64-bit length with the top bit", "827f 8000000000000000", 1002, "5.2"),
        fails("K06-01: the largest lawful length", "827f 7fffffffffffffff", 1009, "10.4"),
        fails("K06-01: 4 GiB announced, then silence", "827f 0000000100000000", 1009, "10.4"),
        fails("5.2: RSV1 without an extension", "c100", 1002, "5.2"),
        fails("5.2: RSV2", "a100", 1002, "5.2"),
        fails("5.2: RSV3 on a ping", "9900", 1002, "5.2"),
        fails("5.2: reserved data opcode 3", "8300", 1002, "5.2"),
        fails("5.2: reserved control opcode 11", "8b00", 1002, "5.2"),
        fails("5.4, K06-08: a continuation without a start", "8001 41", 1002, "5.4"),
        fails("5.4, K06-08: an empty continuation without a start", "0000", 1002, "5.4"),
        fails("5.4, K06-08: a text inside a message", "0101 41 | 8101 42", 1002, "5.4"),
        fails(
            "5.4, K06-08: a second start inside a message", "0101 41 | 0101 42 | 8001 43", 1002,
            "5.4"),
        fails("5.4: a binary inside a text", "0101 41 | 8201 42", 1002, "5.4"),
        fails(
            "5.5, K06-10: a ping of 126 bytes", "897e 007e" + String(repeating: "00", count: 126),
            1002, "5.5"),
        fails("5.5, K06-10: a fragmented ping", "0900", 1002, "5.5"),
        fails("5.5, K06-10: a fragmented Close", "0802 03e8", 1002, "5.5"),
        fails(
            "5.5, K06-10: a ping with a 64-bit length", "897f 0000000000000001 41", 1002, "5.5"),
        fails("5.2, K06-11: two bytes in a 16-bit length", "817e 0002 4869", 1002, "5.2"),
        fails("5.2, K06-11: one byte in a 64-bit length", "827f 0000000000000001 41", 1002, "5.2"),
        fails("5.2, K06-11: 125 in a 16-bit length", "827e 007d", 1002, "5.2"),
        fails("5.2, K06-11: 65535 in a 64-bit length", "827f 000000000000ffff", 1002, "5.2"),
    ]

    static func closes(_ name: String, _ frames: String, _ event: String, _ reply: String)
        -> FrameFixture
    {
        FrameFixture(
            name: name, frames: frames, events: [event], replies: [reply], state: .closed)
    }

    static let closing: [FrameFixture] =
        [
            closes("5.5.1: no code", "8800", "close none", "close"),
            closes("5.5.1: a code", "8802 03e8", "close 1000 ", "close 1000"),
            closes(
                "5.5.1: a code and a reason", "8806 03f0 706f6c79", "close 1008 poly", "close 1008"),
            closes(
                "5.5.1: a reason of 123 bytes", "887d 0fa0 " + String(repeating: "78", count: 123),
                "close 4000 " + String(repeating: "x", count: 123), "close 4000"),
            closes(
                "K01-04: one answer, one event, nothing after it",
                "8802 03e8 | 8802 03e9 | 8101 41", "close 1000 ", "close 1000"),
            fails("5.5.1: a single byte", "8801 03", 1002, "5.5.1"),
            fails("5.5.1: a reason that is not UTF-8", "8804 03e8 c328", 1007, "5.5.1"),
            fails("5.5.1: a reason that ends inside a character", "8804 03e8 e282", 1007, "5.5.1"),
        ]
        + [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535].map { (code: Int) in
            fails("7.4, K10-03: code \(code) is illegal", "8802 " + hexCode(code), 1002, "7.4")
        }
        + [1000, 1001, 1002, 1003, 1007, 1011, 1012, 1013, 1014, 3000, 4999].map { (code: Int) in
            closes(
                "7.4, K10-03: code \(code) is lawful", "8802 " + hexCode(code), "close \(code) ",
                "close \(code)")
        }

    static func hexCode(_ code: Int) -> String {
        hexText([UInt8(code >> 8), UInt8(code & 0xFF)])
    }

    static let invalidText: [FrameFixture] = [
        fails("8.1: a stray continuation byte", "8101 80", 1007, "8.1"),
        fails("8.1: an overlong slash", "8102 c0af", 1007, "8.1"),
        fails("8.1: a surrogate", "8103 eda080", 1007, "8.1"),
        fails("8.1: beyond U+10FFFF", "8104 f4908080", 1007, "8.1"),
        fails("8.1: the end inside a character", "8102 e282", 1007, "8.1"),
        fails("8.1: the last fragment ends inside a character", "0101 e2 | 8001 82", 1007, "8.1"),
        fails("8.1: a fragment breaks a character", "0101 e2 | 8001 41", 1007, "8.1"),
        fails("8.1: bytes that could still fail are not waited for", "0102 f490", 1007, "8.1"),
    ]

    @Test("8.1: an impossible byte fails the connection before the frame is whole")
    func failsFast() throws {
        for role in [Role.client, .server] {
            let frame = "8164 6162 f490"
            let stream = role == .client ? hex(frame) : masked(frame)
            let recording = try ConnectionEngine.record(role, [stream])
            #expect(recording.summaries == ["failed 1007 8.1"])
        }
    }

    @Test(
        "5.1, K06-03: a masked server frame fails the connection, and its key is not taken for payload",
        arguments: [
            "8182 37fa213d 7f93", "8882 03e80000 0000", "8a80 00000000", "8980 01020304",
        ])
    func maskedServerFrame(_ frame: String) throws {
        for pieces in [[hex(frame)]] + cuts(of: hex(frame)) {
            let recording = try ConnectionEngine.record(.client, pieces)
            #expect(recording.summaries == ["failed 1002 5.1"])
            #expect(recording.replies == ["close 1002"])
            guard case .failed(let violation)? = recording.events.first else { continue }
            #expect(violation.seen.contains("masked server frame"))
        }
    }

    @Test(
        "5.1: an unmasked client frame fails the connection", arguments: ["8100", "8800", "8900"])
    func unmaskedClientFrame(_ frame: String) throws {
        let recording = try ConnectionEngine.record(.server, [hex(frame)])
        #expect(recording.summaries == ["failed 1002 5.1"])
        #expect(recording.replies == ["close 1002"])
    }

    @Test("7.1.7: what follows a failure is thrown away, and the failure is reported once")
    func nothingAfterFailure() throws {
        let recording = try ConnectionEngine.record(
            .client, [hex("8101 41 8300"), hex("8101 42 8300 8802 03e8")], eof: true)
        #expect(recording.summaries == ["text A", "failed 1002 5.2", "ended"])
        #expect(recording.replies == ["close 1002"])
    }

    @Test("7.1.7: the Close of a failure says what was wrong, in 123 bytes at most")
    func failureReason() throws {
        let recording = try ConnectionEngine.record(.client, [hex("8100 8180")])
        let close = try #require(WireFrame.all(in: recording.outgoing).last)
        let reason = String(decoding: close.payload.dropFirst(2), as: UTF8.self)
        #expect(reason.hasPrefix("RFC 6455 5.1: expected server frames to be unmasked"))
        #expect(close.payload.count <= 125)
    }

    @Test("K10-08: messages before a Close are reported before it")
    func messagesBeforeClose() throws {
        let stream = Array(repeating: hex("8101 41"), count: 1_000).flatMap(\.self)
        let recording = try ConnectionEngine.record(.client, [stream + hex("8802 03e8")], eof: true)
        #expect(recording.events.count == 1_002)
        #expect(recording.events[..<1_000].allSatisfy { $0 == .message(.text("A")) })
        #expect(recording.summaries[1_000...] == ["close 1000 ", "ended"])
    }

    @Test("K10-06: a Close that arrived is reported even if the answer cannot be written")
    func closeThenReset() throws {
        let recording = try ConnectionEngine.record(
            .client, [hex("8806 03f0 706f6c79")], eof: true
        ) { engine in
            try engine.send(.binary([UInt8](repeating: 0, count: 100 << 10)))
        }
        #expect(recording.summaries == ["close 1008 poly", "ended"])
    }

    @Test("5.5.2: a pong goes out ahead of data that is sent later")
    func pongBeforeData() throws {
        var engine = try ConnectionEngine.open(.client)
        try engine.send(.text("before"))
        let ping = hex("8901 2a")
        engine.receive(ping.span)
        try engine.send(.text("after"))
        let frames = WireFrame.all(in: engine.takeOutgoing())
        #expect(frames.map(\.summary) == ["text before", "pong 2a", "text after"])
    }

    @Test("5.5.2: pings are answered while our Close is unanswered, and not after the peer's")
    func pongWhileClosing() throws {
        let recording = try ConnectionEngine.record(
            .client, [hex("8101 41 8900 8802 03e8 8900")]
        ) { engine in
            try engine.close(.goingAway)
        }
        #expect(recording.summaries == ["text A", "ping ", "close 1000 "])
        #expect(recording.replies == ["close 1001", "pong "])
        #expect(recording.state == .closed)
    }

    @Test("K10-02: when both sides close at once, each sends one Close frame")
    func simultaneousClose() throws {
        let stream = hex("8805 0fa1 627965")
        var engine = try ConnectionEngine.open(.client)
        try engine.close(4000, reason: "bye")
        engine.receive(stream.span)
        #expect(engine.closeSent == ClosePayload(code: 4000, reason: "bye"))
        #expect(engine.closeReceived == ClosePayload(code: 4001, reason: "bye"))
        #expect(WireFrame.all(in: engine.takeOutgoing()).map(\.summary) == ["close 4000"])
        #expect(engine.takeEvents().map(\.summary) == ["close 4001 bye"])
        #expect(engine.shouldCloseTransport == true)
    }

    @Test("7.1.7: a broken rule while closing sends no second Close")
    func violationWhileClosing() throws {
        let recording = try ConnectionEngine.record(.client, [hex("8300")]) { engine in
            try engine.close(.normalClosure)
        }
        #expect(recording.replies == ["close 1000"])
        #expect(recording.summaries == ["failed 1002 5.2"])
    }

    @Test("K09-02: of 20,000 pings to a blocked writer, only a bounded number is answered")
    func pingFlood() throws {
        let limits = Limits()
        var engine = try ConnectionEngine.open(.client)
        let flood = Array(
            repeating: [0x89, 125] + [UInt8](repeating: 7, count: 125), count: 1_000
        ).flatMap(\.self)
        let newest = hex("8902 beef")
        for _ in 0..<20 {
            engine.receive(flood.span)
            while engine.nextEvent() != nil {}
        }
        engine.receive(newest.span)
        #expect(engine.outgoingCount == limits.pendingPongs * 131)
        let first = engine.takeOutgoing()
        #expect(WireFrame.all(in: first).count == limits.pendingPongs)
        let second = WireFrame.all(in: engine.takeOutgoing())
        #expect(second.map(\.summary) == ["pong beef"])
        #expect(engine.takeOutgoing().isEmpty)
    }

    @Test(
        "RFC 6455 5.2: a message that comes alone is what it is among others, in both roles",
        arguments: [Role.client, .server], [0, 1, 125, 126, 65_536])
    func alone(_ role: Role, _ length: Int) throws {
        for message in [
            Message.binary((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }),
            .text(String(repeating: "x", count: length)),
        ] {
            var peer = try ConnectionEngine.open(role == .client ? .server : .client)
            try peer.send(message)
            let bytes = peer.takeOutgoing()
            var engine = try ConnectionEngine.open(role)
            var offset = 0
            let taken = engine.message(in: bytes.span, at: &offset)
            #expect(taken == message)
            #expect(offset == bytes.count)
            let untold = engine.takeEvents()
            #expect(untold.isEmpty)
            engine.receive(bytes.span)
            let told = engine.takeEvents()
            #expect(told == [.message(message)])
        }
    }

    @Test("5.2: messages that come together are taken one by one, up to what is none")
    func oneByOne() throws {
        var engine = try ConnectionEngine.open(.client)
        let bytes = hex("8201 01 8101 61 8900 8201 02")
        var offset = 0
        var taken: [Message] = []
        while let message = engine.message(in: bytes.span, at: &offset) { taken.append(message) }
        #expect(taken == [.binary([1]), .text("a")])
        #expect(offset == 6)
        engine.receive(bytes.span.extracting(droppingFirst: offset))
        let rest = engine.takeEvents()
        #expect(rest == [.pingReceived([]), .message(.binary([2]))])
    }

    @Test(
        "5.4, 7.1.7, 10.4: what is unlawful, cut off or not a message by itself is left where it is",
        arguments: [
            "8202 01", "8101 ff", "0201 01", "c201 01", "8281 00000000 01", "827e 007d", "8300",
            "82",
        ])
    func leftAlone(_ frame: String) throws {
        var engine = try ConnectionEngine.open(.client)
        var offset = 0
        let taken = engine.message(in: hex(frame).span, at: &offset)
        #expect(taken == nil)
        #expect(offset == 0)
        let told = engine.takeEvents()
        #expect(told.isEmpty)
    }

    @Test("10.4: a message past the limit is not taken, nor any within one that has begun")
    func leftToTheLimit() throws {
        var limits = Limits()
        limits.messageBytes = 2
        var engine = try ConnectionEngine.open(.client, limits: limits)
        var offset = 0
        let tooLong = engine.message(in: hex("8203 010203").span, at: &offset)
        #expect(tooLong == nil)
        engine.receive(hex("0201 01").span)
        let within = engine.message(in: hex("8201 01").span, at: &offset)
        #expect(within == nil)
        #expect(offset == 0)
    }

    @Test("T5: a message alone does not overtake what has not been taken, nor the Close")
    func aloneInOrder() throws {
        var engine = try ConnectionEngine.open(.client)
        let (ping, message, close) = (hex("8900"), hex("8201 01"), hex("8800"))
        engine.receive(ping.span)
        var offset = 0
        let overtaking = engine.message(in: message.span, at: &offset)
        #expect(overtaking == nil)
        #expect(offset == 0)
        _ = engine.takeEvents()
        try engine.close(1000)
        let behindOurs = engine.message(in: message.span, at: &offset)
        #expect(behindOurs == .binary([1]), "the peer may go on until it has answered")
        engine.receive(close.span)
        _ = engine.takeEvents()
        offset = 0
        let behindTheirs = engine.message(in: message.span, at: &offset)
        #expect(behindTheirs == nil)
    }

    @Test(
        "RFC 6455 5.5.1, 7.1.7: nothing is taken where the owner is to answer for the connection's end"
    )
    func aloneBehindTheEnd() throws {
        var engine = try ConnectionEngine.open(.client)
        engine.answersEndings = false
        let (message, close) = (hex("8201 01"), hex("8800"))
        engine.receive(close.span)
        _ = engine.takeEvents()
        var offset = 0
        let taken = engine.message(in: message.span, at: &offset)
        #expect(taken == nil)
    }

    @Test("RFC 7692 6: where compression was agreed on no message is taken unread")
    func aloneCompressed() throws {
        var pair = try CompressedPair(client: .everything, server: .everything)
        let bytes = hex("8201 01")
        var offset = 0
        let taken = pair.client.message(in: bytes.span, at: &offset)
        #expect(taken == nil)
    }
}
