public import HeartwireProtocol

/// What one attempt asks the server for. A provider gives a fresh one for every attempt (promise R4).
public struct ConnectionRequest: Sendable, Hashable {
    /// Where to connect to.
    public var url: WebSocketURL
    /// Header fields of the app's own, sent in this order after the protocol's.
    public var headers: HeaderFields
    /// The subprotocols that the client speaks, in order of preference (RFC 6455 §1.9).
    public var subprotocols: [String]
    /// The limits that hold for this connection.
    public var limits: Limits

    /// Describes a request.
    public init(
        url: WebSocketURL, headers: HeaderFields = [:], subprotocols: [String] = [],
        limits: Limits = Limits()
    ) {
        self.url = url
        self.headers = headers
        self.subprotocols = subprotocols
        self.limits = limits
    }
}
