/// What a 101 settled (RFC 6455 §4.1).
public struct OpeningResult: Sendable, Hashable {
    /// The subprotocol that the server chose out of those on offer; `nil` when it chose none.
    public let subprotocol: String?
    /// How messages are compressed (RFC 7692); `nil` when they are not.
    public let compression: DeflateParameters?
    /// All header fields of the answer.
    public let headers: HeaderFields

    /// States what was settled.
    public init(
        subprotocol: String? = nil, compression: DeflateParameters? = nil,
        headers: HeaderFields = [:]
    ) {
        self.subprotocol = subprotocol
        self.compression = compression
        self.headers = headers
    }
}
