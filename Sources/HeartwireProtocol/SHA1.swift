/// SHA-1 (RFC 3174), for `Sec-WebSocket-Accept` only.
///
/// RFC 6455 §1.3 asks for this hash to show that the peer speaks WebSocket. It protects nothing: do not
/// use it where a hash must resist collisions.
package enum SHA1 {
    /// The 20 bytes of the message's digest.
    package static func digest(of message: [UInt8]) -> [UInt8] {
        var state: (UInt32, UInt32, UInt32, UInt32, UInt32) = (
            0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0
        )
        let padded = padded(message)
        var schedule = [UInt32](repeating: 0, count: 80)
        for block in stride(from: 0, to: padded.count, by: 64) {
            expand(padded, block, into: &schedule)
            compress(schedule, into: &state)
        }
        var digest: [UInt8] = []
        digest.reserveCapacity(20)
        for word in [state.0, state.1, state.2, state.3, state.4] {
            for shift: UInt32 in [24, 16, 8, 0] {
                digest.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return digest
    }

    /// RFC 3174 §4: a one bit, zeros, and the length in bits, to a whole number of blocks.
    private static func padded(_ message: [UInt8]) -> [UInt8] {
        var padded = message
        padded.reserveCapacity(message.count &+ 72)
        padded.append(0x80)
        while padded.count % 64 != 56 { padded.append(0) }
        let bitCount = UInt64(message.count) &* 8
        for shift in stride(from: 56, through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
        }
        return padded
    }

    /// RFC 3174 §6.1, steps a and b: the block's sixteen words and the 64 that follow from them.
    private static func expand(_ bytes: [UInt8], _ block: Int, into schedule: inout [UInt32]) {
        for index in 0..<16 {
            let start = block + index * 4
            schedule[index] =
                UInt32(bytes[start]) << 24 | UInt32(bytes[start + 1]) << 16
                | UInt32(bytes[start + 2]) << 8 | UInt32(bytes[start + 3])
        }
        for index in 16..<80 {
            let mixed =
                schedule[index - 3] ^ schedule[index - 8] ^ schedule[index - 14]
                ^ schedule[index - 16]
            schedule[index] = rotated(mixed, 1)
        }
    }

    /// RFC 3174 §6.1, steps c to e.
    private static func compress(
        _ schedule: [UInt32], into state: inout (UInt32, UInt32, UInt32, UInt32, UInt32)
    ) {
        var (a, b, c, d, e) = state
        for (round, word) in schedule.enumerated() {
            let (mix, constant): (UInt32, UInt32) =
                switch round {
                case ..<20: (b & c | ~b & d, 0x5A82_7999)
                case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = rotated(a, 5) &+ mix &+ e &+ word &+ constant
            (e, d, c, b, a) = (d, c, rotated(b, 30), a, next)
        }
        state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d, state.4 &+ e)
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }
}
