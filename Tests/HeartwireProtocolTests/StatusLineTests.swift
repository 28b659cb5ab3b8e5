import Testing

@testable import HeartwireProtocol

@Suite struct StatusLineTests {
    /// How many bytes of `text` and the CRLF behind it are admitted as a status line, one after the other.
    private func admitted(_ text: String) -> Int {
        let bytes = Array(text.utf8) + [0x0D, 0x0A]
        return bytes.indices.prefix { StatusLine.admits(bytes[$0], behind: $0) }.count
    }

    static let lines: [(String, Int, Int, String)] = [
        ("HTTP/1.1 101 Switching Protocols", 1, 101, "Switching Protocols"),
        ("HTTP/1.1 101", 1, 101, ""), ("HTTP/1.1 101 ", 1, 101, ""),
        ("HTTP/1.0 200 OK", 0, 200, "OK"),
        ("HTTP/1.1 999  a  b ", 1, 999, " a  b "), ("HTTP/1.1 100 é", 1, 100, "é"),
    ]

    @Test("RFC 9112 4: a status line is a version, three digits and a phrase", arguments: lines)
    func statusLine(text: String, minorVersion: Int, status: Int, phrase: String) {
        #expect(admitted(text) == text.utf8.count + 2)
        let line = StatusLine(text)
        #expect(line.minorVersion == minorVersion)
        #expect(line.status == status)
        #expect(line.reasonPhrase == phrase)
    }

    @Test(
        "RFC 9112 4: anything else is known at its first wrong byte",
        arguments: [
            ("", 0), ("HTTP/1.1", 8), ("HTTP/1.1 ", 9), ("HTTP/1.1 10", 11), ("HTTP/1.1  101", 9),
            ("HTTP/1.1 1010", 12), ("HTTP/1.1 101X", 12), ("HTTP/1.1 1a1", 10),
            ("HTTP/1.1 10a", 11), ("HTTP/1.1 -11", 9), ("HTTP/1.1 000 X", 9),
            ("HTTP/1.1 099 X", 9), ("http/1.1 101 X", 0), ("HTTP/1.2 101 X", 7),
            ("HTTP/2.0 101 X", 5), ("HTTP/11 101 XX", 6), ("HTTP/1.1\t101 X", 8),
            (" HTTP/1.1 101", 0), ("ICY 200 OK and more", 0), ("HTTP/1", 6),
        ])
    func otherLine(text: String, count: Int) {
        #expect(admitted(text) == count)
    }

    @Test("P5: no text traps, whatever was admitted of it")
    func anyText() {
        for text in [
            "", "HTTP/1.", "HTTP/1.1 1", "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}é",
        ] {
            _ = StatusLine(text)
        }
        for byte in UInt8.min...UInt8.max { #expect(StatusLine.admits(byte, behind: 13)) }
    }
}
