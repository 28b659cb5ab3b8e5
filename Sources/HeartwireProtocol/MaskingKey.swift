/// The four bytes that a client's payload is combined with (RFC 6455 §5.3).
struct MaskingKey: Sendable, Hashable {
    /// The key with its first byte lowest, whatever the machine's byte order.
    let bits: UInt32

    /// Takes the low 32 bits of a random number. Each frame needs a fresh one (§5.3).
    init(random: UInt64) {
        bits = UInt32(truncatingIfNeeded: random)
    }

    /// Takes four bytes in the order in which they stand on the wire.
    init(_ byte0: UInt8, _ byte1: UInt8, _ byte2: UInt8, _ byte3: UInt8) {
        bits =
            UInt32(byte0) | UInt32(byte1) &<< 8 | UInt32(byte2) &<< 16 | UInt32(byte3) &<< 24
    }

    /// The key byte for the payload byte at `offset`.
    func byte(at offset: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: bits &>> UInt32(truncatingIfNeeded: (offset & 3) &* 8))
    }

    /// The key as it applies to what comes behind the first `count` payload bytes.
    func advanced(by count: Int) -> MaskingKey {
        let shift = UInt32(truncatingIfNeeded: (count & 3) &* 8)
        // A masking shift by 32 is one by 0, so a rotation by nothing gives the key itself.
        return MaskingKey(random: UInt64((bits &>> shift) | (bits &<< (32 &- shift))))
    }

    /// Combines payload and key byte by byte. The plain statement of §5.3, which the fast kernel is
    /// tested against.
    func combined(with payload: Span<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(payload.count)
        for offset in payload.indices {
            result.append(payload[offset] ^ byte(at: offset))
        }
        return result
    }

    /// Combines the bytes of an array from `start` on, which is within it, with the key, in place.
    func unmask(_ bytes: inout [UInt8], from start: Int) {
        unsafe bytes.withUnsafeMutableBytes { all in
            let payload = unsafe UnsafeMutableRawBufferPointer(rebasing: all[start...])
            unsafe combine(UnsafeRawBufferPointer(payload), into: payload)
        }
    }

    /// Combines payload and key while copying, 16 bytes at a time.
    ///
    /// Source and room are the same place or do not overlap; neither needs any alignment.
    ///
    /// - Parameter room: as long as `source` at least, else less is combined.
    @unsafe func combine(
        _ source: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) {
        guard let from = source.baseAddress, let destination = room.baseAddress else { return }
        let count = min(source.count, room.count)
        let wideKey = SIMD4<UInt32>(repeating: bits.littleEndian)
        var offset = 0
        while count &- offset >= 16 {
            let block = unsafe from.loadUnaligned(
                fromByteOffset: offset, as: SIMD4<UInt32>.self)
            unsafe destination.storeBytes(
                of: block ^ wideKey, toByteOffset: offset, as: SIMD4<UInt32>.self)
            offset &+= 16
        }
        if count &- offset >= 8 {
            let key = UInt64(bits) | UInt64(bits) &<< 32
            let block = unsafe from.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            unsafe destination.storeBytes(
                of: block ^ key.littleEndian, toByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        while offset < count {
            let byte = unsafe from.load(fromByteOffset: offset, as: UInt8.self)
            unsafe destination.storeBytes(
                of: byte ^ self.byte(at: offset), toByteOffset: offset, as: UInt8.self)
            offset &+= 1
        }
    }
}
