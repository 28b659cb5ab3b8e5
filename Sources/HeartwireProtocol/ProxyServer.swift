/// A proxy that opens a tunnel to the server: by HTTP CONNECT (RFC 9110 §9.3.6) or by SOCKS5 (RFC 1928).
///
/// The description shows no credentials, so a proxy can be logged.
public struct ProxyServer: Sendable, Hashable {
    /// What the proxy speaks.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// HTTP CONNECT, without TLS on the way to the proxy itself.
        case http
        /// SOCKS version 5. Names are resolved by the proxy.
        case socks5
    }

    /// The longest user name or password that SOCKS5 can carry, in bytes (RFC 1929 §2).
    static let longestCredential = 255

    /// What it speaks.
    public let kind: Kind
    /// Where it is to be found, in the terms of a connector: `ws://host:port/`.
    public let address: WebSocketURL
    /// The user that the proxy knows this client as, decoded; `nil` when there is none.
    public let user: String?
    /// The user's password, decoded.
    public let password: String?

    /// Reads a proxy's URL: `http://user:password@host:port`, `socks5://host:port`, or `host:port`, which means
    /// `http`. `socks5h` is the same as `socks5`. The port is 80 for HTTP and 1080 for SOCKS5 where
    /// none is named.
    ///
    /// - Throws: ``ProxyURLError``, which says what to change.
    public init(_ string: String) throws(ProxyURLError) {
        let (kind, rest) = try Self.scheme(of: string)
        var authorityText = rest
        if rest.utf8.last == UInt8(ascii: "/") { authorityText = Substring(rest.utf8.dropLast()) }
        guard !authorityText.utf8.contains(where: { "/?#".utf8.contains($0) }) else {
            throw .unexpectedPath
        }
        do throws(WebSocketURLError) {
            // SOCKS5 gives the user a length of its own (RFC 1929 §2).
            let authority = try URLAuthority(authorityText, userMayHoldColon: kind == .socks5)
            let host = authority.isIPv6 ? "[\(authority.host)]" : authority.host
            let port = authority.port ?? (kind == .http ? 80 : 1080)
            address = try WebSocketURL("ws://\(host)\(authority.isRooted ? "." : ""):\(port)/")
            (user, password) = (authority.user, authority.password)
        } catch {
            throw .illegalAuthority(error)
        }
        self.kind = kind
        guard kind == .http || Self.fitsSOCKS(user, password) else { throw .illegalCredentials }
    }

    /// The value of `Proxy-Authorization` (RFC 7617 §2); `nil` when there is no user.
    var basicAuthorization: String? {
        guard let user else { return nil }
        return "Basic \(Base64.encode(Array("\(user):\(password ?? "")".utf8)))"
    }

    private static func scheme(
        of string: String
    ) throws(ProxyURLError) -> (kind: Kind, rest: Substring) {
        let bytes = Array(string.utf8)
        let mark = Array("://".utf8)
        let end = bytes.indices.first { bytes[$0...].starts(with: mark) }
        guard let end else { return (.http, Substring(string)) }
        let rest = Substring(string.utf8.dropFirst(end + mark.count))
        switch String(decoding: bytes[..<end].map(HTTPSyntax.lowercased), as: UTF8.self) {
        case "http": return (.http, rest)
        case "socks5", "socks5h": return (.socks5, rest)
        default: throw .unsupportedScheme
        }
    }

    /// RFC 1929 §2 gives each of them one byte of length, and asks for one byte at least.
    private static func fitsSOCKS(_ user: String?, _ password: String?) -> Bool {
        guard let user else { return true }
        return (1...longestCredential).contains(user.utf8.count)
            && (1...longestCredential).contains((password ?? "").utf8.count)
    }
}

extension ProxyServer: CustomStringConvertible, CustomReflectable {
    /// The kind, host and port, such as `socks5://127.0.0.1:1080`.
    public var description: String {
        let host = address.isIPv6 ? "[\(address.host)]" : address.host
        return "\(kind.rawValue)://\(host):\(address.port)"
    }

    /// Nothing: the password is not to be found in a dump.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
