public import HeartwireProtocol

/// What one attempt asks the server for. A provider gives a fresh one for every attempt (promise R4).
public struct ConnectionRequest: Sendable, Hashable {
    /// The opening handshake's request, valid by construction.
    public private(set) var opening: OpeningRequest
    /// The limits that hold for this connection.
    public var limits: Limits
    /// Whether and how compression is offered (RFC 7692). Default: it is, as browsers do.
    public var compression = Compression.deflate()
    /// How a `wss:` server is checked, for this attempt alone; `nil`, the default, leaves it to the client's
    /// own configuration.
    public var tls: TLSConfiguration?
    /// Which proxy to go through, for this attempt alone; `nil`, the default, leaves it to the client's own
    /// configuration.
    public var proxy: ProxyConfiguration?
    /// Whether redirects are followed, for this attempt alone; `nil`, the default, leaves it to the client's
    /// own configuration.
    public var redirects: RedirectPolicy?

    /// Where to connect to.
    public var url: WebSocketURL { opening.url }

    /// Describes a request.
    ///
    /// - Parameters:
    ///   - url: Where to connect to.
    ///   - headers: Header fields of the app's own, sent in this order after the protocol's.
    ///   - subprotocols: What the client speaks, in order of preference (RFC 6455 §1.9).
    ///   - limits: The limits that hold for this connection.
    /// - Throws: `OpeningRequestError` when a field could not stand in an HTTP request; nothing
    ///   has been sent then.
    public init(
        url: WebSocketURL, headers: HeaderFields = [:], subprotocols: [String] = [],
        limits: Limits = Limits()
    ) throws(OpeningRequestError) {
        self.opening = try OpeningRequest(url: url, headers: headers, subprotocols: subprotocols)
        self.limits = limits
    }

    /// This request with another opening, as a redirect asks for. Another server does not get to see the
    /// client's certificate.
    public func redirected(to opening: OpeningRequest) -> ConnectionRequest {
        var request = self
        request.opening = opening
        if (opening.url.host, opening.url.port) != (url.host, url.port) {
            request.tls?.identity = nil
        }
        return request
    }
}
