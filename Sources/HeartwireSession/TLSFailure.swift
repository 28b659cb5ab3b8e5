/// Why TLS (RFC 8446, RFC 5246) could not be set up, or broke. Holds no bytes of the peer and no secrets.
public enum TLSFailure: Error, Sendable, Hashable {
    /// The server's certificate leads to no authority that is trusted. Carries OpenSSL's words for what is missing.
    case untrusted(String)
    /// The certificate was issued for other names than the one that was connected to.
    case nameMismatch
    /// The certificate's time is over.
    case expired
    /// The certificate's time has not come.
    case notYetValid
    /// No key of the server's chain is pinned.
    case pinMismatch
    /// The peer does not speak `http/1.1` (RFC 7301), or chose something else.
    case applicationProtocol
    /// There is no version of TLS that both sides allow.
    case version
    /// What answered does not speak TLS.
    case notTLS
    /// What answered speaks plain HTTP: its port is one for `ws`, not for `wss`.
    case plainHTTP
    /// The peer gave up with this alert (RFC 8446 §6.2).
    case alert(UInt8)
    /// The peer ended the stream without `close_notify` (RFC 8446 §6.1): what it meant to say may be cut short.
    case truncated
    /// The peer broke the protocol. Carries OpenSSL's words.
    case broken(String)
    /// This side's own certificates or key cannot be used. Carries what is wrong with them.
    case configuration(String)
    /// This build has no TLS for sockets.
    case unavailable
}

extension TLSFailure {
    /// The failures without what they carry: a closed list to set verdicts for, to log and to count.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case untrusted
        case nameMismatch = "name-mismatch"
        case expired
        case notYetValid = "not-yet-valid"
        case pinMismatch = "pin-mismatch"
        case applicationProtocol = "application-protocol"
        case version
        case notTLS = "not-tls"
        case plainHTTP = "plain-http"
        case alert
        case truncated
        case broken
        case configuration
        case unavailable
    }

    /// This failure without what it carries.
    public var kind: Kind {
        switch self {
        case .untrusted: .untrusted
        case .nameMismatch: .nameMismatch
        case .expired: .expired
        case .notYetValid: .notYetValid
        case .pinMismatch: .pinMismatch
        case .applicationProtocol: .applicationProtocol
        case .version: .version
        case .notTLS: .notTLS
        case .plainHTTP: .plainHTTP
        case .alert: .alert
        case .truncated: .truncated
        case .broken: .broken
        case .configuration: .configuration
        case .unavailable: .unavailable
        }
    }
}

extension TLSFailure: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .untrusted(let words): "the server's certificate is not trusted: \(words)"
        case .nameMismatch: "the server's certificate is for another name"
        case .expired: "the server's certificate has expired"
        case .notYetValid: "the server's certificate is not valid yet"
        case .pinMismatch: "no key of the server's certificates is pinned"
        case .applicationProtocol: "ALPN: the peer does not speak http/1.1"
        case .version: "no version of TLS that both sides allow"
        case .notTLS: "the server does not speak TLS"
        case .plainHTTP: "the server does not speak TLS but plain HTTP, as for a ws URL"
        case .alert(let number): "the peer gave up with \(Self.words(forAlert: number))"
        case .truncated: "TLS truncated: the peer ended the stream without close_notify"
        case .broken(let words): "the peer broke TLS: \(words)"
        case .configuration(let words): "TLS is not configured right: \(words)"
        case .unavailable: "this build has no TLS for sockets"
        }
    }

    /// RFC 8446 §6, and what only earlier versions have.
    private static func words(forAlert number: UInt8) -> String {
        let name: String? =
            switch number {
            case 10: "unexpected message"
            case 20: "bad record MAC"
            case 40: "handshake failure"
            case 42: "bad certificate"
            case 43: "unsupported certificate"
            case 44: "certificate revoked"
            case 45: "certificate expired"
            case 46: "certificate unknown"
            case 47: "illegal parameter"
            case 48: "unknown CA"
            case 49: "access denied"
            case 50: "decode error"
            case 51: "decrypt error"
            case 71: "insufficient security"
            case 80: "internal error"
            case 90: "user canceled"
            case 109: "missing extension"
            case 112: "unrecognized name"
            case 116: "certificate required"
            default: nil
            }
        return "alert \(number)" + (name.map { " (\($0))" } ?? "")
    }
}
