/// A client's opening handshake as the server sees it, found to be lawful (RFC 6455 §4.2.1).
public struct OpeningRequestHead: Sendable, Hashable {
    /// The request target, exactly as it was sent.
    public let target: String
    /// All header fields of the request.
    public let headers: HeaderFields
    /// The value of `Host`.
    public let host: String
    /// The client's nonce in Base64, for ``OpeningRequest/acceptValue(for:)``.
    public let key: String
    /// The subprotocols on offer, the preferred one first.
    public let subprotocols: [String]
    /// The values of the `Sec-WebSocket-Extensions` fields, as they were sent.
    public let extensions: [String]

    /// States a request.
    public init(
        target: String, headers: HeaderFields, host: String, key: String,
        subprotocols: [String] = [], extensions: [String] = []
    ) {
        self.target = target
        self.headers = headers
        self.host = host
        self.key = key
        self.subprotocols = subprotocols
        self.extensions = extensions
    }

    /// The extensions on offer, taken apart. None when the fields break the grammar, with which no request
    /// comes as far as this.
    var extensionElements: [ExtensionElement] {
        ExtensionElement.list(extensions) ?? []
    }
}

extension OpeningRequestHead: CustomStringConvertible {
    /// The path that was asked for, without the query, which may hold secrets.
    public var description: String {
        let path = Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") })
        return
            "GET \(DisplayText.excerpt(String(path)))\(path.endIndex < target.endIndex ? "?…" : "")"
    }
}

extension OpeningRequestHead {
    /// The head as it stands on the wire: a fraction of the memory that its parts take, for who keeps it for long.
    package var bytes: [UInt8] {
        var head = MessageHeadWriter(startLine: "GET \(target) HTTP/1.1")
        for (name, value) in headers { head.append(name, value) }
        // A copy of just the size.
        return Array(head.finish()[0...])
    }

    /// Reads what ``bytes`` gave; `nil` for anything but a lawful head.
    package init?(bytes: [UInt8]) {
        var limits = Limits()
        limits.headBytes = bytes.count
        limits.headLines = bytes.count
        var reader = RequestReader(limits: limits)
        guard case .received(let head) = reader.receive(bytes.span).outcome else { return nil }
        self = head
    }
}
