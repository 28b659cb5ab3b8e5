import Testing

@testable import HeartwireProtocol

@Suite struct RequestReaderTests {
    private typealias Fixtures = HandshakeFixtures

    /// The outcome, which is the same however the head is cut.
    private func read(_ lines: [String]) -> RequestReader.Outcome? {
        let bytes = Fixtures.head(lines)
        let whole = RequestReader.read([bytes])
        let splits = bytes.count < 400 ? everySplit(bytes) : [bytes.map { [$0] }]
        for pieces in splits { #expect(RequestReader.read(pieces) == whole) }
        return whole.outcome
    }

    private func received(_ lines: [String]) -> OpeningRequestHead? {
        guard case .received(let head) = read(lines) else { return nil }
        return head
    }

    /// The status that the request is to be answered with.
    private func status(_ lines: [String]) -> Int? {
        guard case .invalid(let status, let reason) = read(lines) else { return nil }
        #expect(!reason.isEmpty)
        return status
    }

    private func spoiled(_ prefix: String, _ others: String...) -> [String] {
        Fixtures.replacing(prefix, in: Fixtures.request, with: others)
    }

    @Test(
        "RFC 6455 4.2.1: a lawful request is taken apart, however it is cut; frames behind it stay")
    func lawful() {
        let lines =
            Fixtures.request + [
                "Sec-WebSocket-Protocol: a, b", "sec-websocket-protocol: c",
                "Sec-WebSocket-Extensions: x; y=1, z", "Sec-WebSocket-Extensions: w",
            ]
        let head = Fixtures.head(lines)
        for pieces in everySplit(head + [0x81, 0x80]) {
            let result = RequestReader.read(pieces)
            #expect(result.consumed == head.count)
            guard case .received(let request) = result.outcome else {
                Issue.record("not received")
                return
            }
            #expect(request.target == "/chat?x=1")
            #expect(request.host == "server.example.com")
            #expect(request.key == Fixtures.key)
            #expect(request.subprotocols == ["a", "b", "c"])
            #expect(request.extensions == ["x; y=1, z", "w"])
            #expect(request.headers.count == 9)
        }
    }

    @Test("the server's reader takes what the client's request writes")
    func pair() throws {
        let request = try OpeningRequest(
            url: WebSocketURL("ws://u:p@h:81/a%20b?c"), headers: ["X": "1"], subprotocols: ["p"])
        let bytes = request.bytes(key: Fixtures.key)
        guard case .received(let head) = RequestReader.read([bytes]).outcome else {
            Issue.record("not received")
            return
        }
        #expect(head.target == "/a%20b?c")
        #expect(head.host == "h:81")
        #expect(head.subprotocols == ["p"])
        #expect(head.headers["Authorization"] == "Basic dTpw")
    }

    @Test("after the outcome nothing is consumed and no second outcome is given")
    func afterOutcome() {
        var reader = RequestReader()
        let bytes = Fixtures.head(Fixtures.request)
        #expect(reader.receive(bytes.span).outcome != nil)
        let (consumed, outcome) = reader.receive(bytes.span)
        #expect(consumed == 0)
        #expect(outcome == nil)
    }

    @Test(
        "RFC 6455 4.2.1: other methods are answered 405",
        arguments: ["POST", "get", "OPTIONS", "CONNECT", "HEAD", "X!"])
    func methods(method: String) {
        #expect(status(spoiled("GET", "\(method) /chat HTTP/1.1")) == 405)
    }

    @Test(
        "RFC 9110 9.3.2: a HEAD is known as one whatever else is wrong with the request",
        arguments: [
            ("HEAD /chat HTTP/1.1\r\nHost: h\r\n\r\n", true), ("HEAD / HTTP/1.0\r\n\r\n", true),
            ("HEAD / HTTP/1.1\r\nX Y: 1\r\n", true),
            ("HEAD /" + String(repeating: "x", count: 100_000), true),
            ("HEADS / HTTP/1.1\r\n\r\n", false), ("GET /HEAD HTTP/1.1\r\n\r\n", false),
            ("GET /" + String(repeating: "x", count: 100_000), false),
        ])
    func head(text: String, isHead: Bool) {
        var reader = RequestReader()
        guard case .invalid = reader.receive(Array(text.utf8).span).outcome else {
            Issue.record("not refused")
            return
        }
        #expect(reader.isHead == isHead)
    }

    @Test(
        "RFC 9112 3: what is no request line in HTTP/1.1 is answered 400",
        arguments: [
            "GET", "GET /", "GET / HTTP/1.0", "GET / HTTP/2.0", "GET / http/1.1", "GET  / HTTP/1.1",
            "GET / HTTP/1.1 ", "GET /a b HTTP/1.1", "GET /\t HTTP/1.1", "GET /é HTTP/1.1",
            "GET /a#b HTTP/1.1", "GET * HTTP/1.1", "GET h:80 HTTP/1.1", "GET ftp://h/ HTTP/1.1",
            "(GET) / HTTP/1.1", " GET / HTTP/1.1", "GET \u{301} HTTP/1.1",
        ])
    func requestLines(line: String) {
        #expect(status(spoiled("GET", line)) == 400)
    }

    @Test(
        "RFC 9112 3: what begins no request is answered 400 at its first wrong byte, and is named",
        arguments: [
            ("\u{16}\u{3}\u{1}\u{2}\0", 1, "TLS, as for a wss URL"),
            ("SSH-2.0-OpenSSH_9.6\r\n", 20, #""SSH-2.0-OpenSSH_9.6\r""#),
            ("*1\r\n$4\r\nPING\r\n", 3, #""*1\r""#), ("J\0\0\0\n", 2, #""J\x00""#),
            ("EHLO client.test\r\n", 18, "another first line"),
            ("GET /?token=secret\r\n", 20, "another first line"),
        ])
    func noRequest(text: String, count: Int, words: String) {
        for pieces in everySplit(Array(text.utf8)) {
            let result = RequestReader.read(pieces)
            #expect(result.consumed == count)
            guard case .invalid(400, let reason) = result.outcome else {
                Issue.record("\(String(describing: result.outcome))")
                return
            }
            #expect(reason.hasPrefix("\(words) instead of a request"))
            #expect(!reason.contains("secret"))
        }
    }

    @Test("RFC 9112 3: a method without an end is cut short by the limit, and shown no further")
    func endlessMethod() {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 20_000)
        #expect(RequestReader.read([long]).consumed == 16_385)
        guard case .invalid(400, let reason) = RequestReader.read([long.prefix(99) + [0]]).outcome
        else {
            Issue.record("no refusal")
            return
        }
        #expect(reason.hasPrefix("\"\(String(repeating: "x", count: 32))\"… instead of"))
    }

    @Test(
        "RFC 9112 3.2: a target is kept as it was sent, also in the absolute form",
        arguments: [
            "/", "/?", "/%0d%0a?x=%ff", "//a", "http://h/x?y", "WS://h/", "wss://h/", "https://h",
            "/{}|\"",
        ])
    func targets(target: String) {
        #expect(received(spoiled("GET", "GET \(target) HTTP/1.1"))?.target == target)
    }

    @Test("RFC 9113 3.4: the preface of HTTP/2 is a method that is not served")
    func preface() {
        #expect(status(["PRI * HTTP/2.0", "", "SM", ""]) == 405)
    }

    @Test("RFC 9112 3.2: Host is there exactly once and not empty, else 400")
    func host() {
        #expect(status(spoiled("Host")) == 400)
        #expect(status(spoiled("Host", "Host:")) == 400)
        #expect(status(spoiled("Host", "Host: a", "host: a")) == 400)
        #expect(received(spoiled("Host", "HOST: [::1]:80"))?.host == "[::1]:80")
        for host in ["a b", "a/b", "u@h", "a?", "a#", "a\\b", "bücher", "a\"", "<a>"] {
            #expect(status(spoiled("Host", "Host: \(host)")) == 400)
        }
        for host in ["A-z.0_~9:80", "127.1", "a%20b", "x!$&'()*+,;=", "xn--a", "h:"] {
            #expect(received(spoiled("Host", "Host: \(host)"))?.host == host)
        }
    }

    @Test("RFC 9110 4.2.1: a URL without a host is no target")
    func targetWithoutHost() {
        for target in ["http:///x", "ws://", "WSS://?q", "https://:80/"] {
            #expect(status(spoiled("GET", "GET \(target) HTTP/1.1")) == 400)
        }
    }

    @Test("RFC 6455 4.2.1: a request without the tokens of an upgrade is answered 426")
    func upgrade() {
        #expect(status(spoiled("Upgrade")) == 426)
        #expect(status(spoiled("Upgrade", "Upgrade: h2c")) == 426)
        #expect(received(spoiled("Upgrade", "Upgrade: h2c, WebSocket")) != nil)
        #expect(status(spoiled("Connection")) == 426)
        #expect(status(spoiled("Connection", "Connection: keep-alive")) == 426)
        let split = spoiled("Connection", "Connection: keep-alive", "connection: x, upgrade")
        #expect(received(split) != nil)
    }

    @Test("RFC 6455 4.4: a version other than 13 is answered 426")
    func version() {
        let name = "Sec-WebSocket-Version"
        #expect(status(spoiled(name)) == 426)
        for value in ["8", "", "013", "13, 8", "１３"] {
            #expect(status(spoiled(name, "\(name): \(value)")) == 426)
        }
        #expect(status(spoiled(name, "\(name): 13", "\(name): 13")) == 426)
    }

    @Test("RFC 6455 9.1: extensions out of their grammar are answered 400")
    func extensions() {
        for value in ["a;;b", "a; b=\"", "a b"] {
            let lines = Fixtures.request + ["Sec-WebSocket-Extensions: \(value)"]
            #expect(status(lines) == 400)
        }
    }

    @Test("RFC 6455 4.2.1: the key is sixteen bytes in Base64, once, else 400")
    func key() {
        let name = "Sec-WebSocket-Key"
        #expect(status(spoiled(name)) == 400)
        for value in ["", "AAAA", "AAAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAA-==", "x"] {
            #expect(status(spoiled(name, "\(name): \(value)")) == 400)
        }
        let line = "\(name): \(Fixtures.key)"
        #expect(status(spoiled(name, line, line)) == 400)
        #expect(received(spoiled(name, "\(name): AAAAAAAAAAAAAAAAAAAAAA==")) != nil)
    }

    @Test("a request that announces a body is answered 400")
    func body() {
        #expect(status(Fixtures.request + ["Content-Length: 1"]) == 400)
        #expect(status(Fixtures.request + ["Transfer-Encoding: chunked"]) == 400)
        #expect(received(Fixtures.request + ["Content-Length: 0"]) != nil)
    }

    @Test("RFC 6455 4.2.1: subprotocols are tokens, else 400; none is none")
    func subprotocols() {
        let name = "Sec-WebSocket-Protocol"
        #expect(status(Fixtures.request + ["\(name): a b"]) == 400)
        #expect(status(Fixtures.request + ["\(name): a, \"b\""]) == 400)
        #expect(received(Fixtures.request + ["\(name):"])?.subprotocols == [])
        #expect(received(Fixtures.request)?.subprotocols == [])
        #expect(received(Fixtures.request)?.extensions == [])
    }

    @Test("RFC 9112 2.2: empty lines before the request are passed over")
    func leadingEmptyLines() {
        let bytes = Array("\r\n".utf8) + Fixtures.head(Fixtures.request)
        for pieces in everySplit(bytes) {
            guard case .received = RequestReader.read(pieces).outcome else {
                Issue.record("not received")
                return
            }
        }
    }

    @Test("P4: a head beyond the limits is answered 431, one that is no lawful HTTP 400")
    func heads() {
        #expect(status(Fixtures.request + Array(repeating: "A: b", count: 124)) == 431)
        #expect(received(Fixtures.request + Array(repeating: "A: b", count: 123)) != nil)
        #expect(status(Fixtures.request + ["A: \(String(repeating: "b", count: 102_400))"]) == 431)
        #expect(status(Fixtures.request + ["A : b"]) == 400)
        #expect(status(Fixtures.request + [" folded"]) == 400)
        #expect(status(["\u{16}\u{3}\u{1}"]) == 400)
    }

    @Test("a stream that ends within the head is no request")
    func eof() {
        var reader = RequestReader()
        let bytes = Array("GET / HT".utf8)
        #expect(reader.receive(bytes.span).outcome == nil)
        #expect(
            reader.receiveEOF()
                == .invalid(status: 400, reason: "the stream ended within the request's head"))
        #expect(reader.receive(bytes.span).consumed == 0)
    }

    @Test(
        "P5: a request spoiled in any one byte has one outcome however it is cut, and never traps")
    func mutations() {
        let bytes = Fixtures.head(Fixtures.request)
        for index in bytes.indices {
            for byte: UInt8 in [0, 9, 10, 13, 32, 58, 0x7F, 0xFF] {
                var spoiled = bytes
                spoiled[index] = byte
                let whole = RequestReader.read([spoiled])
                #expect(RequestReader.read(spoiled.map { [$0] }) == whole)
            }
        }
    }

    @Test("J1: the reason shows nothing of the request")
    func secrecy() {
        for line in ["Sec-WebSocket-Key: canary", "canary", "Content-Length: canary"] {
            let lines = Fixtures.request.filter { !$0.hasPrefix(line.prefix(16)) } + [line]
            guard case .invalid(_, let reason) = RequestReader.read([Fixtures.head(lines)]).outcome
            else {
                Issue.record("no refusal")
                return
            }
            #expect(!reason.contains("canary"))
        }
    }
}
