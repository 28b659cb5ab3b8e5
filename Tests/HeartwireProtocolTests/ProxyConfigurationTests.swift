import HeartwireProtocol
import Testing

@Suite struct ProxyConfigurationTests {
    private let url: WebSocketURL

    init() throws {
        url = try WebSocketURL("ws://origin.test:8080/x")
    }

    @Test("P6: without a proxy the way is direct; one proxy serves every server")
    func choice() throws {
        #expect(ProxyConfiguration.direct.server(for: url) == nil)
        let http = try ProxyConfiguration.http("http://proxy:3128")
        #expect(http.server(for: url) == (try ProxyServer("http://proxy:3128")))
        let socks = try ProxyConfiguration.socks5("socks5://proxy")
        #expect(socks.server(for: url)?.kind == .socks5)
    }

    @Test("P6: a URL of the other kind is refused")
    func kinds() {
        #expect(throws: ProxyURLError.unsupportedScheme) {
            try ProxyConfiguration.http("socks5://proxy")
        }
        #expect(throws: ProxyURLError.unsupportedScheme) {
            try ProxyConfiguration.socks5("http://proxy")
        }
        #expect(throws: ProxyURLError.unexpectedPath) { try ProxyConfiguration.http("p/x") }
    }

    @Test("K05-24: variables decide for each server")
    func variables() throws {
        let variables = try ProxyVariables(["http_proxy": "proxy:1", "no_proxy": "direct.test"])
        let configuration = ProxyConfiguration.variables(variables)
        #expect(configuration.server(for: url)?.address.port == 1)
        #expect(configuration.server(for: try WebSocketURL("ws://direct.test")) == nil)
    }
}
