/// Judges text sixteen bytes at a time: each byte is compared with the three before it, which say whether it must continue
/// a character, and in which range. No byte's fate depends on what was found about another.
///
/// What is found about a byte stands in the top bit of its place; the other bits mean nothing. That and differences that
/// stop at zero make most rules one instruction each on x86-64 without extensions, and on arm64. Only the top bits of many
/// blocks together are looked at.
enum UTF8Blocks {
    private typealias Bytes = SIMD16<UInt8>
    private typealias Signed = SIMD16<Int8>
    private typealias Words = SIMD2<UInt64>

    /// What is judged at once.
    static let blockBytes = 16
    /// The most that is judged before the next look at the result.
    static let turnBytes = 256
    /// How many bytes before a block are looked at again.
    static let lookBehind = 3

    /// The offset of a character's beginning up to which everything from the one that begins at `start` on is valid.
    /// What stands there is not judged: the end is too near, a fault is, or ASCII has begun, which others judge faster.
    ///
    /// - Parameters:
    ///   - base: Memory that is valid from 0 to `end`.
    ///   - start: The beginning of a character, ``lookBehind`` bytes or more behind `base`; what is before it is valid.
    @unsafe
    static func skipValid(_ base: UnsafeRawPointer, from start: Int, to end: Int) -> Int {
        var offset = start
        var most = turnBytes
        while end &- offset >= blockBytes {
            let next = offset &+ min(most, (end &- offset) & ~(blockBytes &- 1))
            if unsafe hasFault(base, from: offset, to: next) {
                if next &- offset == blockBytes { break }
                // Which of the blocks it is in shows one after the other.
                most = blockBytes
                continue
            }
            offset = next
            if unsafe isASCII(base, before: offset) { break }
        }
        return unsafe beginning(base, before: offset)
    }

    /// Whether the last block before `offset` is nothing but ASCII.
    @unsafe @inline(__always)
    private static func isASCII(_ base: UnsafeRawPointer, before offset: Int) -> Bool {
        unsafe !hasTopBit(load(base, at: offset &- blockBytes))
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

    /// Whether a byte of the whole blocks from `start` to `end` breaks a rule of RFC 3629 §4, or a predecessor does by what
    /// it is.
    @unsafe @inline(__always)
    private static func hasFault(
        _ base: UnsafeRawPointer, from start: Int, to end: Int
    ) -> Bool {
        var faults = all(0)
        var highest = unsafe load(base, at: start &- 1)
        var lowest = all(0xFF)
        var offset = start
        while offset != end {
            let byte = unsafe load(base, at: offset)
            // Less 40, a lead is 80 or more and nothing else is: C0 is 80, E0 is A0, ED is AD, F0 is B0.
            let first = unsafe difference(load(base, at: offset &- 1), 0x40)
            let second = unsafe difference(load(base, at: offset &- 2), 0x60)
            let third = unsafe difference(load(base, at: offset &- 3), 0x70)
            let mustContinue = first | second | third
            let continues = unsafe bits(
                unsafeBitCast(byte, to: Signed.self) .< Signed(repeating: -0x40))
            // Behind E0 and F0 a form is overlong where both bytes, added, stay below 180.
            let moved = byte &+ all(0x40)
            let overlong = bits((first & all(0xEF)) .== all(0xA0)) & ~(first &+ moved)
            // Behind ED stands a surrogate where the second byte is above 9F, so that 60 more is above FF.
            let surrogate = bits(first .== all(0xAD)) & ~(moved &+ all(0x20))
            faults = faults | ((continues ^ mustContinue) | (overlong | surrogate))
            highest = highest.replacing(with: byte, where: highest .< byte)
            lowest = moved.replacing(with: lowest, where: lowest .< moved)
            offset &+= blockBytes
        }
        // C0 and C1, which never occur, were moved to 0 and 1.
        faults = faults | bits(lowest .< all(2))
        // F4 and what is above it is seldom enough for a second look.
        guard hasTopBit(faults | bits(highest .>= all(0xF4))) else { return false }
        return unsafe hasTopBit(faults) || isBeyondUnicode(base, from: start, to: end)
    }

    /// Whether a byte of the blocks puts a character beyond U+10FFFF, or stands behind one above F4, which never occurs.
    // Apart, so that it takes no registers from what is looked at first.
    @unsafe @inline(never)
    private static func isBeyondUnicode(
        _ base: UnsafeRawPointer, from start: Int, to end: Int
    ) -> Bool {
        var faults = all(0)
        var offset = start
        while offset != end {
            let byte = unsafe load(base, at: offset)
            let first = unsafe load(base, at: offset &- 1)
            let isTooHigh = bits(first .== all(0xF4)) & bits(byte .> all(0x8F))
            faults = faults | isTooHigh | bits(first .> all(0xF4))
            offset &+= blockBytes
        }
        return hasTopBit(faults)
    }

    @unsafe @inline(__always)
    private static func load(_ base: UnsafeRawPointer, at offset: Int) -> Bytes {
        unsafe base.loadUnaligned(fromByteOffset: offset, as: Bytes.self)
    }

    @inline(__always)
    private static func hasTopBit(_ bytes: Bytes) -> Bool {
        let words = unsafe unsafeBitCast(bytes, to: Words.self)
        return (words[0] | words[1]) & 0x8080_8080_8080_8080 != 0
    }

    /// Each byte less `less`, or 0. Written so that it becomes one instruction.
    @inline(__always)
    private static func difference(_ bytes: Bytes, _ less: UInt8) -> Bytes {
        (bytes &- all(less)).replacing(with: all(0), where: bytes .< all(less))
    }

    /// FF where it is so, and 0 where not.
    @inline(__always)
    private static func bits(_ mask: SIMDMask<SIMD16<Int8>>) -> Bytes {
        unsafe unsafeBitCast(mask, to: Bytes.self)
    }

    @inline(__always)
    private static func all(_ byte: UInt8) -> Bytes { Bytes(repeating: byte) }
}
