/// Judges text a block at a time: each byte is compared with the three before it, which say whether it must continue a
/// character, and in which range. No byte's fate depends on what was found about another, so sixteen go at once.
///
/// The comparisons are those of vectors with vectors and of signed bytes wherever they serve: on x86-64 without extensions
/// either costs half of what its alternative does.
enum UTF8Blocks {
    private typealias Bytes = SIMD16<UInt8>
    private typealias Signed = SIMD16<Int8>

    /// What is judged before the next look at the result.
    static let stepBytes = 32
    /// How many bytes before a block are looked at again.
    static let lookBehind = 3

    /// The offset of a character's beginning up to which everything from the one that begins at `start` on is valid.
    /// What stands there is not judged: the end is too near, a fault is, or there is only ASCII, which others judge faster.
    ///
    /// - Parameters:
    ///   - base: Memory that is valid from 0 to `end`.
    ///   - start: The beginning of a character, ``lookBehind`` bytes or more behind `base`; what is before it is valid.
    @unsafe
    static func skipValid(_ base: UnsafeRawPointer, from start: Int, to end: Int) -> Int {
        var offset = start
        while end &- offset >= stepBytes, unsafe !isASCII(base, at: offset) {
            let faults = unsafe faults(base, at: offset) .| faults(base, at: offset &+ 16)
            let words = unsafe unsafeBitCast(faults, to: SIMD2<UInt64>.self)
            if words[0] | words[1] != 0 { break }
            offset &+= stepBytes
        }
        return unsafe beginning(base, before: offset)
    }

    @unsafe @inline(__always)
    private static func isASCII(_ base: UnsafeRawPointer, at offset: Int) -> Bool {
        let words = unsafe base.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt64>.self)
        return (words[0] | words[1] | words[2] | words[3]) & 0x8080_8080_8080_8080 == 0
    }

    /// Where the character begins that goes on at `offset`; `offset` if none does.
    @unsafe
    private static func beginning(_ base: UnsafeRawPointer, before offset: Int) -> Int {
        for back in 1...lookBehind {
            let byte = unsafe base.load(fromByteOffset: offset &- back, as: UInt8.self)
            // The least lead of a character that is longer than `back` bytes: C0, E0, F0.
            if byte >= UInt8.max &<< UInt8(7 &- back) { return offset &- back }
        }
        return offset
    }

    /// Where the sixteen bytes at `offset` break a rule of RFC 3629 §4, or their predecessors do by what they are.
    @unsafe @inline(__always)
    private static func faults(
        _ base: UnsafeRawPointer, at offset: Int
    ) -> SIMDMask<SIMD16<Int8>> {
        let byte = unsafe base.loadUnaligned(fromByteOffset: offset, as: Bytes.self)
        let signed = unsafe base.loadUnaligned(fromByteOffset: offset, as: Signed.self)
        let first = unsafe base.loadUnaligned(fromByteOffset: offset &- 1, as: Bytes.self)
        let second = unsafe base.loadUnaligned(fromByteOffset: offset &- 2, as: Bytes.self)
        let third = unsafe base.loadUnaligned(fromByteOffset: offset &- 3, as: Bytes.self)
        let mustContinue =
            (first .>= all(0xC0)) .| (second .>= all(0xE0)) .| (third .>= all(0xF0))
        let continues = signed .< all(signed: 0xC0)
        // Bytes that never occur.
        let impossible = ((byte & all(0xFE)) .== all(0xC0)) .| (byte .>= all(0xF5))
        // Overlong forms are too low; surrogates and what lies beyond U+10FFFF too high. As signed bytes 80 is the lowest.
        let tooLow =
            ((first .== all(0xE0)) .& (signed .< all(signed: 0xA0)))
            .| ((first .== all(0xF0)) .& (signed .< all(signed: 0x90)))
        let tooHigh =
            ((first .== all(0xED)) .& (signed .> all(signed: 0x9F)))
            .| ((first .== all(0xF4)) .& (signed .> all(signed: 0x8F)))
        return (continues .^ mustContinue) .| impossible .| tooLow .| tooHigh
    }

    @inline(__always)
    private static func all(_ byte: UInt8) -> Bytes { Bytes(repeating: byte) }

    @inline(__always)
    private static func all(signed byte: UInt8) -> Signed {
        Signed(repeating: Int8(bitPattern: byte))
    }
}
