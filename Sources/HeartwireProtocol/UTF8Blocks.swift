/// Judges text sixteen bytes at a time: each byte is compared with the three before it, which say whether it must continue
/// a character, and in which range. No byte's fate depends on what was found about another.
///
/// What is found about a byte stands in the top bit of its place; the other bits mean nothing. That, and differences whose
/// greatest is what no text has, make most rules few instructions on x86-64 without extensions, and on arm64. Only what
/// many blocks gave together is looked at. A first look knows of characters that take four bytes only those of the planes
/// 1 to 3, which are nearly all; what it does not know gets a second one.
enum UTF8Blocks {
    private typealias Bytes = SIMD16<UInt8>
    private typealias Signed = SIMD16<Int8>
    private typealias Words = SIMD2<UInt64>

    /// What is judged at once.
    static let blockBytes = 16
    /// What is judged before the first look at the result. Each look after that comes behind twice as many bytes.
    static let firstTurnBytes = 128
    /// The most that is judged before a look at the result.
    static let turnBytes = 1_024
    /// How many bytes before a block are looked at again.
    static let lookBehind = 3

    /// The offset of a character's beginning up to which everything from the one that begins at `start` on is valid.
    /// What stands there is not judged: the end is too near, a fault is, or ASCII has begun, which others judge faster.
    ///
    /// - Parameters:
    ///   - base: Memory that is valid from 0 to `end`.
    ///   - start: The beginning of a character, ``lookBehind`` bytes or more behind `base`; what is before it is valid.
    ///   - allPlanes: Whether the first look is left out, which what comes has shown to be in vain.
    @unsafe
    static func skipValid(
        _ base: UnsafeRawPointer, from start: Int, to end: Int, allPlanes: inout Bool
    ) -> Int {
        var offset = start
        var most = firstTurnBytes
        while end &- offset >= blockBytes {
            let next = offset &+ min(most, (end &- offset) & ~(blockBytes &- 1))
            let isValid =
                unsafe allPlanes
                ? isValidInAllPlanes(base, from: offset, to: next)
                : isValidInFirstPlanes(base, from: offset, to: next)
            if isValid {
                let isLong = next &- offset >= 2 &* blockBytes
                offset = next
                if isLong, unsafe isASCII(base, before: offset) { break }
                if most >= firstTurnBytes { most = min(2 &* most, turnBytes) }
            } else if !allPlanes {
                allPlanes = true
            } else if next &- offset > blockBytes {
                // Which of the blocks it is in shows one after the other.
                most = blockBytes
            } else {
                break
            }
        }
        return unsafe beginning(base, before: offset)
    }

    /// Whether the last two blocks before `offset` are nothing but ASCII. It has to be so many, or short words between others
    /// would send back and forth.
    @unsafe @inline(__always)
    private static func isASCII(_ base: UnsafeRawPointer, before offset: Int) -> Bool {
        unsafe !hasTopBit(
            load(base, at: offset &- blockBytes) | load(base, at: offset &- 2 &* blockBytes))
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

    /// Whether no byte of the whole blocks from `start` to `end` breaks a rule of RFC 3629 §4, nor a predecessor by what it
    /// is, and no character lies beyond plane 3, which those do that begin above F0. `false`, too, where characters of the
    /// planes 1 and 2 stand in such a way that it is not known.
    // Neither look is inlined, so that each has all registers.
    @unsafe @inline(never)
    private static func isValidInFirstPlanes(
        _ base: UnsafeRawPointer, from start: Int, to end: Int
    ) -> Bool {
        var common = Findings()
        // What the bytes behind F0 lack, less 60.
        var lacking = all(0)
        var place = unsafe base + start
        let last = unsafe base + end
        while unsafe place != last {
            let isThird = unsafe difference(load(place, at: -2), 0x60)
            let isFourth = unsafe bits(load(place, at: -3) .== all(0xF0))
            unsafe common.judge(place, isThird: isThird, isFourth: isFourth)
            lacking = lacking | (isFourth & ~isThird)
            unsafe place += blockBytes
        }
        // A form is overlong where the byte behind F0 is at most 8F, which is 2F less 60 and alone lacks both 40 and 10.
        let overlong = bits(lacking & all(0x50) .== all(0x50))
        return !hasTopBit(common.faults(above: 0xF0) | overlong)
    }

    /// Whether no byte of the blocks breaks a rule, whatever the plane.
    @unsafe @inline(never)
    private static func isValidInAllPlanes(
        _ base: UnsafeRawPointer, from start: Int, to end: Int
    ) -> Bool {
        var common = Findings()
        var closest = all(0)
        var place = unsafe base + start
        let last = unsafe base + end
        while unsafe place != last {
            let third = unsafe load(place, at: -3)
            let second = unsafe load(place, at: -2)
            // Behind F0 a form is overlong up to 8F, and behind F4 what is above that lies beyond U+10FFFF: EF or F3, one
            // less than what must not stand before, as in the judgement of three bytes.
            let isLow = unsafe bits(
                unsafeBitCast(second, to: Signed.self) .< Signed(repeating: -0x70))
            closest = greatest(closest, all(0xF3) &- (isLow & all(4)) &- third)
            unsafe common.judge(
                place, isThird: difference(second, 0x60), isFourth: difference(third, 0x70))
            unsafe place += blockBytes
        }
        return !hasTopBit(common.faults(above: 0xF4) | bits(closest .== all(0xFF)))
    }

    /// What both looks find about blocks.
    private struct Findings {
        private var misplaced = all(0)
        private var closest = all(0)
        private var highest = all(0)
        private var lowest = all(0xFF)

        /// Looks at a block.
        ///
        /// - Parameters:
        ///   - isThird: Set where the second byte before begins a character of three or more.
        ///   - isFourth: Set where the third byte before begins a character of four. What stands behind that one
        ///     is judged with it and not here, since both looks have to do so at the same place: a turn may end between.
        @unsafe @inline(__always)
        mutating func judge(_ place: UnsafeRawPointer, isThird: Bytes, isFourth: Bytes) {
            let byte = unsafe load(place, at: 0)
            let before = unsafe load(place, at: -1)
            // Less 40, what begins a character is 80 or more and nothing else is.
            let isSecond = difference(before, 0x40)
            let continues = unsafe bits(
                unsafeBitCast(byte, to: Signed.self) .< Signed(repeating: -0x40))
            misplaced = misplaced | (continues ^ (isSecond | isThird | isFourth))
            // Behind E0 a form is overlong where 20 is not set, and behind ED a surrogate where it is. This is DF in the first
            // case and EC in the second, one less than what must not stand before: only that makes the difference FF.
            let forbidding = least(byte | all(0xDF), all(0xEC))
            closest = greatest(closest, forbidding &- before)
            highest = greatest(highest, byte)
            lowest = least(lowest, byte &+ all(0x40))
        }

        /// Has the top bit of each place set where a rule is broken, or a byte is above `most`.
        @inline(__always)
        func faults(above most: UInt8) -> Bytes {
            // C0 and C1, which never occur, were moved to 0 and 1.
            misplaced | bits(closest .== all(0xFF)) | bits(lowest .< all(2))
                | bits(highest .> all(most))
        }
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

    @inline(__always)
    private static func least(_ one: Bytes, _ other: Bytes) -> Bytes {
        one.replacing(with: other, where: other .< one)
    }

    @inline(__always)
    private static func greatest(_ one: Bytes, _ other: Bytes) -> Bytes {
        one.replacing(with: other, where: one .< other)
    }

    /// FF where it is so, and 0 where not.
    @inline(__always)
    private static func bits(_ mask: SIMDMask<SIMD16<Int8>>) -> Bytes {
        unsafe unsafeBitCast(mask, to: Bytes.self)
    }

    @inline(__always)
    private static func all(_ byte: UInt8) -> Bytes { Bytes(repeating: byte) }
}
