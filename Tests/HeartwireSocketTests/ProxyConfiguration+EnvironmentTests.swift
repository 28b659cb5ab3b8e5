import HeartwireProtocol
import HeartwireSocket
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("The proxies of the environment", .serialized)
struct ProxyEnvironmentTests {
    @Test("P6: the process's variables are read at the moment of asking")
    func variables() throws {
        let url = try WebSocketURL("ws://origin.test:8080/")
        defer { for name in ["http_proxy", "no_proxy"] { unsetenv(name) } }
        setenv("http_proxy", "proxy.test:3128", 1)
        #expect(try ProxyConfiguration.environment().server(for: url)?.address.port == 3_128)
        setenv("no_proxy", ".test", 1)
        #expect(try ProxyConfiguration.environment().server(for: url) == nil)
        setenv("http_proxy", "gopher://x", 1)
        #expect(throws: ProxyURLError.unsupportedScheme) { try ProxyConfiguration.environment() }
    }
}
