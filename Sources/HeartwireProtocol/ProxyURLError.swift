/// Why a text is no proxy's URL. It never holds any part of the text, since it may carry a password.
public struct ProxyURLError: Error, Sendable, Hashable, CustomStringConvertible {
    private enum Reason: Sendable, Hashable {
        case unsupportedScheme
        case unexpectedPath
        case illegalAuthority(WebSocketURLError)
        case illegalCredentials
    }

    private let reason: Reason

    /// The scheme is neither `http` nor `socks5`.
    public static let unsupportedScheme = Self(reason: .unsupportedScheme)
    /// A path, query or fragment follows the host.
    public static let unexpectedPath = Self(reason: .unexpectedPath)
    /// Host, port or user information are not lawful in a URL.
    public static func illegalAuthority(_ error: WebSocketURLError) -> Self {
        Self(reason: .illegalAuthority(error))
    }
    /// SOCKS5 asks for a user name and a password of 1 to 255 bytes each (RFC 1929 §2).
    public static let illegalCredentials = Self(reason: .illegalCredentials)

    /// One line that says what to change.
    public var description: String {
        switch reason {
        case .unsupportedScheme: "the proxy must be http://… or socks5://…"
        case .unexpectedPath: "a proxy has a host and a port, and no path, query or fragment"
        case .illegalAuthority(let error): "the proxy's URL: \(error)"
        case .illegalCredentials:
            "SOCKS5 takes a user name and a password of 1 to 255 bytes each (RFC 1929)"
        }
    }
}
