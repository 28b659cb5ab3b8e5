import Testing

@testable import HeartwireProtocol

@Suite struct RequestLineTests {
    /// How many bytes of `text` are admitted, one after the other.
    private func admitted(_ text: String) -> Int {
        let bytes = Array(text.utf8)
        return bytes.indices.prefix { RequestLine.admits(bytes[$0], behind: $0) }.count
    }

    @Test("RFC 9112 3.1: a method is a token with a space behind it")
    func method() {
        for text in ["GET ", "X! ", "get ", "PRI "] { #expect(admitted(text) == text.utf8.count) }
        for (text, count) in [
            (" GET", 0), ("(GET)", 0), ("\u{16}\u{3}\u{1}", 0), ("SSH-2.0-x\r\n", 9), ("GET\t", 3),
            ("GET\n", 3), ("é", 0), ("J\0\0\0\n", 1), ("*1\r\n$4\r\nPING\r\n", 2), ("\0", 0),
        ] {
            #expect(admitted(text) == count, "\(text.debugDescription)")
        }
    }

    @Test("RFC 9112 2.2: an empty line may come before it")
    func emptyLine() {
        #expect(RequestLine.admits(0x0D, behind: 0))
        #expect(RequestLine.admits(0x0A, behind: 0))
        #expect(!RequestLine.admits(0x0D, behind: 1))
    }

    @Test("RFC 9112 3: a request line has three parts, of which the last is a version of HTTP")
    func complete() {
        for text in ["GET / HTTP/1.1", "POST * HTTP/1.0", "PRI * HTTP/2.0", "GET  HTTP/1.1"] {
            #expect(RequestLine.isComplete(Array(text.utf8)), "\(text)")
        }
        for text in [
            "GET", "GET /", "GET / http/1.1", "GET /a b HTTP/1.1", "GET / HTTP/1.1 ", "EHLO a.test",
            "GET / HTTP", "PROXY TCP4 10.0.0.1 10.0.0.2 5 80", "", "  HTTP",
        ] {
            #expect(!RequestLine.isComplete(Array(text.utf8)), "\(text)")
        }
    }
}
