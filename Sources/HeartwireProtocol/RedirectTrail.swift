/// The redirects that one attempt to connect follows (RFC 9110 §15.4), and where it has been.
///
/// 301, 302, 303, 307 and 308 are the same for an opening handshake, which is a GET without a body. A redirect
/// is followed neither from `wss:` to `ws:`, nor to a place where the attempt has been, nor past the limit. To
/// another origin go neither credentials nor cookies, nor a `Host` of the app's own.
public struct RedirectTrail: Sendable {
    private let limit: Int32
    private var followed: Int32 = 0
    private var visited: Set<WebSocketURL> = []

    /// Begins where no redirect was followed yet.
    public init(limit: Int) {
        self.limit = Int32(clamping: limit)
    }

    /// Whether an answer with this status is a redirect.
    public static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// The request to go on with after `request` was answered with the redirect `refusal`.
    ///
    /// - Throws: ``RedirectFault`` when it is not to be followed.
    public mutating func follow(
        _ refusal: Refusal, from request: OpeningRequest
    ) throws(RedirectFault) -> OpeningRequest {
        let locations = refusal.headers.all("Location")
        guard let location = locations.first, locations.count == 1 else { throw .noLocation }
        let url = request.url
        guard let next = url.resolving(location) else { throw .badLocation }
        guard next.isSecure || !url.isSecure else { throw .downgrade }
        visited.insert(url)
        guard !visited.contains(next) else { throw .loop }
        guard followed < limit else { throw .tooMany }
        followed += 1
        guard let followUp = request.moved(to: next) else { throw .badLocation }
        return followUp
    }
}

extension OpeningRequest {
    /// This request at another place: without what is nobody's business there.
    fileprivate func moved(to next: WebSocketURL) -> OpeningRequest? {
        var headers = headers
        if !next.hasSameOrigin(as: url) {
            for name in ["Authorization", "Cookie", "Host"] {
                headers[name] = nil
            }
        }
        return try? OpeningRequest(url: next, headers: headers, subprotocols: subprotocols)
    }
}
