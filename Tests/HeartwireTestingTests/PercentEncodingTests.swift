import Testing

@testable import HeartwireTesting

@Suite struct PercentEncodingTests {
    @Test("RFC 3986 2.1: both cases of the digits are decoded, and everything else stays")
    func decodes() {
        #expect(PercentEncoding.decode("plain") == "plain")
        #expect(PercentEncoding.decode("") == "")
        #expect(PercentEncoding.decode("a%20b+c") == "a b+c")
        #expect(PercentEncoding.decode("%41%5a%7A%6a") == "AZzj")
        #expect(PercentEncoding.decode("%E2%9c%93") == "\u{2713}")
    }

    @Test(
        "A percent sign without two hexadecimal digits is refused",
        arguments: ["%", "%4", "%G0", "%0g", "a%", "%%41", "%/1", "%:1", "%@1", "%`1"])
    func malformed(_ text: String) {
        #expect(PercentEncoding.decode(Substring(text)) == nil)
    }

    @Test(
        "Bytes that are not UTF-8 are refused", arguments: ["%FF", "%C0%80", "%E2%9C", "%ED%A0%80"])
    func notUTF8(_ text: String) {
        #expect(PercentEncoding.decode(Substring(text)) == nil)
    }
}
