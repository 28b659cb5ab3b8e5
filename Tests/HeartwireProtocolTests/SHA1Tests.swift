import HeartwireProtocol
import Testing

@Suite struct SHA1Tests {
    private func hex(_ text: String) -> String {
        SHA1.digest(of: Array(text.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    @Test("RFC 3174 7.3: the vectors give the digests that the RFC states")
    func vectors() {
        #expect(hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(
            hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
        #expect(hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
        let digits = String(
            repeating: "0123456701234567012345670123456701234567012345670123456701234567", count: 10)
        #expect(hex(digits) == "dea356a2cddd90c7a7ecedc5ebb563934f460452")
    }

    @Test("RFC 3174 7.3: a million letters a give the digest that the RFC states")
    func million() {
        let message = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        let digest = SHA1.digest(of: message)
        #expect(digest.prefix(4).elementsEqual([0x34, 0xAA, 0x97, 0x3C]))
        #expect(digest.suffix(4).elementsEqual([0x65, 0x34, 0x01, 0x6F]))
    }

    @Test("RFC 3174 4: messages that end around a block's end are padded right")
    func padding() {
        // Computed with two other implementations.
        #expect(
            hex(String(repeating: "a", count: 55)) == "c1c8bbdc22796e28c0e15163d20899b65621d65a")
        #expect(
            hex(String(repeating: "a", count: 56)) == "c2db330f6083854c99d4b5bfb6e8f29f201be699")
        #expect(
            hex(String(repeating: "a", count: 63)) == "03f09f5b158a7a8cdad920bddc29b81c18a551f5")
        #expect(
            hex(String(repeating: "a", count: 64)) == "0098ba824b5c16427bd7a1122a5a442a25ec644d")
    }
}
