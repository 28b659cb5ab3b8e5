import Testing

@testable import HeartwireProtocol

@Suite struct PunycodeTests {
    static let vectors = [
        // RFC 3492 §7.1: (B), (F), (L), (Q), (R), (S)
        ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
        ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
        ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"),
        ("ひとつ屋根の下2", "2-u9tlzr9756bt3uc0v"),
        ("そのスピードで", "d9juau41awczczp"),
        ("-> $1.00 <-", "-> $1.00 <--"),
        // Names in daily use.
        ("bücher", "bcher-kva"), ("münchen-ost", "mnchen-ost-9db"), ("ü", "tda"),
        ("faß", "fa-hia"), ("i❤", "i-7iq"), ("안녕하세요", "o70b841ad5c9qb763b"), ("💓", "yr8h"), ("a💓b", "ab-ds72a"),
    ]

    @Test("RFC 3492 7.1: labels of many scripts encode as the RFC states", arguments: vectors)
    func vector(label: String, encoded: String) {
        #expect(Punycode.encode(Array(label.unicodeScalars)) == encoded)
    }

    @Test("RFC 3492 6.3: a label of nothing and of ASCII alone")
    func ascii() {
        #expect(Punycode.encode([]) == "")
        #expect(Punycode.encode(Array("abc".unicodeScalars)) == "abc-")
    }

    @Test("RFC 3492 6.4: the longest label of the highest scalars does not overflow")
    func highest() {
        let label = [Unicode.Scalar](repeating: "\u{10FFFF}", count: 63)
        let encoded = Punycode.encode(label)
        #expect(encoded.hasPrefix("dn32gaaaa"))
        #expect(encoded.utf8.allSatisfy { $0 >= 0x30 && $0 < 0x7B })
    }

    @Test("labels that differ in one scalar or in order encode differently")
    func distinct() {
        let labels = ["üä", "äü", "ü", "üü", "aü", "üa", "aäü", "äaü"]
        let encoded = labels.map { Punycode.encode(Array($0.unicodeScalars)) }
        #expect(Set(encoded).count == labels.count)
    }
}
