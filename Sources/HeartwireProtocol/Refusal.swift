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

    /// Why the client went no further, where the answer is a redirect and redirects are followed.
    public var redirectFault: RedirectFault?

    /// When the answer came, in whole seconds since 1970 by the wall clock; `nil` where it says so itself, or where
    /// that does not matter. A transport tells it once, as it reads the answer; see ``needsReceiptTime``.
    public var receivedSeconds: Int?

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
    /// A date counts from the answer's own `Date`, so that no clock has to agree with another; where it has none
    /// from ``receivedSeconds`` (RFC 9110 §6.6.1). `nil` when the server asks for nothing, or in a way that
    /// makes no sense; at most ``longestRetryAfterSeconds``.
    public var retryAfterSeconds: Int? {
        guard let value = headers["Retry-After"], !value.isEmpty else { return nil }
        guard value.utf8.allSatisfy(HTTPSyntax.isDigit) else {
            guard let until = HTTPDate.seconds(value), let from = ownSeconds ?? receivedSeconds
            else { return nil }
            return max(0, min(until - from, Self.longestRetryAfterSeconds))
        }
        return value.utf8.reduce(0) { seconds, digit in
            min(seconds * 10 + Int(digit &- UInt8(ascii: "0")), Self.longestRetryAfterSeconds)
        }
    }

    /// Whether the server asks to wait until a date and does not say what time it has.
    public var needsReceiptTime: Bool {
        headers["Retry-After"].flatMap(HTTPDate.seconds) != nil && ownSeconds == nil
    }

    /// What the server's clock said.
    private var ownSeconds: Int? { headers["Date"].flatMap(HTTPDate.seconds) }
}

extension Refusal: CustomStringConvertible {
    /// One line for people, such as `the server answered HTTP 403 Forbidden`, safe to display.
    public var description: String {
        let phrase = reasonPhrase.isEmpty ? "" : " \(DisplayText.excerpt(reasonPhrase))"
        let fault = redirectFault.map { ", which was not followed: \($0)" } ?? ""
        return "the server answered HTTP \(status)\(phrase)\(fault)"
    }
}
