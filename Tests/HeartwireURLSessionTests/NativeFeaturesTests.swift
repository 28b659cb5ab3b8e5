import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireURLSession

@Suite("What Foundation's task cannot do")
struct NativeFeaturesTests {
    private let all: NativeFeatures = [.proxies, .serverTrust, .minimumVersion]

    private func request(
        _ url: String = "wss://h.test/", _ change: (inout ConnectionRequest) throws -> Void
    ) throws -> ConnectionRequest {
        var request = try ConnectionRequest(url: WebSocketURL(url))
        request.tls = TLSConfiguration()
        try change(&request)
        return request
    }

    @Test("T3: what every platform can do is no obstacle")
    func plain() throws {
        for features in [[], all] as [NativeFeatures] {
            #expect(features.obstacle(to: try request { _ in }) == nil)
            #expect(features.obstacle(to: try request { $0.proxy = .direct }) == nil)
            #expect(features.obstacle(to: try request { $0.tls = nil }) == nil)
        }
        // A ws: URL has no TLS to be strict about.
        let pin = try #require(PublicKeyPin(sha256: [UInt8](repeating: 1, count: 32)))
        let plain = try request("ws://h.test/") { $0.tls?.pins = [pin] }
        #expect(NativeFeatures().obstacle(to: plain) == nil)
    }

    @Test("T3, P3, P6: what a platform cannot do is refused, typed, and never silently left out")
    func refused() throws {
        let pin = try #require(PublicKeyPin(sha256: [UInt8](repeating: 1, count: 32)))
        let needs: [(NativeFeatures, ConnectionRequest)] = [
            (.proxies, try request { $0.proxy = try .http("http://p.test:3128") }),
            (.minimumVersion, try request { $0.tls?.minimumVersion = .tls13 }),
            (.serverTrust, try request { $0.tls?.pins = [pin] }),
            (.serverTrust, try request { $0.tls?.trust = .certificates(pem: "") }),
            (.serverTrust, try request { $0.tls?.trust = .systemAnd(pem: "") }),
            (.serverTrust, try request { $0.tls?.dangerouslyAcceptAnyCertificate() }),
        ]
        for (need, request) in needs {
            #expect(all.obstacle(to: request) == nil)
            let failure = try #require(all.subtracting(need).obstacle(to: request))
            #expect(failure.kind == (need == .proxies ? .proxy : .tls))
        }
        #expect(
            NativeFeatures().obstacle(to: needs[0].1) == ConnectionFailure(ProxyFailure.unavailable)
        )
        let identity = try request {
            $0.tls?.identity = TLSIdentity(certificates: "c", privateKey: "k")
        }
        #expect(all.obstacle(to: identity)?.tls?.kind == .configuration)
    }

    @Test("T3: a proxy has the names that CFNetwork gives it")
    func proxies() throws {
        let http = ProxySettings.dictionary(for: try ProxyServer("http://p.test:3128"))
        #expect(http["HTTPEnable"] == .number(1))
        #expect(http["HTTPSProxy"] == .text("p.test"))
        #expect(http["HTTPSPort"] == .number(3_128))
        #expect(http.count == 6)
        let socks = ProxySettings.dictionary(for: try ProxyServer("socks5://u:w@p.test"))
        #expect(socks["SOCKSProxy"] == .text("p.test"))
        #expect(socks["SOCKSPort"] == .number(1_080))
        #expect(socks["kCFStreamPropertySOCKSUser"] == .text("u"))
        #expect(socks["kCFStreamPropertySOCKSPassword"] == .text("w"))
        #expect(ProxySettings.dictionary(for: try ProxyServer("socks5://p.test")).count == 3)
        #expect(ProxySetting.number(7).value as? Int == 7)
        #expect(ProxySetting.text("t").value as? String == "t")
    }
}
