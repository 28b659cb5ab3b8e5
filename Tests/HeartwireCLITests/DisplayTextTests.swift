import Testing

@testable import HeartwireCLI

@Suite("DisplayText")
struct DisplayTextTests {
    @Test("K12-09: a hostile server cannot send terminal escapes")
    func escapes() {
        #expect(displaySafe("\u{1B}]0;owned\u{07}") == "\\u{1b}]0;owned\\u{7}")
        #expect(displaySafe("a\r\nb\tc\u{0}\u{7F}\u{9B}") == "a\\r\\nb\\tc\\u{0}\\u{7f}\\u{9b}")
    }

    @Test("what hides or reorders text is escaped too")
    func directions() {
        #expect(
            displaySafe("a\u{202E}b\u{2066}\u{2028}\u{FEFF}")
                == "a\\u{202e}b\\u{2066}\\u{2028}\\u{feff}")
    }

    @Test("ordinary text of any script stays as it is")
    func ordinary() {
        let text = "Grüße, 世界, 👩‍👩‍👧, \\n"
        #expect(displaySafe(text) == text)
    }

    @Test(
        "the width is counted in columns of a terminal",
        arguments: [
            ("", 0), ("abc", 3), ("世界", 4), ("e\u{301}", 1), ("\u{301}", 0), ("👩‍👩‍👧", 2),
            ("❤\u{FE0F}", 2),
            ("…", 1), ("ｶ", 1), ("한", 2), ("\u{200B}", 0),
        ])
    func width(text: String, columns: Int) {
        #expect(displayWidth(text) == columns)
    }
}
