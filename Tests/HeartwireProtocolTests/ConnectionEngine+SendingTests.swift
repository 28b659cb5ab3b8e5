import HeartwireProtocol
import Testing

@Suite("Sending")
struct ConnectionEngineSendingTests {
    private func fault(
        _ body: () throws(SendError) -> Void
    ) -> SendError? {
        do throws(SendError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("5.3: a client masks every frame with a fresh key, a server none")
    func keys() throws {
        var client = try ConnectionEngine.open(.client)
        for _ in 0..<50 { try client.send(.binary([1, 2, 3, 4, 5])) }
        try client.sendPing([1])
        try client.close(.normalClosure)
        let frames = WireFrame.all(in: client.takeOutgoing())
        #expect(frames.count == 52)
        #expect(Set(frames.compactMap(\.key)).count == 52)
        #expect(frames[..<50].allSatisfy { $0.payload == [1, 2, 3, 4, 5] })

        var server = try ConnectionEngine.open(.server)
        try server.send(.text("x"))
        try server.sendPing([1])
        try server.close(.normalClosure)
        #expect(hexText(server.takeOutgoing()) == "810178" + "890101" + "880203e8")
    }

    @Test("K06-15: messages of every boundary size arrive as they were sent")
    func sizes() throws {
        var client = try ConnectionEngine.open(.client)
        var server = try ConnectionEngine.open(.server)
        for size in [0, 1, 125, 126, 127, 65_535, 65_536, 65_537] {
            for message in [
                Message.binary((0..<size).map { UInt8(truncatingIfNeeded: $0) }),
                .text(String(repeating: "z", count: size)),
            ] {
                try client.send(message)
                let up = client.takeOutgoing()
                server.receive(up.span)
                #expect(server.nextEvent() == .message(message))
                try server.send(message)
                let down = server.takeOutgoing()
                client.receive(down.span)
                #expect(client.nextEvent() == .message(message))
            }
        }
    }

    @Test(
        "A long message is written piece by piece, as the same frame; of an unmasked one only the first piece is copied",
        arguments: [(Role.client, [131_097, 131_072, 37_856]), (.server, [131_089, 168_928])])
    func writtenThrough(_ role: Role, pieces: [Int]) throws {
        var engine = try ConnectionEngine.open(role)
        var peer = try ConnectionEngine.open(role == .client ? .server : .client)
        try engine.send(.text("ahead"))
        let message = Message.binary(
            (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        var written: [Int] = []
        let hasRoom = try engine.send(message) { bytes in
            written.append(bytes.count)
            peer.receive(bytes.bindMemory(to: UInt8.self).span)
            return .max
        }
        #expect(hasRoom)
        #expect(engine.outgoingCount == 0)
        #expect(written == pieces)
        #expect(peer.takeEvents() == [.message(.text("ahead")), .message(message)])
    }

    @Test(
        "What is not taken of a long message stays queued, and nobody is asked again",
        arguments: [
            (Role.client, 0, 1_000, 1_000), (.server, 0, 1_000, 1_000), (.server, 1, -1, 0),
            (.server, 1, 0, 0), (.server, 1, 1_000, 1_000), (.server, 1, 168_927, 168_927),
        ])
    func writtenInPart(_ role: Role, whole: Int, answer: Int, taken: Int) throws {
        var engine = try ConnectionEngine.open(role)
        var peer = try ConnectionEngine.open(role == .client ? .server : .client)
        let message = Message.binary((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        var (calls, sum) = (0, 0)
        let hasRoom = try engine.send(message) { bytes in
            calls += 1
            let part = bytes[..<(calls <= whole ? bytes.count : taken)]
            sum += part.count
            peer.receive(UnsafeRawBufferPointer(rebasing: part).bindMemory(to: UInt8.self).span)
            return calls <= whole ? bytes.count : answer
        }
        #expect(!hasRoom)
        #expect(calls == whole + 1)
        let rest = engine.takeOutgoing()
        #expect(rest.count == (role == .client ? 300_014 : 300_010) - sum)
        peer.receive(rest.span)
        #expect(peer.takeEvents() == [.message(message)])
    }

    @Test(
        "Text is made in one piece and written at once; a connection that is closed takes neither")
    func writtenWhole() throws {
        var engine = try ConnectionEngine.open(.server)
        var written: [UInt8] = []
        let text = Message.text(String(repeating: "t", count: 300_000))
        #expect(
            try engine.send(text) {
                written += $0
                return $0.count
            })
        #expect(WireFrame.all(in: written).map(\.payload.count) == [300_000])
        engine.fail(.goingAway)
        #expect(
            fault { () throws(SendError) in _ = try engine.send(text) { $0.count } } == .closed)
    }

    @Test("5.5.3: a ping that was held back is answered behind a long message, never within it")
    func heldPing() throws {
        var limits = Limits()
        limits.pendingPongs = 1
        var engine = try ConnectionEngine.open(.server, limits: limits)
        let pings = masked("8901 01 | 8901 02")
        engine.receive(pings.span)
        let bytes = [UInt8](repeating: 9, count: 300_000)
        var written: [UInt8] = []
        _ = try engine.send(.binary(bytes)) { piece in
            written += piece
            return piece.count
        }
        written += engine.takeOutgoing()
        let frames = WireFrame.all(in: written)
        #expect(frames.map(\.first) == [0x8A, 0x82, 0x8A])
        #expect(frames[1].payload == bytes)
    }

    @Test("RFC 7692 6: a message below the threshold goes plain beside one that is compressed")
    func belowThreshold() throws {
        let options = DeflateOptions()
        let sizes = [options.thresholdBytes - 1, options.thresholdBytes]
        for role in [Role.client, .server] {
            var pair = try CompressedPair(client: options, server: options)
            for (size, first) in zip(sizes, [0x81, 0xC1] as [UInt8]) {
                let text = Message.text(String(repeating: "t", count: size))
                let sent = try pair.send(from: role, text)
                #expect(sent.firsts == [first])
                #expect(sent.events == [.message(text)])
            }
        }
    }

    @Test("RFC 7692 6: a message that cannot be compressed goes plain")
    func incompressible() throws {
        for role in [Role.client, .server] {
            var pair = try CompressedPair(client: DeflateOptions(), server: DeflateOptions())
            let text = Message.text(String(repeating: "!", count: 2_000))
            let sent = try pair.send(from: role, text)
            #expect(sent.firsts == [0x81])
            #expect(sent.events == [.message(text)])
        }
    }

    @Test("K06-15: sixteen mebibytes arrive in pieces")
    func largest() throws {
        var server = try ConnectionEngine.open(.server)
        var client = try ConnectionEngine.open(.client)
        let message = Message.binary([UInt8](repeating: 0x5A, count: 1 << 24))
        try server.send(message)
        let bytes = server.takeOutgoing()
        var offset = 0
        while offset < bytes.count {
            let end = min(offset + 100_000, bytes.count)
            client.receive(bytes.span.extracting(offset..<end))
            offset = end
        }
        #expect(client.nextEvent() == .message(message))
    }

    @Test("5.6: text goes out as UTF-8")
    func text() throws {
        var engine = try ConnectionEngine.open(.server)
        for text in ["", "short", "€ and longer than the inline form", "🫀"] {
            try engine.send(.text(text))
            let frame = try #require(WireFrame.all(in: engine.takeOutgoing()).first)
            #expect(frame.first == 0x81)
            #expect(frame.payload.elementsEqual(text.utf8))
        }
    }

    @Test("5.5: a ping or pong of 125 bytes goes out, one of 126 is refused and leaves nothing")
    func controlSizes() throws {
        var engine = try ConnectionEngine.open(.client)
        try engine.sendPing([UInt8](repeating: 1, count: 125))
        try engine.sendPong([UInt8](repeating: 2, count: 125))
        let frames = WireFrame.all(in: engine.takeOutgoing())
        #expect(frames.map(\.first) == [0x89, 0x8A])
        #expect(frames.map(\.payload.count) == [125, 125])
        let long = [UInt8](repeating: 1, count: 126)
        #expect(
            fault { () throws(SendError) in try engine.sendPing(long) }
                == .controlPayloadTooLong(126))
        #expect(
            fault { () throws(SendError) in try engine.sendPong(long) }
                == .controlPayloadTooLong(126))
        #expect(engine.outgoingCount == 0)
    }

    @Test("K09-02: an owner that answers pings itself lets as few pongs wait, and the newest ping")
    func answeredByOwner() throws {
        let limit = Limits().pendingPongs
        var engine = try ConnectionEngine.open(.server)
        engine.answersPings = false
        for number in 0..<UInt8(limit) {
            try engine.answerPing([number])
            #expect(engine.holdsPing == false)
        }
        try engine.answerPing([0xBE])
        try engine.answerPing([0xEF])
        #expect(engine.holdsPing == true)
        #expect(engine.outgoingCount == limit * 3)
        #expect(WireFrame.all(in: engine.takeOutgoing()).count == limit)
        #expect(engine.holdsPing == false)
        #expect(WireFrame.all(in: engine.takeOutgoing()).map(\.summary) == ["pong ef"])
        #expect(engine.outgoingCount == 0)
    }

    @Test("5.5.2: an owner may answer pings until it has closed, and not before it is open")
    func answeredByOwnerInEachState() throws {
        var engine = ConnectionEngine(accepting: Limits(), random: SeededSource(seed: 1))
        #expect(fault { () throws(SendError) in try engine.answerPing([]) } == .notOpen)
        engine = try ConnectionEngine.open(.client)
        let long = [UInt8](repeating: 1, count: 126)
        #expect(
            fault { () throws(SendError) in try engine.answerPing(long) }
                == .controlPayloadTooLong(126))
        #expect(engine.outgoingCount == 0)
        try engine.close(.normalClosure)
        try engine.answerPing([1])
        let frames = WireFrame.all(in: engine.takeOutgoing()).map(\.summary)
        #expect(frames == ["close 1000", "pong 01"])
        engine.fail(.protocolError)
        #expect(fault { () throws(SendError) in try engine.answerPing([]) } == .closed)
        #expect(engine.outgoingCount == 0)
    }

    @Test("K10-05: an illegal code or a long reason throws, queues nothing and closes nothing")
    func illegalClose() throws {
        var engine = try ConnectionEngine.open(.client)
        for code in [1004, 1005, 1006, 1015, 999, 5000] as [CloseCode] {
            #expect(
                fault { () throws(SendError) in try engine.close(code) }
                    == .reservedCloseCode(code))
        }
        for count in [124, 125, 1_000] {
            let reason = String(repeating: "x", count: count)
            #expect(
                fault { () throws(SendError) in try engine.close(4000, reason: reason) }
                    == .reasonTooLong(count))
        }
        #expect(
            fault { () throws(SendError) in try engine.close(nil, reason: "x") }
                == .reasonWithoutCode)
        #expect(engine.state == .open)
        #expect(engine.closeSent == nil)
        #expect(engine.outgoingCount == 0)
        try engine.close(4000, reason: String(repeating: "x", count: 123))
        #expect(WireFrame.all(in: engine.takeOutgoing()).map(\.payload.count) == [125])
    }

    @Test("5.5.1: a Close without a code is empty")
    func emptyClose() throws {
        var engine = try ConnectionEngine.open(.server)
        try engine.close(nil)
        #expect(engine.takeOutgoing() == [0x88, 0x00])
        #expect(engine.closeSent == ClosePayload(code: nil))
    }

    @Test("K04-10: a Close goes out behind what was sent before it")
    func closeBehindData() throws {
        var engine = try ConnectionEngine.open(.client)
        for number in 0..<100 { try engine.send(.text("\(number)")) }
        try engine.close(.normalClosure)
        let frames = WireFrame.all(in: engine.takeOutgoing()).map(\.summary)
        #expect(frames == (0..<100).map { "text \($0)" } + ["close 1000"])
    }

    @Test("Nothing can be sent before the opening, while closing, or afterwards")
    func states() throws {
        func faults(_ engine: inout ConnectionEngine) -> Set<SendError> {
            let before = engine.outgoingCount
            let all = [
                fault { () throws(SendError) in try engine.send(.text("x")) },
                fault { () throws(SendError) in try engine.send(.binary([])) },
                fault { () throws(SendError) in try engine.sendPing([]) },
                fault { () throws(SendError) in try engine.sendPong([]) },
                fault { () throws(SendError) in try engine.close(.normalClosure) },
            ]
            #expect(engine.outgoingCount == before)
            #expect(all.count == all.compactMap(\.self).count)
            return Set(all.compactMap(\.self))
        }
        var engine = ConnectionEngine(accepting: Limits(), random: SeededSource(seed: 1))
        #expect(faults(&engine) == [.notOpen])
        engine = try ConnectionEngine.open(.client)
        try engine.close(.normalClosure)
        #expect(faults(&engine) == [.closing])
        engine.receiveEOF()
        #expect(faults(&engine) == [.closed])
    }

    @Test("7.1.7: failing an open connection queues a Close and throws away what comes in")
    func fail() throws {
        let recording = try ConnectionEngine.record(
            .client, [hex("8101 41 8900 8802 03e8")], eof: true
        ) { engine in
            engine.fail(.internalError, reason: "broken")
            engine.fail(.goingAway)
            #expect(engine.shouldCloseTransport == true)
            #expect(engine.closeSent == ClosePayload(code: 1011, reason: "broken"))
        }
        #expect(recording.events == [.ended])
        #expect(recording.replies == ["close 1011"])
    }

    @Test("7.1.7: failing adapts a code that may not be sent, and a long reason")
    func failAdapts() throws {
        var engine = try ConnectionEngine.open(.server)
        engine.fail(.abnormalClosure, reason: String(repeating: "ü", count: 100))
        let close = try #require(WireFrame.all(in: engine.takeOutgoing()).first)
        #expect(close.summary == "close 1011")
        #expect(close.payload.count == 2 + 122)
    }

    @Test("7.1.7: failing sends no Close before the opening, and no second one while closing")
    func failElsewhere() throws {
        var engine = ConnectionEngine(accepting: Limits(), random: SeededSource(seed: 1))
        engine.fail(.internalError)
        #expect(engine.outgoingCount == 0)
        #expect(engine.state == .closed)
        engine = try ConnectionEngine.open(.client)
        try engine.close(.normalClosure)
        engine.fail(.internalError)
        #expect(WireFrame.all(in: engine.takeOutgoing()).map(\.summary) == ["close 1000"])
        #expect(engine.state == .closed)
    }
}
