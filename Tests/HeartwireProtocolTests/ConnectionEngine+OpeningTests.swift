import HeartwireProtocol
import Testing

@Suite("The opening handshake, by the engine")
struct ConnectionEngineOpeningTests {
    private func client(
        subprotocols: [String] = [], limits: Limits = Limits()
    ) throws -> ConnectionEngine {
        let request = try OpeningRequest(
            url: WebSocketURL("ws://server.example/chat"), subprotocols: subprotocols)
        return ConnectionEngine(
            connecting: request, limits: limits, random: SeededSource(seed: 101))
    }

    private func server(limits: Limits = Limits()) -> ConnectionEngine {
        ConnectionEngine(accepting: limits, random: SeededSource(seed: 101))
    }

    /// The 101 for the request that a client made.
    private func answer(to client: inout ConnectionEngine, subprotocol: String? = nil) -> [UInt8] {
        var server = server()
        let request = client.takeOutgoing()
        server.receive(request.span)
        server.accept(subprotocol: subprotocol)
        return server.takeOutgoing()
    }

    private func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    @Test("4.1: the request waits to be written at once, with a key of its own")
    func request() throws {
        var first = try client()
        let text = text(first.takeOutgoing())
        #expect(text.hasPrefix("GET /chat HTTP/1.1\r\n"))
        #expect(text.contains("Sec-WebSocket-Key: "))
        #expect(text.hasSuffix("\r\n\r\n"))
    }

    @Test("K05-01: a frame behind the 101 arrives once, however the bytes are cut")
    func gluedFrame() throws {
        var probe = try client()
        let stream = answer(to: &probe) + hex("8105 48656c6c6f")
        for pieces in cuts(of: stream) {
            var engine = try client()
            var events: [String] = []
            for piece in pieces {
                engine.receive(piece.span)
                events += engine.takeEvents().map(\.summary)
            }
            #expect(events == ["opened", "text Hello"])
            #expect(engine.state == .open)
        }
    }

    @Test("4.2.2: the chosen subprotocol is reported")
    func subprotocol() throws {
        var engine = try client(subprotocols: ["soap", "wamp"])
        let bytes = answer(to: &engine, subprotocol: "wamp")
        engine.receive(bytes.span)
        guard case .opened(let result)? = engine.nextEvent() else {
            Issue.record("not opened")
            return
        }
        #expect(result.subprotocol == "wamp")
    }

    @Test("4.1: an answer that breaks a rule fails the connection, and no Close is sent")
    func badAnswer() throws {
        var engine = try client()
        _ = engine.takeOutgoing()
        let other = Array(
            "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n".utf8)
        engine.receive(other.span)
        let events = engine.takeEvents()
        #expect(events.count == 1)
        #expect(events.first?.summary.hasPrefix("failed 1002 4.") == true)
        #expect(engine.state == .closed)
        #expect(engine.shouldCloseTransport == true)
        #expect(engine.outgoingCount == 0)
        #expect(engine.closeSent == nil)
    }

    @Test("4.1: another status is a refusal, with its body")
    func refusal() throws {
        var engine = try client()
        let answer = Array("HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\n\r\nwhy".utf8)
        let (head, tail) = (Array(answer.dropLast()), Array(answer.suffix(1)))
        engine.receive(head.span)
        #expect(engine.nextEvent() == nil)
        #expect(engine.pendingRefusal?.status == 403)
        engine.receive(tail.span)
        guard case .refused(let refusal)? = engine.nextEvent() else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.status == 403)
        #expect(text(refusal.body) == "why")
        #expect(engine.state == .closed)
        #expect(engine.pendingRefusal == nil)
    }

    @Test(
        "K05-11: the end of the stream before the answer is a failure, then the end",
        arguments: [
            "", "HTTP/1.1 10",
        ])
    func endBeforeAnswer(_ start: String) throws {
        var engine = try client()
        let bytes = Array(start.utf8)
        engine.receive(bytes.span)
        engine.receiveEOF()
        let events = engine.takeEvents().map(\.summary)
        #expect(events == ["failed 1006 4.1", "ended"])
        #expect(engine.shouldCloseTransport == true)
    }

    @Test("The end of the stream within a refusal's body gives what there was")
    func endWithinBody() throws {
        var engine = try client()
        let bytes = Array("HTTP/1.1 503 x\r\nContent-Length: 100\r\n\r\npart".utf8)
        engine.receive(bytes.span)
        engine.receiveEOF()
        #expect(engine.takeEvents().map(\.summary) == ["refused 503", "ended"])
    }

    @Test("4.2: a server reports the request, and opens when it is accepted")
    func accept() throws {
        var client = try client()
        var server = server()
        let request = client.takeOutgoing()
        for byte in request {
            let piece = [byte]
            server.receive(piece.span)
        }
        guard case .requestReceived(let head)? = server.nextEvent() else {
            Issue.record("no request")
            return
        }
        #expect(head.target == "/chat")
        #expect(server.state == .connecting)
        server.accept(headers: ["X-Test": "1"])
        #expect(server.state == .open)
        let answer = text(server.takeOutgoing())
        #expect(answer.hasPrefix("HTTP/1.1 101 "))
        #expect(answer.contains("X-Test: 1\r\n"))
        server.accept()
        server.reject(status: 403)
        #expect(server.outgoingCount == 0)
        #expect(server.state == .open)
    }

    @Test("4.2.2: a server rejects with an HTTP answer, and the connection is over")
    func reject() throws {
        var client = try client()
        var server = server()
        let request = client.takeOutgoing()
        server.receive(request.span)
        server.reject(status: 401, headers: ["WWW-Authenticate": "Bearer"], body: "who?")
        #expect(server.state == .closed)
        #expect(server.shouldCloseTransport == true)
        let answer = server.takeOutgoing()
        #expect(text(answer).hasPrefix("HTTP/1.1 401 "))
        client.receive(answer.span)
        #expect(client.takeEvents().map(\.summary) == ["refused 401"])
    }

    @Test("Accepting or rejecting what was not asked for does nothing")
    func unasked() throws {
        var server = server()
        server.accept()
        server.reject(status: 400)
        #expect(server.state == .connecting)
        #expect(server.outgoingCount == 0)
        var client = try client()
        _ = client.takeOutgoing()
        client.accept()
        client.reject(status: 400)
        #expect(client.state == .connecting)
        #expect(client.outgoingCount == 0)
    }

    @Test(
        "4.2.1: an unlawful request is answered with its status and reported",
        arguments: [
            ("POST / HTTP/1.1\r\nHost: h\r\n\r\n", "405"),
            ("GET / HTTP/1.1\r\nHost: h\r\n\r\n", "426"),
            ("nonsense\r\n\r\n", "400"),
        ])
    func unlawfulRequest(_ request: String, status: String) {
        var server = server()
        let bytes = Array(request.utf8)
        server.receive(bytes.span)
        #expect(server.takeEvents().map(\.summary) == ["failed 1002 4.2.1"])
        #expect(text(server.takeOutgoing()).hasPrefix("HTTP/1.1 \(status) "))
        #expect(server.shouldCloseTransport == true)
        server.receive(bytes.span)
        #expect(server.nextEvent() == nil)
    }

    @Test("RFC 9110 9.3.2: a HEAD is refused without content")
    func head() {
        var server = server()
        server.receive(Array("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n".utf8).span)
        let answer = text(server.takeOutgoing())
        #expect(answer.hasPrefix("HTTP/1.1 405 ") && answer.hasSuffix("\r\n\r\n"))
        #expect(!answer.contains("Content-"))
    }

    @Test("4.1: frames that a client sends too early are kept until it is accepted, in any cut")
    func earlyFrames() throws {
        var probe = try client()
        let stream = probe.takeOutgoing() + masked("8102 6869 | 8900")
        for pieces in cuts(of: stream) {
            var server = server()
            for piece in pieces { server.receive(piece.span) }
            #expect(server.takeEvents().map(\.summary) == ["request /chat"])
            server.accept()
            #expect(server.takeEvents().map(\.summary) == ["text hi", "ping "])
        }
    }

    @Test("4.1: a client that goes on sending without an answer is failed at the limit")
    func earlyFlood() throws {
        var limits = Limits()
        limits.headBytes = 500
        var probe = try client()
        var server = server(limits: limits)
        let request = probe.takeOutgoing()
        let flood = [UInt8](repeating: 0x81, count: 100)
        server.receive(request.span)
        for _ in 0..<5 { server.receive(flood.span) }
        #expect(server.takeEvents().map(\.summary) == ["request /chat"])
        server.receive(flood.span)
        #expect(server.takeEvents().map(\.summary) == ["failed 1008 4.1"])
        server.accept()
        #expect(server.outgoingCount == 0)
        #expect(server.state == .closed)
    }

    @Test("The end of the stream before the request, or before its answer, is only the end")
    func serverEnd() throws {
        var probe = try client()
        let request = probe.takeOutgoing()
        for bytes in [[], Array("GET".utf8)] {
            var server = server()
            server.receive(bytes.span)
            server.receiveEOF()
            #expect(server.takeEvents() == [.ended])
        }
        var server = server()
        server.receive(request.span)
        server.receiveEOF()
        #expect(server.takeEvents().map(\.summary) == ["request /chat", "ended"])
        server.accept()
        #expect(server.state == .closed)
        #expect(server.outgoingCount == 0)
    }

    @Test("P4: the limits on the head hold for both roles")
    func headLimits() throws {
        var limits = Limits()
        limits.headBytes = 64
        var client = try client(limits: limits)
        var server = server(limits: limits)
        let request = client.takeOutgoing()
        server.receive(request.span)
        #expect(text(server.takeOutgoing()).hasPrefix("HTTP/1.1 431 "))
        let answer = Array(("HTTP/1.1 101 " + String(repeating: "x", count: 100)).utf8)
        client.receive(answer.span)
        #expect(client.takeEvents().count == 1)
        #expect(client.state == .closed)
    }
}
