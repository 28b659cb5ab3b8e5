// Where a `Location` leads (RFC 9110 §10.2.2): a reference that is resolved against the URL that was asked
// for (RFC 3986 §5.2).
extension WebSocketURL {
    /// Whether scheme, host and port are the same (RFC 6454 §5).
    func hasSameOrigin(as other: WebSocketURL) -> Bool {
        isSecure == other.isSecure && host == other.host && port == other.port
    }

    /// The URL that `reference` stands for when it was found at this one; `nil` when that is nowhere to
    /// connect to.
    ///
    /// `http:` and `https:` mean `ws:` and `wss:` (RFC 6455 §3). A fragment is left out. User information is
    /// kept within the origin, and never taken from the reference.
    func resolving(_ reference: String) -> WebSocketURL? {
        let text = Substring(reference.utf8.prefix { $0 != UInt8(ascii: "#") })
        let next: WebSocketURL?
        if let colon = Self.schemeEnd(of: text) {
            next = Self.absolute(text, colon: colon)
        } else if text.utf8.starts(with: "//".utf8) {
            next = try? WebSocketURL("\(scheme):\(text)")
        } else {
            next = try? WebSocketURL("\(scheme)://\(authority)\(target(of: text))")
        }
        guard let next else { return nil }
        let normal = next.withRequestTarget(Self.withoutDotSegments(next.requestTarget))
        return normal.hasSameOrigin(as: self)
            ? normal.withUserInfo(user, password) : normal.withUserInfo(nil, nil)
    }

    private var authority: String {
        "\(isIPv6 ? "[\(host)]" : resolverName):\(port)"
    }

    /// The colon behind a scheme (RFC 3986 §3.1); `nil` where there is none.
    private static func schemeEnd(of text: Substring) -> Substring.Index? {
        let end = text.utf8.firstIndex { !isSchemeByte($0) }
        guard let end, end > text.startIndex, text.utf8[end] == UInt8(ascii: ":") else {
            return nil
        }
        return end
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func absolute(_ text: Substring, colon: Substring.Index) -> WebSocketURL? {
        let rest = text[colon...]
        switch text[..<colon].lowercased() {
        case "ws", "http": return try? WebSocketURL("ws\(rest)")
        case "wss", "https": return try? WebSocketURL("wss\(rest)")
        default: return nil
        }
    }

    /// RFC 3986 §5.2.2, for a reference without scheme and authority.
    private func target(of reference: Substring) -> String {
        let question = UInt8(ascii: "?")
        let path = Substring(requestTarget.utf8.prefix { $0 != question })
        switch reference.utf8.first {
        case nil: return requestTarget
        case question?: return "\(path)\(reference)"
        case UInt8(ascii: "/")?: return String(reference)
        default:
            let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
            return "\(path[...end])\(reference)"
        }
    }

    /// RFC 3986 §5.2.4, applied to the path alone.
    static func withoutDotSegments(_ target: String) -> String {
        let question = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        var kept: [Substring] = []
        let segments = target[..<question].dropFirst()
            .split(separator: "/", omittingEmptySubsequences: false)
        for (position, segment) in segments.enumerated() {
            let isLast = position == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                kept = kept.dropLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/") + target[question...]
    }
}
