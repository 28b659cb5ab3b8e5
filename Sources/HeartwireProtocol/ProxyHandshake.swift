/// The talk with a proxy that opens a tunnel, without its network: bytes go out, bytes come in, and in the
/// end there is a tunnel or a failure. Reads no clock; the owner bounds the time.
///
/// Theory of operation: write what ``takeOutgoing()`` gives after each call, hand over what
/// arrives to ``receive(_:)``, and the end of the stream to ``receiveEOF()``. Bytes behind the proxy's last word
/// are not consumed: they are the server's.
public struct ProxyHandshake: Sendable {
    /// What came of it.
    public enum Outcome: Sendable, Hashable {
        /// What is written from now on goes to the server, and what is read comes from it.
        case established
        /// There is no tunnel.
        case failed(ProxyFailure)
    }

    private enum Talk: Sendable {
        case http(HTTPProxyHandshake)
        case socks(SOCKSProxyHandshake)
        /// The outcome was given, or is under way within one call.
        case over
    }

    private var talk: Talk
    private var outgoing: [UInt8]

    /// Begins to ask `server` for a tunnel to the host and port of `url`.
    ///
    /// - Parameters:
    ///   - server: the proxy.
    ///   - url: where the tunnel is to lead.
    ///   - limits: bound the head of an HTTP proxy's answer.
    public init(_ server: ProxyServer, to url: WebSocketURL, limits: Limits = Limits()) {
        switch server.kind {
        case .http:
            talk = .http(HTTPProxyHandshake(limits: limits))
            outgoing = HTTPProxyHandshake.request(server, to: url)
        case .socks5:
            let socks = SOCKSProxyHandshake(server, to: url)
            outgoing = socks.greeting
            talk = .socks(socks)
        }
    }

    /// The bytes that wait to be written to the proxy; each is given once.
    public mutating func takeOutgoing() -> [UInt8] {
        defer { outgoing = [] }
        return outgoing
    }

    /// Reads on. The outcome is given once, and nothing is consumed after it.
    public mutating func receive(_ bytes: Span<UInt8>) -> (consumed: Int, outcome: Outcome?) {
        var index = 0
        let current = talk
        talk = .over
        switch current {
        case .http(var http):
            let outcome = http.receive(bytes, from: &index)
            if outcome == nil { talk = .http(http) }
            return (index, outcome)
        case .socks(var socks):
            let outcome = socks.receive(bytes, from: &index, answer: &outgoing)
            if outcome == nil { talk = .socks(socks) }
            return (index, outcome)
        case .over:
            return (0, nil)
        }
    }

    /// Ends the talk, which had no outcome.
    public mutating func receiveEOF() -> ProxyFailure {
        talk = .over
        return .ended
    }
}
