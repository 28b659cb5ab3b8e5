/// RFC 3629 §4 written as its grammar, apart from all that judges text: the rows of ranges.
enum UTF8Grammar {
    private static let rows: [[ClosedRange<UInt8>]] = [
        [0x00...0x7F],
        [0xC2...0xDF, 0x80...0xBF],
        [0xE0...0xE0, 0xA0...0xBF, 0x80...0xBF],
        [0xE1...0xEC, 0x80...0xBF, 0x80...0xBF],
        [0xED...0xED, 0x80...0x9F, 0x80...0xBF],
        [0xEE...0xEF, 0x80...0xBF, 0x80...0xBF],
        [0xF0...0xF0, 0x90...0xBF, 0x80...0xBF, 0x80...0xBF],
        [0xF1...0xF3, 0x80...0xBF, 0x80...0xBF, 0x80...0xBF],
        [0xF4...0xF4, 0x80...0x8F, 0x80...0xBF, 0x80...0xBF],
    ]

    /// `nil` when there is an impossible byte, else whether the bytes end at the end of a character.
    static func derive(_ bytes: ArraySlice<UInt8>) -> Bool? {
        let rest = bytes.dropFirst(wholePrefix(of: bytes))
        guard let lead = rest.first else { return true }
        guard let row = rows.first(where: { $0[0].contains(lead) }) else { return nil }
        return zip(row, rest).allSatisfy { $0.contains($1) } ? false : nil
    }

    /// How many bytes there are of characters that are whole and valid, up to the first that is not.
    static func wholePrefix(of bytes: ArraySlice<UInt8>) -> Int {
        var rest = bytes
        while let lead = rest.first, let row = rows.first(where: { $0[0].contains(lead) }) {
            guard row.count <= rest.count, zip(row, rest).allSatisfy({ $0.contains($1) }) else {
                break
            }
            rest = rest.dropFirst(row.count)
        }
        return bytes.count - rest.count
    }
}
