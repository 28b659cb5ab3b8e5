/// A server's answers to the opening handshake (RFC 6455 §4.2.2).
public enum OpeningResponse {
    /// The 101 that opens the connection.
    ///
    /// - Parameters:
    ///   - key: the client's nonce.
    ///   - subprotocol: the one chosen out of those the client offers; left out when it is no token.
    ///   - headers: fields of the server's own. Those that are unlawful or belong to the handshake
    ///     are left out, so that nothing can break out of its line.
    public static func accept(
        key: String, subprotocol: String? = nil, headers: HeaderFields = [:]
    ) -> [UInt8] {
        accept(key: key, subprotocol: subprotocol, extensions: nil, headers: headers)
    }

    /// The same with the extensions that were agreed on (RFC 6455 §9.1).
    static func accept(
        key: String, subprotocol: String?, extensions: String?, headers: HeaderFields
    ) -> [UInt8] {
        var head = MessageHeadWriter(startLine: "HTTP/1.1 101 Switching Protocols")
        head.append("Upgrade", "websocket")
        head.append("Connection", "Upgrade")
        head.append("Sec-WebSocket-Accept", OpeningRequest.acceptValue(for: key))
        if let subprotocol, HTTPSyntax.isToken(subprotocol.utf8) {
            head.append("Sec-WebSocket-Protocol", subprotocol)
        }
        if let extensions { head.append("Sec-WebSocket-Extensions", extensions) }
        for (name, value) in headers where isOwn(name, value) { head.append(name, value) }
        return head.finish()
    }

    /// A refusal, after which the connection is to be closed.
    ///
    /// - Parameters:
    ///   - status: 200 to 999; anything else becomes 500, since a 1xx would not end the exchange.
    ///   - headers: fields of the server's own, under the same rule as in ``accept(key:subprotocol:headers:)``.
    ///   - body: a line for people, sent as plain text unless the headers say otherwise.
    ///   - isToHead: whether this answers a HEAD, so that there is no content (RFC 9110 §9.3.2). Its length is
    ///     not given either, for it would have to be that of the answer to a GET (§8.6).
    public static func reject(
        status: Int, headers: HeaderFields = [:], body: String = "", isToHead: Bool = false
    ) -> [UInt8] {
        let status = (200...999).contains(status) ? status : 500
        var head = MessageHeadWriter(startLine: "HTTP/1.1 \(status) \(reasonPhrase(for: status))")
        if status == 426 {
            // RFC 9110 §15.5.22 and RFC 6455 §4.4: say what would be accepted.
            head.append("Upgrade", "websocket")
            head.append("Connection", "Upgrade, close")
            head.append("Sec-WebSocket-Version", "13")
        } else {
            head.append("Connection", "close")
        }
        if status == 405, headers["Allow"] == nil { head.append("Allow", "GET") }
        // RFC 9110 §6.4.1: two statuses never have a body.
        let isBodyless = status == 204 || status == 304 || isToHead
        let content = isBodyless ? "" : body
        if !isBodyless {
            if !content.isEmpty, headers["Content-Type"] == nil {
                head.append("Content-Type", "text/plain; charset=utf-8")
            }
            head.append("Content-Length", "\(content.utf8.count)")
        }
        for (name, value) in headers where isOwn(name, value) { head.append(name, value) }
        return head.finish(body: content.utf8)
    }

    /// Whether a field can be sent and does not belong to the handshake.
    private static func isOwn(_ name: String, _ value: String) -> Bool {
        HTTPSyntax.isToken(name.utf8) && value.utf8.allSatisfy(HTTPSyntax.isFieldValueByte)
            && !OpeningRequest.isReserved(name)
    }

    private static func reasonPhrase(for status: Int) -> String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 410: "Gone"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: ""
        }
    }
}
