/// A server's answer to the opening handshake that is not a 101: no connection, but a reason.
public struct Refusal: Error, Sendable, Hashable {
    /// The status code, three digits (RFC 9110 §15).
    public let status: Int
    /// The reason phrase, often empty. The server's words: escape them for display.
    public let reasonPhrase: String
    /// The header fields of the answer.
    public let headers: HeaderFields
    /// The beginning of the decoded body, at most `Limits.refusalBodyBytes`, or what came of it.
    public let body: [UInt8]

    /// States a refusal.
    public init(
        status: Int, reasonPhrase: String = "", headers: HeaderFields = [:], body: [UInt8] = []
    ) {
        self.status = status
        self.reasonPhrase = reasonPhrase
        self.headers = headers
        self.body = body
    }

    /// The longest wait that ``retryAfterSeconds`` gives: a week.
    public static let longestRetryAfterSeconds = 86_400 * 7

    /// How long the server asks to wait, in seconds (RFC 9110 §10.2.3).
    ///
    /// `nil` when it asks for nothing, asks with a date, which would need the wall clock, or asks in
    /// a way that makes no sense; at most ``longestRetryAfterSeconds``.
    public var retryAfterSeconds: Int? {
        guard let value = headers["Retry-After"], !value.isEmpty else { return nil }
        var seconds = 0
        for byte in value.utf8 {
            guard HTTPSyntax.isDigit(byte) else { return nil }
            seconds = min(
                seconds * 10 + Int(byte - UInt8(ascii: "0")), Self.longestRetryAfterSeconds)
        }
        return seconds
    }
}

extension Refusal: CustomStringConvertible {
    /// One line for people, such as `the server answered HTTP 403 Forbidden`, safe to display.
    public var description: String {
        let phrase = reasonPhrase.isEmpty ? "" : " \(DisplayText.escaped(reasonPhrase))"
        return "the server answered HTTP \(status)\(phrase)"
    }
}
