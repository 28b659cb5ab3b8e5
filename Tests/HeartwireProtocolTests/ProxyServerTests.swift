import Testing

@testable import HeartwireProtocol

@Suite struct ProxyServerTests {
    @Test("P6: a proxy's URL names its kind, host and port; the port may be left out")
    func addresses() throws {
        let http = try ProxyServer("http://Proxy.Example:3128")
        #expect(http.kind == .http)
        #expect(http.address.host == "proxy.example")
        #expect(http.address.port == 3128)
        #expect(try ProxyServer("http://p/").address.port == 80)
        #expect(try ProxyServer("SOCKS5://p").address.port == 1080)
        #expect(try ProxyServer("socks5h://p:9050").kind == .socks5)
        #expect(try ProxyServer("p:8080").kind == .http)
        #expect(try ProxyServer("127.0.0.1:8080").address.port == 8080)
        let six = try ProxyServer("socks5://[::1]:1081/")
        #expect(six.address.host == "::1")
        #expect(six.description == "socks5://[::1]:1081")
        #expect(try ProxyServer("http://proxy.example.:1").address.resolverName == "proxy.example.")
    }

    @Test("P6: user and password are decoded, and stand in no description and no dump")
    func credentials() throws {
        let server = try ProxyServer("http://us%40er:s3cr%3At@proxy:3128")
        #expect(server.user == "us@er")
        #expect(server.password == "s3cr:t")
        #expect(server.basicAuthorization == "Basic dXNAZXI6czNjcjp0")
        #expect(try ProxyServer("http://user@proxy").basicAuthorization == "Basic dXNlcjo=")
        #expect(try ProxyServer("http://proxy").basicAuthorization == nil)
        var dumped = "\(server)"
        dump(server, to: &dumped)
        #expect(!dumped.contains("s3cr"))
        #expect(server.description == "http://proxy:3128")
    }

    @Test("RFC 1929 2: the user of SOCKS5 may hold a colon, which HTTP has no way to send")
    func colon() throws {
        let server = try ProxyServer("socks5://zone%3Aa:b%3Ac@p")
        #expect(server.user == "zone:a" && server.password == "b:c")
        #expect(throws: ProxyURLError.illegalAuthority(.illegalUserInfo)) {
            try ProxyServer("http://zone%3Aa:b@p")
        }
    }

    @Test(
        "P6: what is no proxy's URL is refused with the reason",
        arguments: [
            ("https://proxy", ProxyURLError.unsupportedScheme),
            ("socks4://proxy", .unsupportedScheme),
            ("http://proxy/path", .unexpectedPath),
            ("http://proxy?x", .unexpectedPath),
            ("http://proxy#x", .unexpectedPath),
            ("http://", .illegalAuthority(.missingHost)),
            ("", .illegalAuthority(.missingHost)),
            ("http://proxy:0", .illegalAuthority(.illegalPort)),
            ("http://pro xy:80", .illegalAuthority(.illegalHost)),
        ])
    func refused(_ text: String, _ error: ProxyURLError) {
        #expect(throws: error) { try ProxyServer(text) }
    }

    @Test("RFC 1929 2: SOCKS5 takes user name and password of 1 to 255 bytes; HTTP does not care")
    func credentialLengths() throws {
        let longest = String(repeating: "u", count: 255)
        _ = try ProxyServer("socks5://\(longest):\(longest)@p")
        for text in ["\(longest)u:p", "u:\(longest)p", "u:", "u", ":p"] {
            #expect(throws: ProxyURLError.illegalCredentials) {
                try ProxyServer("socks5://\(text)@p")
            }
            _ = try ProxyServer("http://\(text)@p")
        }
    }
}
