/// Reads a client's opening handshake on the server's side, from pieces cut anywhere (RFC 6455 §4.2.1).
public struct RequestReader: Sendable {
    /// What a request turned out to be.
    public enum Outcome: Sendable, Hashable {
        /// A lawful handshake, to be accepted or rejected.
        case received(OpeningRequestHead)
        /// Not one: answer with this status (400, 405, 426 or 431; ``OpeningResponse/reject(status:headers:body:isToHead:)``
        /// adds the headers that go with it) and with what was wrong, which holds nothing of a request: of what
        /// begins with no method it shows the first bytes, escaped.
        case invalid(status: Int, reason: String)
    }

    private var parser: HeadParser
    private var isFinished = false

    /// Whether the request's method is HEAD as far as it was read: then what it is answered with has no content
    /// (RFC 9110 §9.3.2).
    public var isHead: Bool {
        let method = "HEAD ".utf8
        return parser.startLine.map { $0.utf8.starts(with: method) }
            ?? parser.line.starts(with: method)
    }

    /// Waits for the first byte of a request.
    public init(limits: Limits = Limits()) {
        parser = HeadParser(.request, limits: limits)
    }

    /// Reads on. Bytes behind the head's blank line are not consumed, and nothing is after the outcome,
    /// which is given once.
    public mutating func receive(_ bytes: Span<UInt8>) -> (consumed: Int, outcome: Outcome?) {
        guard !isFinished else { return (0, nil) }
        let (next, step) = parser.receive(bytes)
        switch step {
        case .needsMore: return (next, nil)
        case .complete(let head):
            isFinished = true
            return (next, Self.judge(head))
        case .failed(.noMethod):
            isFinished = true
            // No query stands in what comes before a method's end.
            let seen = Greeting.words(parser.line + [bytes[next - 1]])
            return (next, Self.invalid(.noMethod, seen: seen))
        case .failed(let fault):
            isFinished = true
            return (next, Self.invalid(fault, seen: fault.seen))
        }
    }

    /// Ends a request that is not complete.
    public mutating func receiveEOF() -> Outcome {
        isFinished = true
        return .invalid(status: 400, reason: "the stream ended within the request's head")
    }

    private static func invalid(_ fault: HeadFault, seen: String) -> Outcome {
        .invalid(
            status: fault.isLimit ? 431 : 400, reason: "\(seen) instead of \(fault.expected)")
    }

    private struct Fault: Error {
        let status: Int
        let reason: String
    }

    private static func judge(_ head: HeadParser.Head) -> Outcome {
        do throws(Fault) {
            return .received(try verified(head))
        } catch {
            return .invalid(status: error.status, reason: error.reason)
        }
    }

    /// The numbered items of RFC 6455 §4.2.1, in order.
    private static func verified(_ head: HeadParser.Head) throws(Fault) -> OpeningRequestHead {
        let target = try target(of: head.startLine)
        let fields = head.fields
        let hosts = fields.all("Host")
        guard hosts.count == 1, !hosts[0].isEmpty else {
            throw Fault(status: 400, reason: "not exactly one Host header (RFC 9112 3.2)")
        }
        guard hosts[0].utf8.allSatisfy(isHostByte) else {
            throw Fault(status: 400, reason: "a Host that is no host and port (RFC 9112 3.2)")
        }
        guard fields.all("Transfer-Encoding").isEmpty,
            fields.all("Content-Length").allSatisfy({ $0 == "0" })
        else {
            throw Fault(status: 400, reason: "a request with a body")
        }
        guard fields.listContains("websocket", in: "Upgrade") else {
            throw Fault(status: 426, reason: "no header Upgrade: websocket")
        }
        guard fields.listContains("upgrade", in: "Connection") else {
            throw Fault(status: 426, reason: "no header Connection: Upgrade")
        }
        guard fields.all("Sec-WebSocket-Version") == ["13"] else {
            throw Fault(status: 426, reason: "not one header Sec-WebSocket-Version: 13")
        }
        let extensions = fields.all("Sec-WebSocket-Extensions")
        guard ExtensionElement.list(extensions) != nil else {
            throw Fault(
                status: 400, reason: "a Sec-WebSocket-Extensions out of its grammar (RFC 6455 9.1)")
        }
        return OpeningRequestHead(
            target: target, headers: fields, host: hosts[0], key: try key(in: fields),
            subprotocols: try subprotocols(in: fields),
            extensions: extensions)
    }

    /// The target of `GET target HTTP/1.1`, as it stands there.
    private static func target(of startLine: String) throws(Fault) -> String {
        let line = startLine.utf8
        guard line.starts(with: "GET ".utf8) else {
            throw Fault(status: 405, reason: "another method than GET")
        }
        guard line.suffix(9).elementsEqual(" HTTP/1.1".utf8) else {
            throw Fault(status: 400, reason: "another version than HTTP/1.1")
        }
        let target = Substring(line.dropFirst(4).dropLast(9))
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }),
            target.hasPrefix("/") || isAbsolute(target)
        else {
            throw Fault(
                status: 400, reason: "no path in visible ASCII as the target (RFC 9112 3.2)")
        }
        return String(target)
    }

    /// RFC 9112 §3.2.2: a server takes the absolute form too.
    private static func isAbsolute(_ target: Substring) -> Bool {
        ["http://", "https://", "ws://", "wss://"].contains {
            HTTPSyntax.equalsIgnoringCase(target.prefix($0.utf8.count), $0)
                // RFC 9110 §4.2.1: a URL without a host is none.
                && target.utf8.dropFirst($0.utf8.count).first.map { !"/?:".utf8.contains($0) }
                    == true
        }
    }

    /// What a host and its port are made of (RFC 3986 §3.2.2, §3.2.3).
    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~%!$&'()*+,;=:[]".utf8.contains(byte)
        }
    }

    private static func key(in fields: HeaderFields) throws(Fault) -> String {
        let keys = fields.all("Sec-WebSocket-Key")
        guard keys.count == 1, Base64.decode(keys[0])?.count == 16 else {
            throw Fault(
                status: 400, reason: "not one Sec-WebSocket-Key of 16 bytes in Base64")
        }
        return keys[0]
    }

    private static func subprotocols(in fields: HeaderFields) throws(Fault) -> [String] {
        let names = fields.all("Sec-WebSocket-Protocol").flatMap(HTTPSyntax.listElements)
        guard names.allSatisfy({ HTTPSyntax.isToken($0.utf8) }) else {
            throw Fault(status: 400, reason: "a subprotocol that is no token")
        }
        return names
    }
}
