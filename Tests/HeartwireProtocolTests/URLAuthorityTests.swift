import Testing

@testable import HeartwireProtocol

@Suite struct URLAuthorityTests {
    @Test("RFC 3986 3.2: user, password, host and port are told apart")
    func parts() throws {
        let authority = try URLAuthority("user:pass@Example.com:8080")
        #expect(authority.user == "user")
        #expect(authority.password == "pass")
        #expect(authority.host == "example.com")
        #expect(authority.port == 8080)
        #expect(!authority.isIPv6)
        #expect(!authority.isRooted)
    }

    @Test("RFC 3986 3.2.2: an IPv6 address stands in brackets, with a port or without")
    func ipv6() throws {
        let authority = try URLAuthority("[2001:DB8::1]:9")
        #expect(authority.host == "2001:db8::1")
        #expect(authority.isIPv6)
        #expect(authority.port == 9)
        #expect(try URLAuthority("[::1]").port == nil)
        #expect(try URLAuthority("[::1]:").port == nil)
        #expect(try URLAuthority("u@[::1]").user == "u")
    }

    @Test(
        "RFC 3986 3.2.2: brackets that hold no address are refused",
        arguments: [
            "[", "[]", "[::1", "[::1]x", "[::1]8080", "[v1.x]", "[::1%25lo]", "[1.2.3.4]",
            "[[::1]]",
        ])
    func brackets(text: String) {
        #expect(throws: WebSocketURLError.illegalHost) { try URLAuthority(text[...]) }
    }

    @Test("RFC 3986 3.2.3: ports from 1 to 65535 are taken, leading zeros too, and none is none")
    func ports() throws {
        #expect(try URLAuthority("h:1").port == 1)
        #expect(try URLAuthority("h:65535").port == 65_535)
        #expect(try URLAuthority("h:00080").port == 80)
        #expect(try URLAuthority("h:").port == nil)
        #expect(try URLAuthority("h").port == nil)
    }

    @Test(
        "RFC 3986 3.2.3: other ports are refused, and none overflows",
        arguments: [
            "0", "65536", "99999999999999999999999", "-1", "+80", "80x", " 80", "8 0", "８０", ":80",
        ])
    func illegalPort(port: String) {
        #expect(throws: WebSocketURLError.illegalPort) { try URLAuthority("h:\(port)") }
        #expect(throws: WebSocketURLError.illegalPort) { try URLAuthority("[::1]:\(port)") }
    }

    @Test("K05-18: user information is decoded")
    func credentials() throws {
        #expect(try URLAuthority("us%3Aer:p@h", userMayHoldColon: true).user == "us:er")
        let authority = try URLAuthority("%75ser:p%40ss%3A1:x@h")
        #expect(authority.user == "user")
        #expect(authority.password == "p@ss:1:x")
        let alone = try URLAuthority("user@h")
        #expect(alone.user == "user")
        #expect(alone.password == nil)
        let empty = try URLAuthority(":@h")
        #expect(empty.user == "")
        #expect(empty.password == "")
        #expect(try URLAuthority("@h").user == nil)
        #expect(try URLAuthority("%C3%A9:%E2%82%AC@h").password == "€")
    }

    @Test(
        "RFC 7617 2: user information that cannot be sent is refused",
        arguments: [
            "us%3Aer", "u:%0d%0a", "u%00", "u:%7F", "%", "u:%4", "u:%zz", "%ff", "u v", "é", "a/b",
            "a\"b",
            "u\u{308}",
        ])
    func illegalCredentials(text: String) {
        #expect(throws: WebSocketURLError.illegalUserInfo) { try URLAuthority("\(text)@h") }
    }

    @Test("RFC 3986 3.2: a second at sign, and no host, are refused")
    func hosts() {
        #expect(throws: WebSocketURLError.illegalUserInfo) { try URLAuthority("u@evil@h") }
        #expect(throws: WebSocketURLError.missingHost) { try URLAuthority("") }
        #expect(throws: WebSocketURLError.missingHost) { try URLAuthority(":80") }
        #expect(throws: WebSocketURLError.missingHost) { try URLAuthority("u@") }
        #expect(throws: WebSocketURLError.missingHost) { try URLAuthority("::1") }
    }
}
