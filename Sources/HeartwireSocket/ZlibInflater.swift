import CZlib
import HeartwireProtocol

/// One direction's inflater: a raw deflate stream of zlib that lives as long as the connection.
final class ZlibInflater: MessageInflater {
    /// What zlib can be given in one call, whose counts have 32 bits.
    private static let callLimit = 1 << 30

    /// At one address for its whole life: zlib compares.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Where the last call that got anywhere has ended: zlib forgets it in a call that does not.
    private var place = InflateProgress.Place.insideBlock

    /// `nil` when zlib has no such stream or no memory.
    init?(windowBits: Int) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let answer = inflateInit2_(
            stream, -Int32(clamping: windowBits), ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard answer == Z_OK else {
            stream.deallocate()
            return nil
        }
        self.stream = stream
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func inflate(
        _ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) -> InflateProgress {
        var progress = InflateProgress(consumed: 0, produced: 0, place: place)
        repeat {
            run(
                UnsafeRawBufferPointer(rebasing: input[progress.consumed...]),
                into: UnsafeMutableRawBufferPointer(rebasing: room[progress.produced...]),
                &progress)
            // Behind a final block there is a new stream, if there is anything.
        } while progress.place == .behindFinalBlock && progress.consumed < input.count
            && progress.produced < room.count
        return progress
    }

    func reset() {
        inflateReset(stream)
        place = .insideBlock
    }

    private func run(
        _ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer,
        _ progress: inout InflateProgress
    ) {
        let given = min(input.count, Self.callLimit)
        let free = min(room.count, Self.callLimit)
        // zlib does not write there; its declaration only does not say so.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(clamping: given)
        stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(clamping: free)
        let answer = CZlib.inflate(stream, Z_SYNC_FLUSH)
        progress.consumed += given - Int(stream.pointee.avail_in)
        progress.produced += free - Int(stream.pointee.avail_out)
        switch answer {
        case Z_BUF_ERROR: break
        case Z_OK:
            // Z_OK says nothing about the end of a block; this bit does.
            place = stream.pointee.data_type & 128 != 0 ? .betweenBlocks : .insideBlock
        case Z_STREAM_END:
            place = .behindFinalBlock
            // Keeps the window: what follows may refer to what came before (RFC 7692 §7.2.3.4).
            inflateResetKeep(stream)
        default:
            place = .corrupt
        }
        progress.place = place
    }
}
