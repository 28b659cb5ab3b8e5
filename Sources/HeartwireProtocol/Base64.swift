/// Base64 with padding (RFC 4648 §4), as the opening handshake needs it.
package enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// Encodes bytes; the result's length is a multiple of four.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count / 3 &+ 1) &* 4)
        var start = 0
        while start < bytes.count {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for byte in group { bits = bits << 8 | UInt32(byte) }
            bits <<= UInt32((3 - group.count) * 8)
            for position in 0..<4 {
                let index = Int(bits >> UInt32(18 - position * 6) & 0x3F)
                text.append(position <= group.count ? alphabet[index] : padding)
            }
            start += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes text, or gives `nil` when it has a foreign character, white space, or wrong padding.
    ///
    /// Bits that the padding leaves over may be set: RFC 4648 §3.5 lets a decoder take them, and
    /// hand-written keys have them.
    package static func decode(_ text: String) -> [UInt8]? {
        let symbols = Array(text.utf8)
        guard symbols.count.isMultiple(of: 4) else { return nil }
        let paddingCount = symbols.reversed().prefix { $0 == padding }.count
        guard paddingCount <= 2 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(symbols.count / 4 &* 3)
        var bits: UInt32 = 0
        var bitCount = 0
        for symbol in symbols.dropLast(paddingCount) {
            guard let value = value(of: symbol) else { return nil }
            bits = (bits << 6 | value) & 0xFFFF
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        return bytes
    }

    private static func value(of symbol: UInt8) -> UInt32? {
        switch symbol {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(symbol - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(symbol - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(symbol - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
