import Testing

@testable import HeartwireProtocol

@Suite("Strings out of received bytes")
struct ValidatedTextTests {
    static let texts = ["", "a", "fifteen letters", "more than fifteen", "€", "κόσμε 🫀 κόσμε 🫀"]

    @Test("Valid UTF-8 becomes the same text, masked or not", arguments: texts)
    func valid(_ text: String) {
        let bytes = Array(text.utf8)
        let key = MaskingKey(1, 2, 3, 4)
        let secret = key.combined(with: bytes.span)
        #expect(String(validatingUTF8: bytes.span) == text)
        #expect(String(validatingUTF8: secret.span, key: key) == text)
    }

    @Test(
        "Invalid UTF-8 becomes nothing, never a repaired text",
        arguments: [
            "ff", "6162ff", "e282", "eda080", "f4908080", "c0af",
        ])
    func invalid(_ text: String) {
        let bytes = hex(text)
        let key = MaskingKey(9, 8, 7, 6)
        let secret = key.combined(with: bytes.span)
        #expect(String(validatingUTF8: bytes.span) == nil)
        #expect(String(validatingUTF8: secret.span, key: key) == nil)
    }

    @Test("Bytes known to be valid are taken as they stand")
    func known() {
        for text in Self.texts {
            let bytes = Array(text.utf8)
            let isASCII = bytes.allSatisfy { $0 < 0x80 }
            #expect(String(knownUTF8: bytes.span, isASCII: isASCII) == text)
        }
    }
}
