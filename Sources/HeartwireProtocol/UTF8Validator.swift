/// Tells valid UTF-8 (RFC 3629) from invalid at the first impossible byte, over any number of pieces.
///
/// The state is what the next byte must be: how many continuation bytes are wanting, and the range
/// that the next of them lies in. Ranges narrower than 80–BF stand only behind E0, ED, F0 and F4:
/// they shut out overlong forms, surrogates and what lies beyond U+10FFFF (RFC 3629 §4).
struct UTF8Validator: Sendable {
    private var wanting = 0
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Whether no byte that was seen had its top bit set.
    private(set) var sawOnlyASCII = true

    /// Whether the bytes so far end at the end of a character.
    var isAtBoundary: Bool { wanting == 0 }

    /// Takes the next piece.
    ///
    /// - Returns: whether everything so far can be the beginning of valid UTF-8. After `false` the
    ///   validator is of no further use.
    mutating func consume(_ bytes: Span<UInt8>) -> Bool {
        unsafe bytes.withUnsafeBytes { unsafe consume($0) }
    }

    /// The same over memory. `bytes` must stay valid and unchanged during the call.
    @unsafe mutating func consume(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        let count = bytes.count
        var offset = 0
        var allPlanes = false
        while offset < count {
            if wanting == 0 {
                offset = unsafe Self.skipASCII(base, from: offset, to: count)
                if offset == count { return true }
                sawOnlyASCII = false
                let next = unsafe Self.skipCharacters(
                    base, from: offset, to: count, allPlanes: &allPlanes)
                guard next == offset else {
                    offset = next
                    continue
                }
            }
            let byte = unsafe base.load(fromByteOffset: offset, as: UInt8.self)
            guard wanting == 0 ? begin(byte) : proceed(byte) else { return false }
            offset &+= 1
        }
        return true
    }

    /// The offset of the first byte from `start` on whose top bit is set, or `end`.
    @unsafe @inline(__always)
    private static func skipASCII(
        _ base: UnsafeRawPointer, from start: Int, to end: Int
    ) -> Int {
        let topBits: UInt64 = 0x8080_8080_8080_8080
        var offset = start
        // Less at once would take one cycle, or two where the loop lies badly.
        while end &- offset >= 64 {
            let words = unsafe base.loadUnaligned(
                fromByteOffset: offset, as: SIMD8<UInt64>.self)
            let any = words.lowHalf | words.highHalf
            if (any[0] | any[1] | any[2] | any[3]) & topBits != 0 { break }
            offset &+= 64
        }
        while end &- offset >= 8 {
            let word = unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let set = word.littleEndian & topBits
            if set != 0 { return offset &+ set.trailingZeroBitCount &>> 3 }
            offset &+= 8
        }
        while offset < end, unsafe base.load(fromByteOffset: offset, as: UInt8.self) < 0x80 {
            offset &+= 1
        }
        return offset
    }

    /// The offset behind the valid characters from `start` on that can be judged by the block or lie within four bytes
    /// that are all there. What is left is the automaton's to judge.
    @unsafe @inline(__always)
    private static func skipCharacters(
        _ base: UnsafeRawPointer, from start: Int, to end: Int, allPlanes: inout Bool
    ) -> Int {
        let fitsBlock = end &- start >= UTF8Blocks.blockBytes && start >= UTF8Blocks.lookBehind
        return unsafe fitsBlock
            ? UTF8Blocks.skipValid(base, from: start, to: end, allPlanes: &allPlanes)
            : skipWholeCharacters(base, from: start, to: end)
    }

    /// The offset behind the characters from `start` on that are not ASCII, valid, and lie
    /// within four bytes that are all there, up to where blocks can be judged.
    @unsafe @inline(__always)
    private static func skipWholeCharacters(
        _ base: UnsafeRawPointer, from start: Int, to end: Int
    ) -> Int {
        var offset = start
        while end &- offset >= 4,
            offset < UTF8Blocks.lookBehind || end &- offset < UTF8Blocks.blockBytes
        {
            let word = unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            // The first byte lowest, whatever the machine's byte order.
            let size = Self.sizeOfCharacter(in: word.littleEndian)
            if size == 0 { break }
            offset &+= size
        }
        return offset
    }

    /// The size of the valid character that is not ASCII and begins in the lowest byte, or 0.
    @inline(__always)
    private static func sizeOfCharacter(in word: UInt32) -> Int {
        let lead = UInt8(truncatingIfNeeded: word)
        let second = UInt8(truncatingIfNeeded: word &>> 8)
        switch lead {
        case 0xC2...0xDF:
            return word & 0xC000 == 0x8000 ? 2 : 0
        case 0xE0...0xEF:
            guard word & 0xC0_C000 == 0x80_8000 else { return 0 }
            if lead == 0xE0, second < 0xA0 { return 0 }
            if lead == 0xED, second > 0x9F { return 0 }
            return 3
        case 0xF0...0xF4:
            guard word & 0xC0C0_C000 == 0x8080_8000 else { return 0 }
            if lead == 0xF0, second < 0x90 { return 0 }
            if lead == 0xF4, second > 0x8F { return 0 }
            return 4
        default:
            return 0
        }
    }

    /// Takes the first byte of a character that is not ASCII.
    private mutating func begin(_ byte: UInt8) -> Bool {
        lowest = 0x80
        highest = 0xBF
        switch byte {
        case 0xC2...0xDF: wanting = 1
        case 0xE0...0xEF:
            wanting = 2
            if byte == 0xE0 { lowest = 0xA0 }
            if byte == 0xED { highest = 0x9F }
        case 0xF0...0xF4:
            wanting = 3
            if byte == 0xF0 { lowest = 0x90 }
            if byte == 0xF4 { highest = 0x8F }
        default: return false
        }
        return true
    }

    /// Takes a byte behind the first of a character.
    private mutating func proceed(_ byte: UInt8) -> Bool {
        guard byte >= lowest, byte <= highest else { return false }
        lowest = 0x80
        highest = 0xBF
        wanting &-= 1
        return true
    }
}
