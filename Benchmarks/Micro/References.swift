import CZlib

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The loops that everything else is compared with.
enum References {
    static let all = [
        Micro(name: "memcpy-64k", bytes: blockBytes, reference: "memcpy-64k", prepare: copying),
        Micro(name: "sum-64k", bytes: blockBytes, reference: "sum-64k", prepare: summing),
        Micro(name: "steps", reference: "steps", prepare: stepping),
        Micro(
            name: "zlib-deflate-json", bytes: Deflates.jsonBytes, reference: "zlib-deflate-json",
            prepare: deflating),
        Micro(
            name: "zlib-inflate-json", bytes: Deflates.jsonBytes, reference: "zlib-inflate-json",
            prepare: inflating),
    ]

    /// The C library's copy.
    private static func copying() -> (Int) -> Void {
        let source = lastingBytes([UInt8](repeating: 0x78, count: blockBytes))
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: blockBytes, alignment: 64)
        guard let from = source.baseAddress, let to = room.baseAddress else { return { _ in } }
        return { count in
            for _ in 0..<count {
                memcpy(to, from, blockBytes)
                keep(to)
            }
        }
    }

    /// The sum of the 64-bit words: every byte is looked at once.
    private static func summing() -> (Int) -> Void {
        let source = lastingBytes([UInt8](repeating: 0x78, count: blockBytes))
        // A turn of sixteen words takes four cycles wherever it lies. One of four words takes one, or two where it lies across
        // two lines of the instructions' cache, which differs from build to build.
        let turnBytes = MemoryLayout<SIMD16<UInt64>>.size
        return { count in
            for _ in 0..<count {
                var sums = SIMD16<UInt64>()
                for offset in stride(from: 0, to: blockBytes, by: turnBytes) {
                    sums &+= source.loadUnaligned(
                        fromByteOffset: offset, as: SIMD16<UInt64>.self)
                }
                keep(sums.wrappedSum())
            }
        }
    }

    /// A hundred steps of a generator of random numbers, each of which needs the one before.
    private static func stepping() -> (Int) -> Void {
        { count in
            var state: UInt64 = 1
            for _ in 0..<count {
                for _ in 0..<100 {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                }
                keep(state)
            }
        }
    }

    /// zlib alone, at the client's own level, each message for itself.
    private static func deflating() -> (Int) -> Void {
        let text = lastingBytes(Deflates.json)
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        let answer = deflateInit2_(
            stream, Deflates.level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        precondition(answer == Z_OK)
        return running(stream, text) {
            deflateReset(stream)
            return CZlib.deflate(stream, Z_SYNC_FLUSH)
        }
    }

    private static func inflating() -> (Int) -> Void {
        let small = lastingBytes(Deflates.compressed)
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let answer = inflateInit2_(
            stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(answer == Z_OK)
        return running(stream, small) {
            inflateReset(stream)
            return CZlib.inflate(stream, Z_SYNC_FLUSH)
        }
    }

    /// Has the stream go over `input` again and again, into room for twice the text.
    private static func running(
        _ stream: UnsafeMutablePointer<z_stream>, _ input: UnsafeRawBufferPointer,
        _ step: @escaping () -> Int32
    ) -> (Int) -> Void {
        let capacity = 2 * Deflates.jsonBytes
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        return { count in
            for _ in 0..<count {
                stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: input.bindMemory(to: UInt8.self).baseAddress)
                stream.pointee.avail_in = UInt32(input.count)
                stream.pointee.next_out = room
                stream.pointee.avail_out = UInt32(capacity)
                keep(step())
            }
        }
    }
}
