import HeartwireProtocol
import Testing

@Suite struct Base64Tests {
    static let vectors = [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ]

    @Test("RFC 4648 10: the vectors encode and decode as the RFC states", arguments: vectors)
    func vector(plain: String, encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
    }

    @Test("RFC 4648 4: every symbol of the alphabet goes both ways")
    func alphabet() {
        let text = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        let bytes = Base64.decode(text)
        #expect(bytes?.count == 48)
        #expect(bytes.map(Base64.encode) == text)
    }

    @Test("RFC 4648 4: all lengths and bytes survive the way there and back")
    func roundTrip() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count) }
            let text = Base64.encode(bytes)
            #expect(text.utf8.count == (count + 2) / 3 * 4)
            #expect(Base64.decode(text) == bytes)
        }
    }

    @Test(
        "RFC 4648 3.3: foreign characters, white space and wrong padding are refused",
        arguments: [
            "Zg=", "Zg", "Z", "Zg===", "====", "Z===", "Zm9v=", "=Zm9", "Zm=v", "Zm 9", "Zm9\n",
            "Zm9-", "Zm9_", "Zm9é", "Zm9vZg==Zm9v",
        ])
    func refused(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("RFC 4648 3.5: bits that the padding leaves over are taken")
    func looseBits() {
        #expect(Base64.decode("Zh==") == [0x66])
        #expect(Base64.decode("Zm9=") == [0x66, 0x6F])
    }
}
