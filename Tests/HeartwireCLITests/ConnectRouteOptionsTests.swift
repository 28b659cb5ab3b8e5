import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireCLI

@Suite struct ConnectRouteOptionsTests {
    private func connect(_ words: String...) throws -> ConnectOptions? {
        guard
            case .connect(let options) = try CommandRequest(
                arguments: ["connect", "ws://h/"] + words)
        else { return nil }
        return options
    }

    @Test("P6: without --proxy the way is direct, and no redirect is followed")
    func defaults() throws {
        let options = try #require(try connect())
        #expect(options.route == ConnectRouteOptions())
        #expect(options.configuration(journal: nil).proxy == .direct)
        #expect(options.configuration(journal: nil).redirects == .refuse)
    }

    @Test("P6: --proxy takes an HTTP or SOCKS5 proxy, and --follow-redirects follows")
    func given() throws {
        let options = try #require(
            try connect("--proxy", "socks5://127.0.0.1:1080", "--follow-redirects"))
        let configuration = options.configuration(journal: nil)
        #expect(configuration.proxy == .server(try ProxyServer("socks5://127.0.0.1:1080")))
        #expect(configuration.redirects == .follow)
        let http = try #require(try connect("--proxy=http://proxy:3128"))
        #expect(http.route.proxy == (try .http("http://proxy:3128")))
    }

    @Test("K05-18: a proxy that is none is misuse, and its password is not repeated")
    func misuse() {
        let error = #expect(throws: UsageError.self) {
            try self.connect("--proxy", "ftp://user:canary@h")
        }
        #expect(error?.description.contains("the proxy cannot be used") == true)
        #expect(error?.description.contains("canary") == false)
    }

    @Test("P6: --proxy=env is what the environment says")
    func environment() throws {
        let options = try #require(try connect("--proxy", "env"))
        guard case .variables = options.route.proxy else {
            Issue.record("\(options.route.proxy)")
            return
        }
    }
}
