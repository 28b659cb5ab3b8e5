/// What was there instead of a head of HTTP, in words: who came out at a port that speaks something else should see
/// at which.
enum Greeting {
    /// The most bytes that are shown of it.
    static let shownBytes = 32

    /// Names what `bytes` begin, or shows the first of them.
    static func words(_ bytes: [UInt8]) -> String {
        switch bytes.first {
        // RFC 8446 §5.1: an alert, or the record of a hello.
        case 0x15, 0x16: "TLS, as for a wss URL"
        // What sends everything back would show the query of our own request.
        case _ where bytes.starts(with: "GET ".utf8): "a request"
        default: DisplayText.quoted(Array(firstLine(bytes)), limit: shownBytes)
        }
    }

    /// Header fields may follow a line of text. Among bytes that are no text LF is one like another.
    private static func firstLine(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        let end = zip(bytes, bytes.indices.dropFirst()).first { byte, next in
            bytes[next] == HTTPSyntax.lineFeed
                && (byte == HTTPSyntax.carriageReturn || (0x20...0x7E).contains(byte))
        }
        return bytes.prefix(end.map { $0.1 + 1 } ?? bytes.count)
    }
}
