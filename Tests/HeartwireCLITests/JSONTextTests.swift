import Testing

@testable import HeartwireCLI

@Suite("JSONText")
struct JSONTextTests {
    @Test("members stand in the order given")
    func order() {
        let value = JSONText.object(["b": .number(-1), "a": .array([.string("x"), .object([:])])])
        #expect(value.compact == #"{"b":-1,"a":["x",{}]}"#)
    }

    @Test("RFC 8259 7: quotes, backslashes and control characters are escaped")
    func escapes() {
        #expect(JSONText.quoted("\"\\\n\r\t\u{0}\u{1F}") == #""\"\\\n\r\t\u0000\u001f""#)
    }

    @Test("what a terminal or a line reader could stumble over is escaped too")
    func extra() {
        #expect(JSONText.quoted("\u{7F}\u{9B}\u{2028}\u{2029}") == #""\u007f\u009b\u2028\u2029""#)
    }

    @Test("other text stays as it is, CR LF is two characters")
    func ordinary() {
        #expect(JSONText.quoted("é世👋/") == "\"é世👋/\"")
        #expect(JSONText.quoted("a\r\nb") == #""a\r\nb""#)
    }
}
