/// Why a text is no WebSocket URL. It never holds any part of the text, since a URL may carry secrets.
public struct WebSocketURLError: Error, Sendable, Hashable, CustomStringConvertible {
    private enum Reason: Sendable, Hashable {
        case unsupportedScheme
        case fragment
        case illegalCharacter
        case illegalUserInfo
        case missingHost
        case illegalHost
        case illegalPort
        case labelTooLong(Int)
        case hostTooLong(Int)
    }

    private let reason: Reason

    /// The text does not begin with `ws://` or `wss://` (RFC 6455 §3).
    public static let unsupportedScheme = Self(reason: .unsupportedScheme)
    /// The text has a fragment, `#…` (RFC 6455 §3).
    public static let fragment = Self(reason: .fragment)
    /// The path or query has a space, a control character or something beyond ASCII (RFC 3986 §2).
    public static let illegalCharacter = Self(reason: .illegalCharacter)
    /// The user information cannot be sent as credentials (RFC 3986 §3.2.1, RFC 7617 §2).
    public static let illegalUserInfo = Self(reason: .illegalUserInfo)
    /// The text names no host.
    public static let missingHost = Self(reason: .missingHost)
    /// The host is neither a name nor an IP address (RFC 3986 §3.2.2, RFC 1123 §2.1).
    public static let illegalHost = Self(reason: .illegalHost)
    /// The port is no number from 1 to 65535.
    public static let illegalPort = Self(reason: .illegalPort)

    /// A label of the host's name is longer than the 63 bytes of RFC 1035 §2.3.4, as it goes to the DNS.
    public static func labelTooLong(byteCount: Int) -> Self {
        Self(reason: .labelTooLong(byteCount))
    }

    /// The host's name is longer than 253 bytes, what RFC 1035 §2.3.4 leaves for text.
    public static func hostTooLong(byteCount: Int) -> Self {
        Self(reason: .hostTooLong(byteCount))
    }

    /// One line that says what to change.
    public var description: String {
        switch reason {
        case .unsupportedScheme: "the URL must begin with ws:// or wss://"
        case .fragment: "a WebSocket URL has no fragment: write # as %23"
        case .illegalCharacter:
            "the URL's path and query must be visible ASCII: write other characters as %XX"
        case .illegalUserInfo:
            "the URL's user information must be UTF-8 in %XX escapes (%40 for @, %2F for /), with no control characters and no colon in the user"
        case .missingHost: "the URL has no host"
        case .illegalHost: "the URL's host is neither a domain name nor an IP address"
        case .illegalPort: "the URL's port must be a number from 1 to 65535"
        case .labelTooLong(let count):
            "a label of the URL's host has \(count) bytes; 63 are allowed"
        case .hostTooLong(let count): "the URL's host has \(count) bytes; 253 are allowed"
        }
    }
}
