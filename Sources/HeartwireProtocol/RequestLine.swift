/// `GET /path HTTP/1.1`, while it arrives (RFC 9112 §3).
enum RequestLine {
    /// Whether a request may have `byte`, or the empty line that is passed over, behind the first `count` bytes of its
    /// method. What begins with something else is known at its first wrong byte.
    static func admits(_ byte: UInt8, behind count: Int) -> Bool {
        if HTTPSyntax.isTokenByte(byte) { return true }
        return count == 0 ? HTTPSyntax.isLineEnd(byte) : byte == HTTPSyntax.space
    }

    /// Whether a whole line can be a request line: a method, a target and a version of HTTP, which the rest of the head
    /// is worth waiting for.
    static func isComplete(_ line: [UInt8]) -> Bool {
        let parts = line.split(separator: HTTPSyntax.space, omittingEmptySubsequences: false)
        return parts.count == 3 && parts[2].starts(with: "HTTP/".utf8)
    }
}
