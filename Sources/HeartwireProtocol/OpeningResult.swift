/// What a 101 settled (RFC 6455 §4.1).
public struct OpeningResult: Sendable, Hashable {
    /// The subprotocol that the server chose out of those on offer; `nil` when it chose none.
    public let subprotocol: String?
    /// All header fields of the answer.
    public let headers: HeaderFields

    /// States what was settled.
    public init(subprotocol: String? = nil, headers: HeaderFields = [:]) {
        self.subprotocol = subprotocol
        self.headers = headers
    }
}
