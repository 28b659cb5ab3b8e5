import Testing

@testable import HeartwireProtocol

@Suite struct WebSocketURLTests {
    @Test("RFC 6455 3: a whole URL is taken apart")
    func parts() throws {
        let url = try WebSocketURL("wss://user:pass@Example.com:8443/a/b?c=d")
        #expect(url.isSecure)
        #expect(url.scheme == "wss")
        #expect(url.host == "example.com")
        #expect(url.resolverName == "example.com")
        #expect(url.port == 8443)
        #expect(url.requestTarget == "/a/b?c=d")
        #expect(url.user == "user")
        #expect(url.password == "pass")
        #expect(url.basicAuthorization == "Basic dXNlcjpwYXNz")
    }

    @Test("Another target or other user information leaves the rest as it is")
    func changed() throws {
        let url = try WebSocketURL("wss://user:pass@example.com:8443/a?b")
        let target = url.withRequestTarget("/c")
        #expect(target.requestTarget == "/c")
        #expect(target.user == "user" && target.password == "pass" && target.port == 8443)
        let anonymous = url.withUserInfo(nil, nil)
        #expect(anonymous.basicAuthorization == nil)
        #expect(anonymous.requestTarget == "/a?b" && anonymous.host == "example.com")
    }

    @Test("RFC 6455 3: the scheme is ws or wss in any case, with its own default port")
    func schemes() throws {
        #expect(try WebSocketURL("ws://h").port == 80)
        #expect(try WebSocketURL("WSS://h").port == 443)
        #expect(try WebSocketURL("Ws://h").scheme == "ws")
    }

    @Test(
        "RFC 6455 3: other schemes and texts are refused",
        arguments: [
            "", "h", "http://h", "wsx://h", "ws:/h", "ws:h", "//h", " ws://h", "ws",
            "ws:/\u{338}/h",
        ])
    func unsupported(text: String) {
        #expect(throws: WebSocketURLError.unsupportedScheme) { try WebSocketURL(text) }
    }

    static let targets = [
        ("ws://h/a%20b%2Fc?q=1%3A5%26x&u=%C3%A9", "/a%20b%2Fc?q=1%3A5%26x&u=%C3%A9"),
        ("ws://h?x=1", "/?x=1"), ("ws://h", "/"), ("ws://h/?", "/?"), ("ws://h?", "/?"),
        ("ws://h//a/../b/./c", "//a/../b/./c"), ("ws://h/%zz", "/%zz"), ("ws://h/a@b:c", "/a@b:c"),
        ("ws://h?a/b?c", "/?a/b?c"), ("ws://h/{}|\"<>^`\\", "/{}|\"<>^`\\"),
        ("ws://h/%0d%0aX:y", "/%0d%0aX:y"), ("ws://h/+", "/+"),
    ]

    @Test("K05-14: path and query are kept exactly as they were given", arguments: targets)
    func target(text: String, target: String) throws {
        #expect(try WebSocketURL(text).requestTarget == target)
    }

    @Test(
        "K05-14: a fragment is refused wherever it stands",
        arguments: ["ws://h/p#frag", "ws://h#", "ws://h/?a#b", "ws://u#@h/", "ws://#"])
    func fragment(text: String) {
        #expect(throws: WebSocketURLError.fragment) { try WebSocketURL(text) }
    }

    @Test(
        "K05-13: a path or query that is not visible ASCII is refused",
        arguments: [
            "/a b", "/a\r\nX: y", "/\n", "/\r", "/\0", "/\t", "/é", "/?q=é", "?\u{7F}", "/a ",
            "/\u{301}",
            "?\u{2028}",
        ])
    func illegalTarget(target: String) {
        #expect(throws: WebSocketURLError.illegalCharacter) { try WebSocketURL("ws://h\(target)") }
    }

    static let hosts = [
        ("ws://h:80/", "h"), ("ws://h/", "h"), ("wss://h:443/", "h"), ("wss://h/", "h"),
        ("ws://h:8080/", "h:8080"), ("wss://h:80/", "h:80"), ("ws://h:443/", "h:443"),
        ("ws://[::1]/", "[::1]"), ("ws://[::1]:81/", "[::1]:81"), ("ws://u:p@h/", "h"),
    ]

    @Test("K05-16: Host leaves out the default port and no other", arguments: hosts)
    func hostHeader(text: String, host: String) throws {
        #expect(try WebSocketURL(text).hostHeader == host)
    }

    @Test("an IPv6 host stands without brackets, for the resolver")
    func ipv6() throws {
        let url = try WebSocketURL("ws://[FE80::1]:9/x")
        #expect(url.host == "fe80::1")
        #expect(url.resolverName == "fe80::1")
        #expect(url.isIPv6)
        #expect(try !WebSocketURL("ws://127.0.0.1/").isIPv6)
    }

    @Test(
        "K05-20: both spellings of an IDN host give the same name; the trailing dot is the resolver's"
    )
    func international() throws {
        let unicode = try WebSocketURL("ws://bücher.localhost.:81/")
        let ascii = try WebSocketURL("ws://xn--bcher-kva.localhost:81/")
        #expect(unicode.host == "xn--bcher-kva.localhost")
        #expect(unicode.hostHeader == ascii.hostHeader)
        #expect(unicode.resolverName == "xn--bcher-kva.localhost.")
        #expect(ascii.resolverName == "xn--bcher-kva.localhost")
        #expect(throws: WebSocketURLError.labelTooLong(byteCount: 64)) {
            try WebSocketURL("ws://\(String(repeating: "x", count: 64)).localhost/")
        }
    }

    @Test("K05-20: an address with a dot behind it is looked up as the address that it is")
    func addressWithDot() throws {
        let url = try WebSocketURL("ws://127.0.0.1.:8080/")
        #expect(url.resolverName == "127.0.0.1")
        #expect(url == (try WebSocketURL("ws://127.0.0.1:8080/")))
    }

    @Test("K05-18: credentials become Basic and stand nowhere else")
    func credentials() throws {
        let url = try WebSocketURL("ws://user:p%40ss%3A1@127.0.0.1:9001/x?token=canary")
        #expect(url.basicAuthorization == "Basic dXNlcjpwQHNzOjE=")
        #expect(url.hostHeader == "127.0.0.1:9001")
        for text in ["\(url)", String(reflecting: url), "\([url])"] {
            #expect(text.contains("ws://127.0.0.1:9001/x?…"))
            #expect(!text.contains("ss"), "the password must not show")
            #expect(!text.contains("canary"))
        }
        #expect(try WebSocketURL("ws://user@h/").basicAuthorization == "Basic dXNlcjo=")
        #expect(try WebSocketURL("ws://h/").basicAuthorization == nil)
    }

    static let descriptions = [
        ("WS://H", "ws://h/"), ("wss://h:443/a?b", "wss://h/a?…"),
        ("ws://[::1]:9/?", "ws://[::1]:9/?…"),
    ]

    @Test(
        "J1: the description is the URL without user information and query", arguments: descriptions
    )
    func description(text: String, description: String) throws {
        #expect(try "\(WebSocketURL(text))" == description)
    }

    @Test("K05-13: no text, however strange, gets a line break or a foreign byte into the request")
    func randomTexts() {
        var random = SeededSource(seed: 0x5EED)
        let words = [
            "ws://", "wss://", "h", "ü", "[", "]", "::1", ":", "@", "/", "?", "#", "%", "%0d",
            "\r\n", "\0", " ",
            ".", "1", "80", "\u{301}", "xn--", "a-b", "\\", "&", "💓", "\u{3002}",
        ]
        for _ in 0..<5_000 {
            let count = Int.random(in: 0..<10, using: &random)
            let text = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }
            guard let url = try? WebSocketURL("ws://" + text.joined()) else { continue }
            let parts = url.requestTarget + url.hostHeader + (url.basicAuthorization ?? "Basic")
            #expect(parts.utf8.filter { $0 == 0x20 }.count <= 1)
            #expect(parts.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
            #expect(!url.host.isEmpty)
            #expect(url.port > 0)
            #expect((try? WebSocketURL("\(url)")) != nil || url.requestTarget.contains("?"))
        }
    }

    @Test("URLs are equal when all their parts are")
    func equality() throws {
        #expect(try WebSocketURL("ws://H:80") == WebSocketURL("WS://h/"))
        #expect(try WebSocketURL("ws://h/a") != WebSocketURL("ws://h/A"))
    }
}
