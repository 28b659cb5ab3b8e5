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

    @Test("R4: without more than a URL a request has no fields, no subprotocols and usual limits")
    func defaults() throws {
        let url = try WebSocketURL("ws://example.com/")
        let request = try ConnectionRequest(url: url)
        #expect(request.limits == Limits())
        #expect(request.compression == .deflate())
        #expect(request.opening == (try OpeningRequest(url: url)))
    }

    @Test("P6: what could not stand in an HTTP request is refused before anything is sent")
    func unlawful() throws {
        let url = try WebSocketURL("ws://example.com/")
        #expect(throws: OpeningRequestError.self) {
            try ConnectionRequest(url: url, headers: ["X-App": "1\r\nX-Evil: 2"])
        }
    }
}
