public import HeartwireProtocol

/// What one attempt asks the server for. A provider gives a fresh one for every attempt (promise R4).
public struct ConnectionRequest: Sendable, Hashable {
    /// The opening handshake's request, valid by construction.
    public let opening: OpeningRequest
    /// The limits that hold for this connection.
    public var limits: Limits

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
}
