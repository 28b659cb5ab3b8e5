/// What stands between `//` and the path: user information, host and port (RFC 3986 §3.2).
struct URLAuthority {
    let user: String?
    let password: String?
    /// In lower case, in ASCII; a name without its trailing dot, an IPv6 address without brackets.
    let host: String
    /// Whether the name had a trailing dot.
    let isRooted: Bool
    let isIPv6: Bool
    /// `nil` when the URL names no port.
    let port: UInt16?

    /// - Parameter userMayHoldColon: whether an escaped colon may stand in the user: not where user and password go into
    ///   one line (RFC 7617 §2).
    init(_ text: Substring, userMayHoldColon: Bool = false) throws(WebSocketURLError) {
        var hostAndPort = text
        if let at = text.utf8.firstIndex(of: UInt8(ascii: "@")) {
            (user, password) = try Self.credentials(text[..<at], userMayHoldColon)
            hostAndPort = text[text.utf8.index(after: at)...]
            // A host has none: the credentials hold one that is not escaped.
            guard !hostAndPort.utf8.contains(UInt8(ascii: "@")) else { throw .illegalUserInfo }
        } else {
            (user, password) = (nil, nil)
        }
        if hostAndPort.utf8.first == UInt8(ascii: "[") {
            guard let bracket = hostAndPort.utf8.firstIndex(of: UInt8(ascii: "]")) else {
                throw .illegalHost
            }
            let behind = hostAndPort[hostAndPort.utf8.index(after: bracket)...]
            let address = hostAndPort[..<bracket].utf8.dropFirst()
            guard behind.isEmpty || behind.utf8.first == UInt8(ascii: ":"),
                IPAddressSyntax.isIPv6(Array(address))
            else { throw .illegalHost }
            host = String(decoding: address.map(HTTPSyntax.lowercased), as: UTF8.self)
            (isIPv6, isRooted) = (true, false)
            port = try Self.port(behind.utf8.dropFirst())
        } else {
            let colon = hostAndPort.utf8.firstIndex(of: UInt8(ascii: ":"))
            let name = hostAndPort[..<(colon ?? hostAndPort.endIndex)]
            let behind = hostAndPort[(colon ?? hostAndPort.endIndex)...]
            (host, isRooted) = try DomainName.ascii(name)
            isIPv6 = false
            port = try Self.port(behind.utf8.dropFirst())
        }
    }

    /// RFC 3986 §3.2.3: nothing behind the colon is the same as no colon.
    private static func port(
        _ digits: Substring.UTF8View.SubSequence
    ) throws(WebSocketURLError) -> UInt16? {
        guard !digits.isEmpty else { return nil }
        var port: UInt32 = 0
        for byte in digits {
            guard HTTPSyntax.isDigit(byte) else { throw .illegalPort }
            port = port * 10 + UInt32(byte - UInt8(ascii: "0"))
            guard port <= 65_535 else { throw .illegalPort }
        }
        guard port > 0 else { throw .illegalPort }
        return UInt16(port)
    }

    /// `user:password`. Neither may hold a control character (RFC 7617 §2).
    private static func credentials(
        _ text: Substring, _ userMayHoldColon: Bool
    ) throws(WebSocketURLError) -> (user: String?, password: String?) {
        guard !text.isEmpty else { return (nil, nil) }
        guard text.utf8.allSatisfy(isUserInfoByte) else { throw .illegalUserInfo }
        let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        let user = try decoded(text[..<(colon ?? text.endIndex)])
        guard userMayHoldColon || !user.utf8.contains(UInt8(ascii: ":")) else {
            throw .illegalUserInfo
        }
        guard let colon else { return (user, nil) }
        return (user, try decoded(text[text.utf8.index(after: colon)...]))
    }

    private static func decoded(_ text: Substring) throws(WebSocketURLError) -> String {
        guard let decoded = HTTPSyntax.percentDecoded(text),
            decoded.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw .illegalUserInfo }
        return decoded
    }

    /// RFC 3986 §3.2.1: unreserved, escapes, sub-delimiters and the colon.
    private static func isUserInfoByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~%!$&'()*+,;=:".utf8.contains(byte)
        }
    }
}
