/// Why a request for a connection cannot be put into words of HTTP: a fault of the caller, found before
/// a byte is sent. It never holds a header's value.
public struct OpeningRequestError: Error, Sendable, Hashable, CustomStringConvertible {
    private enum Reason: Sendable, Hashable {
        case illegalHeaderName(Int)
        case illegalHeaderValue(String)
        case reservedHeader(String)
        case repeatedHost
        case illegalHost
        case repeatedCookie
        case illegalSubprotocol(Int)
        case duplicateSubprotocol(String)
    }

    private let reason: Reason

    /// The name of the header at this position, counted from zero, is not a token (RFC 9110 §5.1).
    public static func illegalHeaderName(position: Int) -> Self {
        Self(reason: .illegalHeaderName(position))
    }

    /// The value of the header with this name has a control character, such as CR or LF (RFC 9110 §5.5).
    public static func illegalHeaderValue(name: String) -> Self {
        Self(reason: .illegalHeaderValue(name))
    }

    /// The header with this name is written by the handshake itself and cannot be given (RFC 6455 §4.1).
    public static func reservedHeader(name: String) -> Self {
        Self(reason: .reservedHeader(name))
    }

    /// `Host` was given more than once (RFC 9112 §3.2).
    public static let repeatedHost = Self(reason: .repeatedHost)

    /// `Host` is no host with perhaps a port (RFC 9112 §3.2).
    public static let illegalHost = Self(reason: .illegalHost)

    /// `Cookie` was given more than once; one field holds all cookies (RFC 6265 §5.4).
    public static let repeatedCookie = Self(reason: .repeatedCookie)

    /// The subprotocol at this position, counted from zero, is not a token (RFC 6455 §4.1).
    public static func illegalSubprotocol(position: Int) -> Self {
        Self(reason: .illegalSubprotocol(position))
    }

    /// The subprotocol occurs twice (RFC 6455 §4.1).
    public static func duplicateSubprotocol(_ name: String) -> Self {
        Self(reason: .duplicateSubprotocol(name))
    }

    /// One line that says what to change.
    public var description: String {
        switch reason {
        case .illegalHeaderName(let position):
            "header \(position): the name must be a token, without spaces, colons or control characters"
        case .illegalHeaderValue(let name):
            "header \(name): the value must not hold CR, LF, NUL or another control character"
        case .reservedHeader(let name)
        where HTTPSyntax.equalsIgnoringCase(name, "proxy-authorization"):
            "header \(name): it would go to the server; put the credentials into the proxy's URL"
        case .reservedHeader(let name): "header \(name): the opening handshake writes it itself"
        case .repeatedHost: "header Host: it can be given once only"
        case .illegalHost: "header Host: it must be a host in ASCII, and a port if you like"
        case .repeatedCookie: "header Cookie: it can be given once only; put '; ' between cookies"
        case .illegalSubprotocol(let position):
            "subprotocol \(position): it must be a token, without spaces, commas or control characters"
        case .duplicateSubprotocol(let name): "subprotocol \(name): it is listed twice"
        }
    }
}
