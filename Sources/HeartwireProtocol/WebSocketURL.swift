/// Where a WebSocket server is to be found (RFC 6455 §3, RFC 3986).
///
/// The path and query are kept exactly as they were given, escapes and all: they go onto the request
/// line as they are. A name beyond ASCII is turned into the form that the DNS knows. The description
/// holds neither credentials nor the query, so a URL can be logged.
public struct WebSocketURL: Sendable, Hashable {
    /// Whether TLS is used: `wss`.
    public let isSecure: Bool
    /// The host in lower case: a name in ASCII without a trailing dot, for `Host` and TLS; or an IP
    /// address, IPv6 without brackets. A zone (`%eth0`) is refused: RFC 6455 has no place for it.
    public let host: String
    /// The host as the resolver should get it: a name that was given with a trailing dot keeps it, so that no
    /// search list applies.
    public var resolverName: String { isRooted ? host + "." : host }
    private let isRooted: Bool
    /// Whether the host is an IPv6 address.
    public let isIPv6: Bool
    /// The port, 1 to 65535; 80 or 443 where the URL names none.
    public let port: UInt16
    /// Path and query as they go onto the request line; `/` at the least (RFC 6455 §3).
    public let requestTarget: String
    /// The user in the URL, decoded; `nil` when there is no user information.
    public var user: String? { userInfo?.value.user }
    /// The password in the URL, decoded.
    public var password: String? { userInfo?.value.password }
    /// Few URLs have any.
    private let userInfo: Shared<UserInfo>?

    private struct UserInfo: Sendable, Hashable {
        let user: String?
        let password: String?
    }

    /// Reads a URL.
    ///
    /// - Throws: ``WebSocketURLError``, which says what to change.
    public init(_ string: String) throws(WebSocketURLError) {
        let (isSecure, rest) = try Self.scheme(of: string)
        guard !rest.utf8.contains(UInt8(ascii: "#")) else { throw .fragment }
        let end = rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        let target = rest[(end ?? rest.endIndex)...]
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .illegalCharacter }
        let authority = try URLAuthority(rest[..<(end ?? rest.endIndex)])
        self.isSecure = isSecure
        host = authority.host
        isRooted = authority.isRooted
        isIPv6 = authority.isIPv6
        port = authority.port ?? Self.defaultPort(isSecure)
        requestTarget = target.utf8.first == UInt8(ascii: "/") ? String(target) : "/\(target)"
        userInfo = Self.userInfo(authority.user, authority.password)
    }

    /// The scheme, `ws` or `wss`.
    public var scheme: String { isSecure ? "wss" : "ws" }

    /// The value of `Host`: the port is left out where it is the scheme's own, and IPv6 stands in brackets
    /// (RFC 6455 §4.1, RFC 9112 §3.2).
    public var hostHeader: String {
        let name = isIPv6 ? "[\(host)]" : host
        return port == Self.defaultPort(isSecure) ? name : "\(name):\(port)"
    }

    /// The value of `Authorization` for the URL's user information (RFC 7617 §2); `nil` when there is none.
    public var basicAuthorization: String? {
        guard let user else { return nil }
        return "Basic \(Base64.encode(Array("\(user):\(password ?? "")".utf8)))"
    }

    private init(_ url: WebSocketURL, target: String, user: String?, password: String?) {
        isSecure = url.isSecure
        host = url.host
        isRooted = url.isRooted
        isIPv6 = url.isIPv6
        port = url.port
        requestTarget = target
        userInfo = Self.userInfo(user, password)
    }

    private static func userInfo(_ user: String?, _ password: String?) -> Shared<UserInfo>? {
        user == nil && password == nil ? nil : Shared(UserInfo(user: user, password: password))
    }

    /// This URL with another path and query, which must begin with a slash and hold visible ASCII only.
    func withRequestTarget(_ target: String) -> WebSocketURL {
        WebSocketURL(self, target: target, user: user, password: password)
    }

    /// This URL with other user information.
    func withUserInfo(_ user: String?, _ password: String?) -> WebSocketURL {
        WebSocketURL(self, target: requestTarget, user: user, password: password)
    }

    private static func defaultPort(_ isSecure: Bool) -> UInt16 { isSecure ? 443 : 80 }

    private static func scheme(
        of string: String
    ) throws(WebSocketURLError) -> (isSecure: Bool, rest: Substring) {
        for (scheme, isSecure) in [("ws://", false), ("wss://", true)] {
            let count = scheme.utf8.count
            // Cut by bytes, not by characters: a combining mark would melt into the slash.
            let prefix = String(decoding: string.utf8.prefix(count), as: UTF8.self)
            guard HTTPSyntax.equalsIgnoringCase(prefix, scheme) else { continue }
            return (isSecure, Substring(string.utf8.dropFirst(count)))
        }
        throw .unsupportedScheme
    }
}

extension WebSocketURL: CustomStringConvertible {
    /// The URL without user information, and with `?…` for a query.
    public var description: String {
        let path = requestTarget.utf8.prefix { $0 != UInt8(ascii: "?") }
        let query = path.count < requestTarget.utf8.count ? "?…" : ""
        return "\(scheme)://\(hostHeader)\(Substring(path))\(query)"
    }
}
