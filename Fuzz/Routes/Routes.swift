// Checks what a peer decides on the way to a server: the talk with a proxy, and redirects.
//
// - No bytes trap; an outcome comes at the latest at the end of the stream, and one only.
// - However the bytes are cut, the outcome is the same, the same bytes are taken for the proxy's last word, and
//   this side says the same.
// - What goes out to a proxy is bounded, whatever it answers.
// - A redirect leads neither from wss to ws, nor back, nor past the limit; to another origin go neither
//   credentials nor cookies; and our server takes the request that comes of it.

import FuzzSupport
import HeartwireProtocol

/// What libFuzzer calls for every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    var input = FuzzInput(data, size)
    let kind = input.below(4)
    let seed = input.byte()
    switch kind {
    case 0: checkProxy("http://user:pass@proxy", input.rest(), seed)
    case 1: checkProxy("socks5://proxy", input.rest(), seed)
    case 2: checkProxy("socks5://user:pass@proxy", input.rest(), seed)
    default: checkRedirects(input.rest(), seed)
    }
    return 0
}

// MARK: Proxies

/// What a talk with a proxy came to.
private struct Talk: Equatable {
    var outcome: ProxyHandshake.Outcome?
    var consumed = 0
    var sent: [UInt8] = []
}

private func checkProxy(_ proxy: String, _ bytes: [UInt8], _ seed: UInt8) {
    let whole = talk(proxy, [bytes])
    let cut = talk(proxy, pieces(of: bytes, seed: seed))
    require(whole == cut, "the cut decides nothing: \(whole) against \(cut)")
    require(whole.sent.count < 1_024, "what goes out is bounded")
}

private func talk(_ proxy: String, _ pieces: [[UInt8]]) -> Talk {
    var talk = Talk()
    guard let server = try? ProxyServer(proxy), let url = try? WebSocketURL("ws://a.test:81/x")
    else {
        require(false, "the proxy and the URL are lawful")
        return talk
    }
    var handshake = ProxyHandshake(server, to: url, limits: .small)
    talk.sent += handshake.takeOutgoing()
    for piece in pieces {
        let (count, outcome) = handshake.receive(piece.span)
        require(count <= piece.count, "no more is taken than was given")
        talk.consumed += count
        talk.sent += handshake.takeOutgoing()
        guard let outcome else {
            require(count == piece.count, "what needs more has taken all")
            continue
        }
        talk.outcome = outcome
        let (more, second) = handshake.receive(piece.span)
        require(more == 0 && second == nil, "the outcome comes once")
        require(handshake.takeOutgoing().isEmpty, "after it nothing is said")
        return talk
    }
    require(handshake.receiveEOF() == .ended, "without an outcome the end is a failure")
    return talk
}

// MARK: Redirects

private func checkRedirects(_ bytes: [UInt8], _ seed: UInt8) {
    let isSecure = seed & 1 != 0
    guard let url = try? WebSocketURL("\(isSecure ? "wss" : "ws")://user:pass@a.test/x/y?z"),
        var request = try? OpeningRequest(
            url: url, headers: ["Cookie": "a=b", "Authorization": "Bearer c", "X": "1"])
    else { return require(false, "the first request is lawful") }
    let limit = Int(seed >> 1) % 8
    var trail = RedirectTrail(limit: limit)
    var visited: Set<WebSocketURL> = [url]
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
        let location = String(decoding: line, as: UTF8.self)
        let refusal = Refusal(status: 302, headers: ["Location": location])
        guard let next = try? trail.follow(refusal, from: request) else { continue }
        require(next.url.isSecure || !request.url.isSecure, "never from wss to ws")
        require(visited.insert(next.url).inserted, "never back")
        require(visited.count <= limit + 1, "no further than the limit")
        if (next.url.isSecure, next.url.host, next.url.port)
            != (request.url.isSecure, request.url.host, request.url.port)
        {
            require(next.url.user == nil, "another origin gets no user")
            for name in ["Cookie", "Authorization"] {
                require(next.headers[name] == nil, "another origin gets no \(name)")
            }
        }
        check(next)
        request = next
    }
}

private func check(_ request: OpeningRequest) {
    let head = request.bytes(key: "dGhlIHNhbXBsZSBub25jZQ==")
    var reader = RequestReader(limits: Limits())
    let (count, outcome) = reader.receive(head.span)
    guard case .received(let received)? = outcome else {
        return require(false, "our server takes the request: \(String(describing: outcome))")
    }
    require(count == head.count, "the request ends with its head")
    require(received.target == request.url.requestTarget, "the target is the URL's")
    require(received.headers["X"] == "1", "what is nobody's secret goes along")
}
