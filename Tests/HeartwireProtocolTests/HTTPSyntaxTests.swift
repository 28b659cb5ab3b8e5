import Testing

@testable import HeartwireProtocol

@Suite struct HTTPSyntaxTests {
    @Test("RFC 9110 5.6.2: a token is letters, digits and the fifteen marks, and nothing else")
    func tokenBytes() {
        let marks = "!#$%&'*+-.^_`|~"
        let letters = "abcdefghijklmnopqrstuvwxyz"
        let allowed = Set((marks + letters + letters.uppercased() + "0123456789").utf8)
        for byte in UInt8.min...UInt8.max {
            #expect(HTTPSyntax.isTokenByte(byte) == allowed.contains(byte))
        }
        #expect(HTTPSyntax.isToken("Upgrade".utf8))
        #expect(!HTTPSyntax.isToken("".utf8))
        #expect(!HTTPSyntax.isToken("a b".utf8))
    }

    @Test("RFC 9110 5.5: of the control characters only the tab may stand in a value")
    func valueBytes() {
        for byte in UInt8.min...UInt8.max {
            let isControl = byte < 0x20 || byte == 0x7F
            #expect(HTTPSyntax.isFieldValueByte(byte) == (byte == 9 || !isControl))
        }
    }

    @Test("hexadecimal digits of both cases have their values")
    func hexadecimal() {
        for (value, digit) in "0123456789abcdef".utf8.enumerated() {
            #expect(HTTPSyntax.hexValue(digit) == UInt8(value))
        }
        for (value, digit) in "0123456789ABCDEF".utf8.enumerated() {
            #expect(HTTPSyntax.hexValue(digit) == UInt8(value))
        }
        for byte in "/:@G`g ".utf8 { #expect(HTTPSyntax.hexValue(byte) == nil) }
        for byte in "0123456789".utf8 { #expect(HTTPSyntax.isDigit(byte)) }
        for byte in "/:a".utf8 { #expect(!HTTPSyntax.isDigit(byte)) }
    }

    @Test("RFC 9112 2.2: CR and LF make the end of a line, and no other byte does")
    func lineEnds() {
        let ends = (UInt8.min...UInt8.max).filter(HTTPSyntax.isLineEnd)
        #expect(ends == [0x0A, 0x0D])
    }

    @Test("RFC 6455 4.1: only the case of ASCII letters is passed over in a comparison")
    func comparison() {
        #expect(HTTPSyntax.equalsIgnoringCase("WebSocket", "websocket"))
        #expect(!HTTPSyntax.equalsIgnoringCase("websocket", "websockets"))
        #expect(!HTTPSyntax.equalsIgnoringCase("É", "é"))
        #expect(!HTTPSyntax.equalsIgnoringCase("@", "`"))
        #expect(!HTTPSyntax.equalsIgnoringCase("\u{212A}", "k"))
    }

    @Test("a Kelvin sign is no K where bytes have to be equal")
    func exactComparison() {
        #expect("\u{212A}" == "K")
        #expect(!HTTPSyntax.equalsExactly("\u{212A}", "K"))
        #expect(HTTPSyntax.equalsExactly("K", "K"))
    }

    @Test("RFC 9110 5.6.3: spaces and tabs around a value are trimmed, others stay")
    func trimming() {
        func trimmed(_ text: String) -> String {
            String(decoding: HTTPSyntax.trimmed(Array(text.utf8)[...]), as: UTF8.self)
        }
        #expect(trimmed(" \t a b\t ") == "a b")
        #expect(trimmed("\u{A0}a") == "\u{A0}a")
        #expect(trimmed(" \t") == "")
    }

    static let lists: [(String, [String])] = [
        ("", []), (" , ,", []), ("a", ["a"]), ("a,b", ["a", "b"]), (" a ,\tb,", ["a", "b"]),
        ("a; p=\"x,y\", b", ["a; p=\"x,y\"", "b"]),
        ("\"a\\\",b\",c", ["\"a\\\",b\"", "c"]), ("a\\,b", ["a\\", "b"]),
        ("\"open, b", ["\"open, b"]),
    ]

    @Test(
        "RFC 9110 5.6.1: lists are split at commas that stand outside of quotes", arguments: lists)
    func list(value: String, elements: [String]) {
        #expect(HTTPSyntax.listElements(value) == elements)
    }

    static let escapes: [(String, String?)] = [
        ("", ""), ("abc", "abc"), ("%41", "A"), ("a%20b", "a b"), ("%c3%A9", "é"), ("a+b", "a+b"),
        ("%", nil), ("%4", nil), ("%4x", nil), ("%x4", nil), ("%%41", nil), ("%ff", nil),
        ("%00", "\0"), ("é", "é"),
    ]

    @Test("RFC 3986 2.1: escapes are decoded, malformed ones are refused", arguments: escapes)
    func escape(text: String, decoded: String?) {
        #expect(HTTPSyntax.percentDecoded(text) == decoded)
    }
}
