import Testing

@testable import HeartwireProtocol

@Suite struct DomainNameTests {
    private func ascii(_ name: String) throws -> String {
        try DomainName.ascii(name[...]).name
    }

    static let names = [
        ("localhost", "localhost"), ("Server.Example.COM", "server.example.com"),
        ("a-b.c_d.e", "a-b.c_d.e"), ("127.0.0.1", "127.0.0.1"), ("1.example", "1.example"),
        ("0x.example", "0x.example"), ("0xyz", "0xyz"),
        ("xn--bcher-kva.localhost", "xn--bcher-kva.localhost"),
    ]

    @Test("RFC 4343: names in ASCII are kept, in lower case", arguments: names)
    func plain(name: String, ascii: String) throws {
        #expect(try self.ascii(name) == ascii)
    }

    static let internationalNames = [
        ("bücher.localhost", "xn--bcher-kva.localhost"),
        ("BÜCHER.localhost", "xn--bcher-kva.localhost"),
        ("bu\u{308}cher.localhost", "xn--bcher-kva.localhost"),
        ("XN--BCHER-KVA.localhost", "xn--bcher-kva.localhost"),
        ("bücher。localhost", "xn--bcher-kva.localhost"),
        ("bücher．localhost｡de", "xn--bcher-kva.localhost.de"),
        ("faß.de", "xn--fa-hia.de"), ("βόλος.com", "xn--nxasmm1c.com"),
        ("他们.cn", "xn--8mqxb.cn"), ("💓.example", "xn--yr8h.example"),
        ("ксив.рф", "xn--b1alf2a.xn--p1ai"), ("नि.example", "xn--l2b0c.example"),
        // RFC 5891 5.3: as one scalar and as a letter with its mark.
        ("\u{304C}", "xn--v8j"), ("\u{304B}\u{3099}", "xn--v8j"),
        ("\u{1112}\u{1161}\u{11AB}", "xn--6q8b"), ("\u{915}\u{93C}", "xn--11b2f"),
    ]

    @Test("K05-20: names beyond ASCII go out as xn-- labels", arguments: internationalNames)
    func international(name: String, ascii: String) throws {
        #expect(try self.ascii(name) == ascii)
    }

    @Test("K05-20: a trailing dot is told apart from the name")
    func rooted() throws {
        #expect(try DomainName.ascii("bücher.localhost.") == ("xn--bcher-kva.localhost", true))
        #expect(try DomainName.ascii("localhost") == ("localhost", false))
        #expect(try DomainName.ascii("bücher。") == ("xn--bcher-kva", true))
    }

    @Test("K05-20: an address has no root, so a dot behind it means nothing")
    func rootedAddress() throws {
        #expect(try DomainName.ascii("127.0.0.1.") == ("127.0.0.1", false))
        #expect(throws: WebSocketURLError.illegalHost) { try ascii("127.0.0.1..") }
    }

    @Test("no name at all is a missing host")
    func missing() {
        #expect(throws: WebSocketURLError.missingHost) { try ascii("") }
    }

    @Test(
        "RFC 1123 2.1: names with foreign characters or empty labels are refused",
        arguments: [
            ".", "..", "a..b", ".a", "a b", "a%20b", "a%b", "a\0", "a\r\nb", "a/b", "a*b", "a~b",
            "a\\b",
            "ü b", "ü..b", "\u{7F}",
        ])
    func illegal(name: String) {
        #expect(throws: WebSocketURLError.illegalHost) { try ascii(name) }
    }

    @Test(
        "RFC 5892: full-width letters, ligatures, joiners, spaces, unassigned scalars and replacements are refused",
        arguments: [
            "ｅｘ", "ﬁ", "a\u{200D}b", "a\u{AD}b", "\u{3000}ü", "ü\u{202E}", "\u{E000}", "\u{10FFFF}",
            "ü\u{2028}", "ü\u{2029}", "\u{80}", "²ü", "h\u{FFFD}",
        ])
    func refused(name: String) {
        #expect(throws: WebSocketURLError.illegalHost) { try ascii(name) }
    }

    @Test(
        "RFC 5891 5.4: a label that begins with a mark, or as an encoded one and is none, is refused",
        arguments: ["\u{301}a", "\u{93E}", "\u{20DD}a", "xn--é", "XN--é", "xn--", "a.\u{301}a.b"])
    func unlawfulLabel(name: String) {
        #expect(throws: WebSocketURLError.illegalHost) { try ascii(name) }
    }

    @Test(
        "a last label that resolvers take for a number has to be strict IPv4",
        arguments: [
            "1", "127.1", "0x7f000001", "0x7f.1", "0x", "256.1.1.1", "a.1", "1.2.3.4.5",
            "010.0.0.1",
        ])
    func number(name: String) {
        #expect(throws: WebSocketURLError.illegalHost) { try ascii(name) }
    }

    @Test("K05-20: a label of 63 bytes is taken, one of 64 is refused with its length")
    func labelLength() throws {
        let longest = String(repeating: "a", count: 63)
        #expect(try ascii(longest) == longest)
        #expect(throws: WebSocketURLError.labelTooLong(byteCount: 64)) { try ascii(longest + "a") }
        // "xn--" and Punycode count: 64 scalars cannot fit, and a few may not either.
        #expect(throws: WebSocketURLError.labelTooLong(byteCount: 64)) {
            try ascii(String(repeating: "ü", count: 64))
        }
        let encoded = String(repeating: "a", count: 55) + "ü"
        #expect(try ascii(encoded).utf8.count == 63)
        #expect(throws: WebSocketURLError.labelTooLong(byteCount: 64)) { try ascii("a" + encoded) }
    }

    @Test("RFC 1035 2.3.4: a name of 253 bytes is taken, one of 254 is refused with its length")
    func nameLength() throws {
        let label = String(repeating: "a", count: 63)
        let longest = [label, label, label, String(repeating: "b", count: 61)].joined(
            separator: ".")
        #expect(longest.utf8.count == 253)
        #expect(try ascii(longest) == longest)
        #expect(try ascii(longest + ".") == longest)
        #expect(throws: WebSocketURLError.hostTooLong(byteCount: 254)) { try ascii(longest + "b") }
    }

    @Test("K05-20: a very long label is refused before it is encoded")
    func hugeLabel() {
        #expect(throws: WebSocketURLError.labelTooLong(byteCount: 100_000)) {
            try ascii(String(repeating: "ü", count: 100_000))
        }
    }
}
