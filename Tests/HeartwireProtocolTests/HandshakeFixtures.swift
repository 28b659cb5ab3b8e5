import HeartwireProtocol

/// What the tests of the opening handshake share: the nonce of RFC 6455 §1.3, heads in one line each,
/// and ways to feed a reader.
enum HandshakeFixtures {
    static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    /// A lawful 101, which a test spoils in one place.
    static let switching = [
        "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Accept: \(accept)",
    ]

    /// A lawful request, which a test spoils in one place.
    static let request = [
        "GET /chat?x=1 HTTP/1.1", "Host: server.example.com", "Upgrade: websocket",
        "Connection: Upgrade", "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13",
    ]

    /// The lines of a head with CRLF and the blank line, and what follows it.
    static func head(_ lines: [String], body: String = "") -> [UInt8] {
        Array((lines.map { $0 + "\r\n" }.joined() + "\r\n" + body).utf8)
    }

    /// `lines` with the line that begins with `prefix` replaced by others, by none when there are none.
    static func replacing(
        _ prefix: String, in lines: [String], with others: [String]
    ) -> [String] {
        lines.flatMap { $0.hasPrefix(prefix) ? others : [$0] }
    }
}

extension ProtocolViolation {
    /// The violation without what is shown of a greeting, which is as much as one read brought.
    var withoutGreeting: ProtocolViolation {
        guard expected == "an HTTP/1.1 status line (RFC 9112 4)" else { return self }
        return ProtocolViolation(
            closeCode: closeCode, clause: clause, expected: expected, seen: "", rfc: rfc)
    }
}

/// A reader's answer to a whole stream: its outcome and how many bytes it took.
struct ReaderResult<Outcome: Hashable>: Hashable {
    var outcome: Outcome?
    var consumed: Int
}

extension ResponseReader {
    /// Feeds pieces, and the end of the stream after them where that is asked for.
    static func read(
        _ pieces: [[UInt8]], key: String = HandshakeFixtures.key, subprotocols: [String] = [],
        limits: Limits = Limits(), endsStream: Bool = false
    ) -> ReaderResult<Outcome> {
        var reader = ResponseReader(key: key, offeredSubprotocols: subprotocols, limits: limits)
        var result = ReaderResult<Outcome>(outcome: nil, consumed: 0)
        for piece in pieces where result.outcome == nil {
            let (consumed, outcome) = reader.receive(piece.span)
            result.consumed += consumed
            result.outcome = outcome
        }
        if endsStream, result.outcome == nil { result.outcome = reader.receiveEOF() }
        return result
    }
}

extension RequestReader {
    /// Feeds pieces.
    static func read(_ pieces: [[UInt8]], limits: Limits = Limits()) -> ReaderResult<Outcome> {
        var reader = RequestReader(limits: limits)
        var result = ReaderResult<Outcome>(outcome: nil, consumed: 0)
        for piece in pieces where result.outcome == nil {
            let (consumed, outcome) = reader.receive(piece.span)
            result.consumed += consumed
            result.outcome = outcome
        }
        return result
    }
}

/// Every way to cut bytes in two, and the cut into single bytes.
func everySplit(_ bytes: [UInt8]) -> [[[UInt8]]] {
    (0...bytes.count).map { [Array(bytes[..<$0]), Array(bytes[$0...])] } + [bytes.map { [$0] }]
}
