import CZlib
import HeartwireProtocol

/// One direction's compressor: a raw deflate stream of zlib that lives as long as the connection, and the room
/// for its results, which is used again for every message.
final class ZlibDeflater: MessageDeflater {
    /// Larger rooms are given back after each message.
    static let keptCapacity = 1 << 18
    private static let smallestCapacity = 4_096
    /// With less room than this a flush could leave its marker twice.
    private static let flushBytes = 16
    /// What zlib can be given in one call, whose counts have 32 bits.
    private static let callLimit = 1 << 30

    /// At one address for its whole life: zlib compares.
    private let stream: UnsafeMutablePointer<z_stream>
    private var room: UnsafeMutableRawPointer?
    private(set) var capacity = 0
    private var produced = 0

    /// `nil` when zlib has no such stream or no memory.
    init?(windowBits: Int, level: Int) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let memoryLevel: Int32 = 8
        let answer = deflateInit2_(
            stream, Int32(clamping: level), Z_DEFLATED, -Int32(clamping: windowBits), memoryLevel,
            Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard answer == Z_OK else {
            stream.deallocate()
            return nil
        }
        self.stream = stream
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        room?.deallocate()
    }

    func deflate(_ message: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        produced = 0
        reserve(
            Int(clamping: deflateBound(stream, UInt(clamping: message.count))) + Self.flushBytes)
        var rest = message[...]
        repeat {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.callLimit))
            rest = rest.dropFirst(piece.count)
            guard run(piece, flush: rest.isEmpty ? Z_SYNC_FLUSH : Z_NO_FLUSH) else {
                reset()
                return nil
            }
        } while !rest.isEmpty
        let result = UnsafeRawBufferPointer(start: room, count: produced)
        guard result.count >= 4, result.suffix(4).elementsEqual([0x00, 0x00, 0xFF, 0xFF]) else {
            reset()
            return nil
        }
        return result
    }

    func reset() {
        deflateReset(stream)
    }

    func trim() {
        guard capacity > Self.keptCapacity else { return }
        room?.deallocate()
        room = nil
        capacity = 0
    }

    /// Compresses one piece in full. A flush is complete once it leaves room.
    private func run(_ piece: UnsafeRawBufferPointer, flush: Int32) -> Bool {
        // zlib does not write there; its declaration only does not say so.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: piece.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(clamping: piece.count)
        repeat {
            reserve(produced + Self.flushBytes)
            let free = min(capacity - produced, Self.callLimit)
            stream.pointee.next_out = room.map {
                ($0 + produced).assumingMemoryBound(to: UInt8.self)
            }
            stream.pointee.avail_out = UInt32(clamping: free)
            let answer = CZlib.deflate(stream, flush)
            produced += free - Int(stream.pointee.avail_out)
            guard answer == Z_OK || answer == Z_BUF_ERROR else { return false }
        } while stream.pointee.avail_out == 0
        return stream.pointee.avail_in == 0
    }

    /// Sees to a room of at least `size` bytes, the result so far kept.
    private func reserve(_ size: Int) {
        guard size > capacity else { return }
        let larger = max(size, capacity * 2, Self.smallestCapacity)
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        if let room {
            fresh.copyMemory(from: room, byteCount: produced)
            room.deallocate()
        }
        room = fresh
        capacity = larger
    }
}
