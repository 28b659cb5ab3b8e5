/// `HTTP/1.1 101 Switching Protocols`, taken apart (RFC 9112 §4).
struct StatusLine: Sendable, Hashable {
    /// 0 or 1: `HTTP/1.0` or `HTTP/1.1`.
    let minorVersion: Int
    /// 100 to 999.
    let status: Int
    /// What follows the status; often nothing, and then the space before it may be missing too.
    let reasonPhrase: String

    /// Takes a line apart of which every byte was admitted (``admits(_:behind:)``).
    init(_ line: String) {
        let bytes = Array(line.utf8)
        minorVersion = bytes.dropFirst(7).first == UInt8(ascii: "0") ? 0 : 1
        status = bytes.dropFirst(9).prefix(3).reduce(0) {
            $0 * 10 + Int($1 &- UInt8(ascii: "0"))
        }
        reasonPhrase = String(decoding: bytes.dropFirst(13), as: UTF8.self)
    }

    /// Whether a status line of HTTP/1.0 or HTTP/1.1 may have `byte`, or its end may come, behind its first `count`
    /// bytes. So what is no such line is known at its first wrong byte.
    static func admits(_ byte: UInt8, behind count: Int) -> Bool {
        switch count {
        case 0..<7: "HTTP/1.".utf8.dropFirst(count).first == byte
        case 7: byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1")
        case 8: byte == HTTPSyntax.space
        case 9: HTTPSyntax.isDigit(byte) && byte != UInt8(ascii: "0")
        case 10, 11: HTTPSyntax.isDigit(byte)
        case 12: byte == HTTPSyntax.space || HTTPSyntax.isLineEnd(byte)
        default: true
        }
    }
}
