/// A client's opening handshake (RFC 6455 §4.1), checked as it is made: what cannot be sent safely
/// cannot be built.
public struct OpeningRequest: Sendable, Hashable {
    /// Where to connect to.
    public let url: WebSocketURL
    /// The app's own header fields.
    public let headers: HeaderFields
    /// The subprotocols on offer, the preferred one first (RFC 6455 §1.9).
    public let subprotocols: [String]

    /// Checks and takes a request.
    ///
    /// A `Host` among the headers takes the place of the URL's, and an `Authorization` wins over
    /// the user information in the URL.
    ///
    /// - Throws: ``OpeningRequestError`` for a header or subprotocol that is unlawful, for a `Host` or `Cookie` that comes
    ///   twice, and for a header that belongs to the handshake: `Connection`, `Upgrade`, `Sec-WebSocket-…`, and the
    ///   fields that would announce a body.
    public init(
        url: WebSocketURL, headers: HeaderFields = [:], subprotocols: [String] = []
    ) throws(OpeningRequestError) {
        try headers.validate()
        for (name, _) in headers where Self.isReserved(name) {
            throw .reservedHeader(name: name)
        }
        let hosts = headers.all("Host")
        guard hosts.count <= 1 else { throw .repeatedHost }
        guard hosts.allSatisfy(Self.isHost) else { throw .illegalHost }
        guard headers.all("Cookie").count <= 1 else { throw .repeatedCookie }
        try Self.validate(subprotocols)
        self.url = url
        self.headers = headers
        self.subprotocols = subprotocols
    }

    /// The request as it goes out, with `key` as its nonce (``makeKey(random:)``).
    public func bytes(key: String) -> [UInt8] {
        bytes(key: key, extensions: nil)
    }

    /// The same with an offer of extensions (RFC 6455 §9.1).
    func bytes(key: String, extensions: String?) -> [UInt8] {
        var head = MessageHeadWriter(startLine: "GET \(url.requestTarget) HTTP/1.1")
        head.append("Host", headers["Host"] ?? url.hostHeader)
        head.append("Upgrade", "websocket")
        head.append("Connection", "Upgrade")
        head.append("Sec-WebSocket-Key", key)
        head.append("Sec-WebSocket-Version", "13")
        if !subprotocols.isEmpty {
            head.append("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", "))
        }
        if let extensions { head.append("Sec-WebSocket-Extensions", extensions) }
        if let authorization = url.basicAuthorization, headers["Authorization"] == nil {
            head.append("Authorization", authorization)
        }
        for (name, value) in headers where !HTTPSyntax.equalsIgnoringCase(name, "Host") {
            head.append(name, value)
        }
        return head.finish()
    }

    /// A fresh nonce: sixteen random bytes in Base64 (RFC 6455 §4.1, item 7).
    public static func makeKey(random: any RandomSource) -> String {
        var nonce: [UInt8] = []
        for word in [random.next(), random.next()] {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                nonce.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return Base64.encode(nonce)
    }

    /// The `Sec-WebSocket-Accept` that proves that the server has read `key` (RFC 6455 §4.2.2, item 5.4).
    public static func acceptValue(for key: String) -> String {
        let guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        return Base64.encode(SHA1.digest(of: Array((key + guid).utf8)))
    }

    /// Whether the handshake alone may write this field.
    static func isReserved(_ name: String) -> Bool {
        // Credentials for a proxy would reach the server instead (RFC 9110 §11.7.2): they belong to the proxy's URL.
        let reserved = [
            "connection", "upgrade", "content-length", "transfer-encoding", "proxy-authorization",
        ]
        return reserved.contains { HTTPSyntax.equalsIgnoringCase($0, name) }
            || HTTPSyntax.equalsIgnoringCase(name.prefix(14), "sec-websocket-")
    }

    /// Whether `text` is a host and perhaps a port (RFC 9110 §7.2).
    private static func isHost(_ text: String) -> Bool {
        guard let authority = try? URLAuthority(text[...]) else { return false }
        return authority.user == nil && text.utf8.allSatisfy { $0 < 0x80 }
    }

    private static func validate(_ subprotocols: [String]) throws(OpeningRequestError) {
        var known: Set<String> = []
        for (position, name) in subprotocols.enumerated() {
            guard HTTPSyntax.isToken(name.utf8) else {
                throw .illegalSubprotocol(position: position)
            }
            guard known.insert(name).inserted else { throw .duplicateSubprotocol(name) }
        }
    }
}

/// Writes the head of an HTTP message whose parts were checked before.
struct MessageHeadWriter {
    private var text: [UInt8]

    init(startLine: String) {
        text = Array("\(startLine)\r\n".utf8)
    }

    mutating func append(_ name: String, _ value: String) {
        text.append(contentsOf: "\(name): \(value)\r\n".utf8)
    }

    /// The head with its blank line, and the body behind it.
    consuming func finish(body: some Collection<UInt8> = EmptyCollection<UInt8>()) -> [UInt8] {
        text.append(contentsOf: "\r\n".utf8)
        text.append(contentsOf: body)
        return text
    }
}
