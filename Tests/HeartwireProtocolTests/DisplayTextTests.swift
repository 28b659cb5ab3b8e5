import Testing

@testable import HeartwireProtocol

@Suite struct DisplayTextTests {
    @Test(
        "ordinary text of any alphabet stays as it is",
        arguments: [
            "", " ~", "Forbidden, verboten, 禁止", "\u{A0}e\u{301}", "👩\u{200D}👩\u{200D}👧",
            "می\u{200C}خواهم",
            "\\n \\u{1b}",
        ])
    func plain(_ text: String) {
        #expect(DisplayText.escaped(text) == text)
        #expect(DisplayText.excerpt(text) == text)
    }

    @Test("K12-09: what steers a terminal or reorders a line is shown as an escape")
    func steering() {
        #expect(DisplayText.escaped("a\u{1B}[31mb\r\n\tc") == "a\\u{1b}[31mb\\r\\n\\tc")
        #expect(DisplayText.escaped("\u{0}\u{1F} \u{7E}\u{7F}") == "\\u{0}\\u{1f} ~\\u{7f}")
        #expect(DisplayText.escaped("\u{80}\u{9B}\u{9F}") == "\\u{80}\\u{9b}\\u{9f}")
        #expect(DisplayText.escaped("\u{202E}\u{2028}\u{2029}") == "\\u{202e}\\u{2028}\\u{2029}")
        #expect(DisplayText.escaped("\u{2066}\u{FEFF}\u{61C}") == "\\u{2066}\\u{feff}\\u{61c}")
        #expect(DisplayText.escaped("\u{200B}\u{200E}\u{E000}") == "\\u{200b}\\u{200e}\\u{e000}")
    }

    @Test("an excerpt is cut after 120 scalars, and one of 120 is whole")
    func cut() {
        let whole = String(repeating: "x", count: DisplayText.limit)
        #expect(DisplayText.excerpt(whole) == whole)
        #expect(DisplayText.excerpt(whole + "y") == whole + "…")
        #expect(DisplayText.escaped(whole + "y") == whole + "y")
        let escapes = String(repeating: "\n", count: DisplayText.limit)
        #expect(DisplayText.excerpt(escapes) == String(repeating: "\\n", count: DisplayText.limit))
    }

    @Test("bytes are quoted in visible ASCII, and cut after the limit")
    func quoted() {
        func quoted(_ text: String, _ limit: Int = 100) -> String {
            DisplayText.quoted(Array(text.utf8), limit: limit)
        }
        #expect(quoted("") == #""""#)
        #expect(quoted("a ~") == #""a ~""#)
        #expect(quoted("\r\n\t\"\\") == #""\r\n\t\"\\""#)
        #expect(quoted("\0\u{F}\u{10}\u{1F}\u{7F}é") == #""\x00\x0f\x10\x1f\x7f\xc3\xa9""#)
        #expect(quoted("abc", 3) == #""abc""#)
        #expect(quoted("abcd", 3) == #""abc"…"#)
        #expect(quoted("abcd", 0) == #""""# + "…")
    }
}
