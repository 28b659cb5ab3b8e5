/// Percent encoding (RFC 3986 §2.1), the decoding half.
enum PercentEncoding {
    /// The text that `encoded` stands for; `nil` for a `%` without two hexadecimal digits and for bytes
    /// that are not UTF-8.
    static func decode(_ encoded: Substring) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.utf8.count)
        var rest = encoded.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == 0x25 else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte &- 0x30
        case 0x41...0x46: byte &- 0x37
        case 0x61...0x66: byte &- 0x57
        default: nil
        }
    }
}
