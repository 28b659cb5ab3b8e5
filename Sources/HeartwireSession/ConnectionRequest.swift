public import HeartwireProtocol

/// What one attempt asks the server for. A provider gives a fresh one for every attempt (promise R4).
///
/// A copy costs a reference: the client, its transport and the app share what is the same.
public struct ConnectionRequest: Sendable, Hashable {
    private struct Contents: Sendable, Hashable {
        var opening: OpeningRequest
        var limits: Shared<Limits>?
        var compression: Shared<Compression>?
        var tls: Shared<TLSConfiguration>?
        var proxy: Shared<ProxyConfiguration>?
        var redirects: RedirectPolicy?
    }

    /// What most requests have; it is stored once for all of them.
    private enum Usual {
        static let compression = Shared(Compression.deflate())
        static let tls = Shared(TLSConfiguration())
        static let proxy = Shared(ProxyConfiguration.direct)
    }

    private var contents: Shared<Contents>

    /// The opening handshake's request, valid by construction.
    public var opening: OpeningRequest { contents.value.opening }

    /// The limits that hold for this connection alone; `nil`, the default, leaves them to the client's own
    /// configuration.
    public var limits: Limits? {
        get { contents.value.limits?.value }
        set { contents.value.limits = newValue?.shared }
    }

    /// Whether and how compression is offered (RFC 7692), for this attempt alone; `nil`, the default, leaves it to the
    /// client's own configuration.
    public var compression: Compression? {
        get { contents.value.compression?.value }
        set { contents.value.compression = newValue.map { Shared($0, unless: Usual.compression) } }
    }

    /// How a `wss:` server is checked, for this attempt alone; `nil`, the default, leaves it to the client's
    /// own configuration.
    public var tls: TLSConfiguration? {
        get { contents.value.tls?.value }
        set { contents.value.tls = newValue.map { Shared($0, unless: Usual.tls) } }
    }

    /// Which proxy to go through, for this attempt alone; `nil`, the default, leaves it to the client's own
    /// configuration.
    public var proxy: ProxyConfiguration? {
        get { contents.value.proxy?.value }
        set { contents.value.proxy = newValue.map { Shared($0, unless: Usual.proxy) } }
    }

    /// Whether redirects are followed, for this attempt alone; `nil`, the default, leaves it to the client's
    /// own configuration.
    public var redirects: RedirectPolicy? {
        get { contents.value.redirects }
        set { contents.value.redirects = newValue }
    }

    /// The limits that hold, the usual ones where nobody has said anything.
    package var effectiveLimits: Limits { limits ?? Limits() }

    /// The compression that is offered, the usual one where nobody has said anything.
    package var effectiveCompression: Compression {
        contents.value.compression?.value ?? .deflate()
    }

    /// Where to connect to.
    public var url: WebSocketURL { opening.url }

    /// Describes a request.
    ///
    /// - Parameters:
    ///   - url: Where to connect to.
    ///   - headers: Header fields of the app's own, sent in this order after the protocol's.
    ///   - subprotocols: What the client speaks, in order of preference (RFC 6455 §1.9).
    ///   - limits: The limits that hold for this connection, if not the client's own.
    /// - Throws: `OpeningRequestError` when a field could not stand in an HTTP request; nothing
    ///   has been sent then.
    public init(
        url: WebSocketURL, headers: HeaderFields = [:], subprotocols: [String] = [],
        limits: Limits? = nil
    ) throws(OpeningRequestError) {
        let opening = try OpeningRequest(url: url, headers: headers, subprotocols: subprotocols)
        contents = Shared(Contents(opening: opening, limits: limits?.shared))
    }

    /// This request with another opening, as a redirect asks for. Another server does not get to see the
    /// client's certificate.
    public func redirected(to opening: OpeningRequest) -> ConnectionRequest {
        var request = self
        request.contents.value.opening = opening
        if (opening.url.host, opening.url.port) != (url.host, url.port) {
            request.tls?.identity = nil
        }
        return request
    }
}
