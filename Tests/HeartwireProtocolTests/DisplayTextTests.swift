import Testing

@testable import HeartwireProtocol

@Suite struct DisplayTextTests {
    @Test("ordinary text of any alphabet stays as it is")
    func plain() {
        #expect(DisplayText.escaped("Forbidden, verboten, 禁止") == "Forbidden, verboten, 禁止")
        #expect(DisplayText.escaped("") == "")
    }

    @Test("what steers a terminal or reorders a line is shown as an escape")
    func steering() {
        #expect(DisplayText.escaped("a\u{1B}[31mb\r\n") == "a\\u{1b}[31mb\\u{d}\\u{a}")
        #expect(DisplayText.escaped("\u{202E}\u{2028}\u{2029}") == "\\u{202e}\\u{2028}\\u{2029}")
        #expect(DisplayText.escaped("\u{9B}\u{E000}") == "\\u{9b}\\u{e000}")
    }

    @Test("a long text is cut after 120 scalars, and one of 120 is not")
    func cut() {
        let whole = String(repeating: "x", count: DisplayText.limit)
        #expect(DisplayText.escaped(whole) == whole)
        #expect(DisplayText.escaped(whole + "y") == whole + "…")
    }
}
