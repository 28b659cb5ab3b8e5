import HeartwireProtocol
import HeartwireSession
import Testing

@Suite("ConnectionRequest: what one attempt asks for")
struct ConnectionRequestTests {
    @Test("R4: a request carries the URL, the fields, the subprotocols and the limits")
    func parts() throws {
        let url = try WebSocketURL("wss://example.com/feed?x=1")
        var limits = Limits()
        limits.messageBytes = 7
        let request = try ConnectionRequest(
            url: url, headers: ["X-App": "1"], subprotocols: ["chat"], limits: limits)
        #expect(request.url == url)
        #expect(request.limits == limits)
        let opening = try OpeningRequest(
            url: url, headers: ["X-App": "1"], subprotocols: ["chat"])
        #expect(request.opening == opening)
    }

    @Test("R4: without more than a URL a request has no fields and no subprotocols")
    func defaults() throws {
        let url = try WebSocketURL("ws://example.com/")
        let request = try ConnectionRequest(url: url)
        #expect(request.opening == (try OpeningRequest(url: url)))
    }

    @Test("P6: what could not stand in an HTTP request is refused before anything is sent")
    func unlawful() throws {
        let url = try WebSocketURL("ws://example.com/")
        #expect(throws: OpeningRequestError.self) {
            try ConnectionRequest(url: url, headers: ["X-App": "1\r\nX-Evil: 2"])
        }
    }

    @Test(
        "P4, P6: limits, compression, proxy, redirects and TLS are the client's unless the request has its own"
    )
    func choices() throws {
        let request = try ConnectionRequest(url: try WebSocketURL("wss://example.com/"))
        #expect(request.limits == nil)
        #expect(request.compression == nil)
        #expect(request.proxy == nil)
        #expect(request.redirects == nil)
        #expect(request.tls == nil)
    }

    @Test("R4: what is changed in one request is not changed in another that was the same")
    func copies() throws {
        let request = try ConnectionRequest(url: try WebSocketURL("wss://example.com/"))
        var other = request
        other.limits = Limits()
        other.limits?.pendingPongs = 1
        other.compression = .off
        other.tls = TLSConfiguration()
        other.tls?.minimumVersion = .tls13
        other.proxy = try .http("http://proxy.example:3128")
        other.redirects = .refuse
        #expect(other != request)
        #expect(other.limits?.pendingPongs == 1)
        #expect(other.compression == .off)
        #expect(other.tls?.minimumVersion == .tls13)
        #expect(other.proxy == (try .http("http://proxy.example:3128")))
        #expect(other.redirects == .refuse)
        other.limits = nil
        other.compression = nil
        other.tls = nil
        other.proxy = nil
        other.redirects = nil
        #expect(other == request)
    }

    @Test(
        "P6: a redirected request keeps all but the opening; the certificate stays with its server")
    func redirected() throws {
        var request = try ConnectionRequest(url: try WebSocketURL("wss://example.com/"))
        request.redirects = .follow
        request.limits = Limits()
        request.limits?.messageBytes = 7
        var tls = TLSConfiguration()
        tls.identity = TLSIdentity(certificates: "c", privateKey: "k")
        request.tls = tls
        let same = try OpeningRequest(url: try WebSocketURL("wss://example.com/x"))
        let near = request.redirected(to: same)
        #expect(near.url.requestTarget == "/x")
        #expect(near.redirects == .follow)
        #expect(near.limits?.messageBytes == 7)
        #expect(near.tls == tls)
        for url in ["wss://example.org/", "wss://example.com:444/"] {
            let far = request.redirected(to: try OpeningRequest(url: try WebSocketURL(url)))
            #expect(far.tls != nil)
            #expect(far.tls?.identity == nil)
        }
    }
}
