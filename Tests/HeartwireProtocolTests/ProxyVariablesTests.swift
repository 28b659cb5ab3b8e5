import HeartwireProtocol
import Testing

@Suite struct ProxyVariablesTests {
    private func port(_ environment: [String: String], _ url: String) throws -> UInt16? {
        try ProxyVariables(environment).server(for: try WebSocketURL(url))?.address.port
    }

    @Test("P6: HTTPS_PROXY is for wss, HTTP_PROXY for ws, ALL_PROXY for what is left")
    func schemes() throws {
        let both = ["HTTPS_PROXY": "p:1", "HTTP_PROXY": "p:2", "ALL_PROXY": "socks5://p:3"]
        #expect(try port(both, "wss://h") == 1)
        #expect(try port(both, "ws://h") == 2)
        #expect(try port(["HTTPS_PROXY": "p:1"], "ws://h") == nil)
        #expect(try port(["HTTPS_PROXY": "p:1", "ALL_PROXY": "p:3"], "ws://h") == 3)
        #expect(try port(["HTTPS_PROXY": "", "ALL_PROXY": "p:3"], "wss://h") == 3)
        #expect(try port([:], "wss://h") == nil)
    }

    @Test("P6: lower case wins over capitals, also to take a proxy back")
    func spelling() throws {
        #expect(try port(["http_proxy": "p:1", "HTTP_PROXY": "p:2"], "ws://h") == 1)
        #expect(try port(["http_proxy": "", "HTTP_PROXY": "p:2"], "ws://h") == nil)
        #expect(try port(["all_proxy": "p:1"], "wss://h") == 1)
    }

    @Test("P6: HTTP_PROXY counts for nothing in a CGI program, where a header can set it")
    func cgi() throws {
        let environment = ["REQUEST_METHOD": "GET", "HTTP_PROXY": "evil:1"]
        #expect(try port(environment, "ws://h") == nil)
        #expect(try port(environment.merging(["http_proxy": "p:2"]) { $1 }, "ws://h") == 2)
        #expect(try port(["REQUEST_METHOD": "GET", "HTTPS_PROXY": "p:3"], "wss://h") == 3)
    }

    @Test("K05-24: with NO_PROXY the way is direct", arguments: ["origin.test", ".test", "*"])
    func exceptions(_ list: String) throws {
        let environment = ["HTTP_PROXY": "p:1", "NO_PROXY": list]
        #expect(try port(environment, "ws://origin.test:8080/x") == nil)
        #expect(try port(["HTTP_PROXY": "p:1", "NO_PROXY": "other"], "ws://origin.test:8080") == 1)
    }

    @Test("P6: a proxy that cannot be understood is an error, not a direct connection")
    func unintelligible() {
        #expect(throws: ProxyURLError.unsupportedScheme) {
            try ProxyVariables(["ALL_PROXY": "gopher://p"])
        }
        #expect(throws: ProxyURLError.self) { try ProxyVariables(["https_proxy": "p:port"]) }
    }
}
