/// HTTP CONNECT (RFC 9110 §9.3.6): one request, one head as the answer.
struct HTTPProxyHandshake: Sendable {
    private var parser: HeadParser

    init(limits: Limits) {
        parser = HeadParser(.response, limits: limits)
    }

    /// The request: the target stands there as host and port, the port always (RFC 9112 §3.2.3), and `Host`
    /// says the same (§3.2). Credentials go out unasked, in the one round trip that there is.
    static func request(_ server: ProxyServer, to url: WebSocketURL) -> [UInt8] {
        let host = url.isIPv6 ? "[\(url.host)]" : url.host
        let target = "\(host):\(url.port)"
        var head = MessageHeadWriter(startLine: "CONNECT \(target) HTTP/1.1")
        head.append("Host", target)
        if let authorization = server.basicAuthorization {
            head.append("Proxy-Authorization", authorization)
        }
        return head.finish()
    }

    /// Interim answers are passed over, within the same limits. Any 2xx opens the tunnel right behind the blank line, whatever
    /// the head says of a length or coding (RFC 9110 §9.3.6).
    mutating func receive(_ bytes: Span<UInt8>, from index: inout Int) -> ProxyHandshake.Outcome? {
        while true {
            let (next, step) = parser.receive(bytes, from: index)
            index = next
            switch step {
            case .needsMore: return nil
            case .failed: return .failed(.malformedAnswer)
            case .complete(let head):
                let status = StatusLine(head.startLine).status
                switch status {
                case 200...299: return .established
                case 100, 102...199: parser.startNextHead()
                default: return .failed(.status(status))
                }
            }
        }
    }
}
