import HeartwireProtocol

/// How a client checks a `wss:` server, and what it shows of itself (promise P3).
///
/// The default trusts what the system trusts. The server's certificate has to name the URL's host, or its
/// address where the URL has one, in its subject alternative names (RFC 9525; common names count for nothing).
public struct TLSConfiguration: Sendable, Hashable {
    /// Whose word counts.
    public enum Trust: Sendable, Hashable {
        /// The authorities that the system trusts.
        case system
        /// Only the certificates in this PEM text (RFC 7468), instead of the system's.
        case certificates(pem: String)
        /// The system's authorities, and the certificates in this PEM text.
        case systemAnd(pem: String)
    }

    /// The oldest version that is spoken.
    public enum Version: Sendable, Hashable {
        /// TLS 1.2 (RFC 5246) or later.
        case tls12
        /// TLS 1.3 (RFC 8446) or later.
        case tls13
    }

    /// Whose word counts. Default: the system's authorities.
    public var trust = Trust.system
    /// The oldest version that is spoken. Default: TLS 1.2; what is older is broken (RFC 8996). Where the system's own
    /// settings for OpenSSL ask for a later one, that one holds.
    public var minimumVersion = Version.tls12
    /// What the client shows when the server asks who it is. Default: nothing.
    public var identity: TLSIdentity?
    /// Keys of which the server's chain must hold one, beside everything else that is checked. They are compared
    /// on each connection, before a byte of HTTP is sent. Empty, the default: no key is asked for.
    public var pins: Set<PublicKeyPin> = []
    /// Whether the server's certificate is not looked at; see ``dangerouslyAcceptAnyCertificate()``.
    public private(set) var acceptsAnyCertificate = false

    /// The default: safe to leave alone.
    public init() {}

    /// Switches the checks of the certificate's issuer, name and time off: anybody on the way can then read and
    /// change everything. Pins are still compared, with the server's own key alone.
    public mutating func dangerouslyAcceptAnyCertificate() {
        acceptsAnyCertificate = true
    }
}

/// A certificate with its private key. Says nothing of itself in logs.
public struct TLSIdentity: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The certificate, and behind it those of the authorities in between, as PEM text (RFC 7468).
    public let certificates: String
    /// The private key as PEM text without a passphrase.
    public let privateKey: String

    /// Joins the PEM texts of a chain and of its key; they may be the same text.
    public init(certificates: String, privateKey: String) {
        self.certificates = certificates
        self.privateKey = privateKey
    }

    /// Only that there is one.
    public var description: String { "TLSIdentity" }

    /// Nothing: the key is not to be found in a dump.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The SHA-256 hash of a certificate's SubjectPublicKeyInfo (RFC 7469 §2.4).
public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
    /// The length of a hash.
    static let byteCount = 32

    /// The hash, 32 bytes.
    public let sha256: [UInt8]

    /// Takes a hash; `nil` when it does not have 32 bytes.
    public init?(sha256: [UInt8]) {
        guard sha256.count == Self.byteCount else { return nil }
        self.sha256 = sha256
    }

    /// Reads a hash in Base64, as `openssl dgst -sha256 -binary | base64` prints it, with or without `sha256/`
    /// in front; `nil` when it is none.
    public init?(_ text: String) {
        let prefix = "sha256/"
        let digits = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
        guard let bytes = Base64.decode(digits) else { return nil }
        self.init(sha256: bytes)
    }

    /// `sha256/` and the hash in Base64.
    public var description: String { "sha256/\(Base64.encode(sha256))" }
}
