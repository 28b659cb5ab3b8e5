import Testing

@testable import HeartwireProtocol

@Suite struct OpeningRequestTests {
    private func text(
        _ url: String, _ headers: HeaderFields = [:], _ subprotocols: [String] = []
    ) throws -> String {
        let request = try OpeningRequest(
            url: WebSocketURL(url), headers: headers, subprotocols: subprotocols)
        return String(decoding: request.bytes(key: "KEY"), as: UTF8.self)
    }

    @Test("RFC 6455 4.1: the request has the line and the headers that the clause lists")
    func plain() throws {
        #expect(
            try text("ws://server.example.com/chat", ["Origin": "http://example.com"], ["a", "b"])
                == """
                GET /chat HTTP/1.1\r
                Host: server.example.com\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Key: KEY\r
                Sec-WebSocket-Version: 13\r
                Sec-WebSocket-Protocol: a, b\r
                Origin: http://example.com\r
                \r

                """)
    }

    @Test("RFC 6455 4.1: without subprotocols there is no header for them")
    func withoutSubprotocols() throws {
        #expect(try !text("ws://h/").contains("Sec-WebSocket-Protocol"))
    }

    @Test("RFC 6455 9.1: an offer of extensions has a header")
    func extensions() throws {
        let request = try OpeningRequest(url: WebSocketURL("ws://h/"))
        let bytes = request.bytes(key: "KEY", extensions: "permessage-deflate")
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("\r\nSec-WebSocket-Extensions: permessage-deflate\r\n"))
        #expect(request.bytes(key: "KEY", extensions: nil) == request.bytes(key: "KEY"))
        #expect(try !self.text("ws://h/").contains("Sec-WebSocket-Extensions"))
    }

    static let targets = [
        ("ws://h/a%20b%2Fc?q=1%3A5%26x&u=%C3%A9", "/a%20b%2Fc?q=1%3A5%26x&u=%C3%A9"),
        ("ws://h?x=1", "/?x=1"), ("ws://h", "/"), ("ws://h/?", "/?"),
        ("ws://h/a%0d%0aX:%20y", "/a%0d%0aX:%20y"),
    ]

    @Test("K05-14: the target stands on the request line as it was given", arguments: targets)
    func target(url: String, target: String) throws {
        #expect(try text(url).hasPrefix("GET \(target) HTTP/1.1\r\n"))
    }

    @Test("K05-16: Host has the port only where it is not the scheme's own")
    func host() throws {
        #expect(try text("wss://h:443/").contains("\r\nHost: h\r\n"))
        #expect(try text("wss://h:80/").contains("\r\nHost: h:80\r\n"))
        #expect(try text("ws://[::1]:8080/").contains("\r\nHost: [::1]:8080\r\n"))
    }

    @Test(
        "RFC 9112 3.2: a Host that is no host and port is refused",
        arguments: ["", "x y", "x\u{E9}", "u@h", "h:99999", "h/p"])
    func illegalHost(_ value: String) throws {
        let url = try WebSocketURL("ws://example.com/")
        #expect(throws: OpeningRequestError.illegalHost) {
            try OpeningRequest(url: url, headers: ["Host": value])
        }
    }

    @Test(
        "a Host of one's own may be any name, address and port",
        arguments: ["h", "H.example:8080", "[::1]:80", "192.0.2.1", "a_b.test"])
    func ownHost(_ value: String) throws {
        let url = try WebSocketURL("ws://example.com/")
        let request = try OpeningRequest(url: url, headers: ["host": value])
        let text = String(decoding: request.bytes(key: "k"), as: UTF8.self)
        #expect(text.contains("\r\nHost: \(value)\r\n"))
    }

    @Test("RFC 6265 5.4: all cookies stand in one field, so a second one is refused")
    func repeatedCookie() throws {
        var headers: HeaderFields = ["Cookie": "a=1"]
        headers.append("cookie", "b=2")
        let url = try WebSocketURL("ws://example.com/")
        #expect(throws: OpeningRequestError.repeatedCookie) {
            try OpeningRequest(url: url, headers: headers)
        }
    }

    @Test("a Host of the app's own takes the place of the URL's, and is there once")
    func ownHost() throws {
        let text = try text("ws://127.0.0.1/", ["X": "1", "host": "virtual.example"])
        #expect(text.contains("\r\nHost: virtual.example\r\n"))
        #expect(!text.contains("127.0.0.1"))
        #expect(text.lowercased().split(separator: "host:").count == 2)
        #expect(throws: OpeningRequestError.repeatedHost) {
            try OpeningRequest(url: WebSocketURL("ws://h/"), headers: ["Host": "a", "host": "b"])
        }
    }

    @Test("K05-18: credentials in the URL become Basic, and an explicit Authorization wins")
    func credentials() throws {
        let basic = "Authorization: Basic dXNlcjpwQHNzOjE=\r\n"
        #expect(try text("ws://user:p%40ss%3A1@127.0.0.1:9/x").contains(basic))
        #expect(try text("ws://user:p%40ss%3A1@127.0.0.1:9/x").contains("Host: 127.0.0.1:9\r\n"))
        let own = try text("ws://user:p@h/", ["authorization": "Bearer t"])
        #expect(own.contains("authorization: Bearer t\r\n"))
        #expect(!own.contains("Basic"))
    }

    @Test(
        "RFC 6455 4.1: headers that belong to the handshake are refused",
        arguments: [
            "Connection", "upgrade", "Sec-WebSocket-Key", "sec-websocket-version",
            "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions", "Sec-WebSocket-Future",
            "Content-Length", "Transfer-Encoding", "Proxy-Authorization",
        ])
    func reserved(name: String) throws {
        let url = try WebSocketURL("ws://h/")
        #expect(throws: OpeningRequestError.reservedHeader(name: name)) {
            try OpeningRequest(url: url, headers: [name: "x"])
        }
    }

    @Test("headers whose names only begin alike are the app's own")
    func unreserved() throws {
        #expect(try text("ws://h/", ["Sec-WebSocket": "x"]).contains("Sec-WebSocket: x\r\n"))
        #expect(try text("ws://h/", ["Connection-Id": "x"]).contains("Connection-Id: x\r\n"))
    }

    @Test("K05-13: unlawful headers throw before there are bytes")
    func unlawfulHeaders() throws {
        let url = try WebSocketURL("ws://h/")
        #expect(throws: OpeningRequestError.illegalHeaderValue(name: "A")) {
            try OpeningRequest(url: url, headers: ["A": "a\r\nX: y"])
        }
        #expect(throws: OpeningRequestError.illegalHeaderName(position: 0)) {
            try OpeningRequest(url: url, headers: ["X y": "z"])
        }
    }

    @Test(
        "K05-13: a subprotocol that is no token is refused",
        arguments: ["", "p\r\nX: y", "a b", "a,b", "a\0", "é", "a\"b", "a/b"])
    func illegalSubprotocol(name: String) throws {
        let url = try WebSocketURL("ws://h/")
        #expect(throws: OpeningRequestError.illegalSubprotocol(position: 1)) {
            try OpeningRequest(url: url, subprotocols: ["ok", name])
        }
    }

    @Test("RFC 6455 4.1: a subprotocol is listed once; another case is another name")
    func duplicateSubprotocol() throws {
        let url = try WebSocketURL("ws://h/")
        #expect(throws: OpeningRequestError.duplicateSubprotocol("mqtt")) {
            try OpeningRequest(url: url, subprotocols: ["mqtt", "x", "mqtt"])
        }
        let request = try OpeningRequest(url: url, subprotocols: ["mqtt", "MQTT"])
        #expect(request.subprotocols == ["mqtt", "MQTT"])
    }

    @Test("RFC 6455 1.3: the accept value of the RFC's own nonce is the RFC's")
    func acceptValue() {
        #expect(
            OpeningRequest.acceptValue(for: HandshakeFixtures.key) == HandshakeFixtures.accept)
    }

    @Test("RFC 6455 4.1: a key is sixteen random bytes in Base64, fresh each time")
    func key() {
        let random = CountingRandom()
        #expect(OpeningRequest.makeKey(random: random) == "AQAAAAAAAAACAAAAAAAAAA==")
        let second = OpeningRequest.makeKey(random: random)
        #expect(second != OpeningRequest.makeKey(random: random))
        #expect(Base64.decode(second)?.count == 16)
    }

    @Test("J1: a request in a log shows no header value, no query and no password")
    func description() throws {
        let request = try OpeningRequest(
            url: WebSocketURL("ws://u:canary@h/?canary"), headers: ["X": "canary"])
        #expect(!"\(request)".contains("canary"))
    }

    private final class CountingRandom: RandomSource {
        private var count: UInt64 = 0

        func next() -> UInt64 {
            count += 1
            return count
        }
    }
}
