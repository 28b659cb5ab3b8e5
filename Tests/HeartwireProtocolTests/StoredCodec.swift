import HeartwireProtocol

/// Deflate that never compresses: stored blocks alone (RFC 1951 §3.2.4), which any inflater reads.
///
/// Its inflater knows one thing beside them: the reserved kind of block, 06, followed by three bytes that
/// count, lowest first, stands for so many zeros. That makes bombs.
struct StoredCodec: DeflateCodec {
    /// What was asked for and done, over all that the codec has made.
    final class Log: @unchecked Sendable {
        var entries: [String] = []
    }

    let log = Log()
    var hasMemory = true

    func makeDeflater(windowBits: Int, level: Int) -> (any MessageDeflater)? {
        log.entries.append("deflater \(windowBits) \(level)")
        return hasMemory && windowBits > 8 ? StoredDeflater(log) : nil
    }

    func makeInflater(windowBits: Int) -> (any MessageInflater)? {
        log.entries.append("inflater \(windowBits)")
        return hasMemory ? StoredInflater(log) : nil
    }

    /// A message as the deflater leaves it on the wire, its tail taken off.
    static func wire(_ message: [UInt8], isFinal: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = message[...]
        repeat {
            let piece = rest.prefix(65_535)
            rest = rest.dropFirst(piece.count)
            let length = UInt16(piece.count)
            bytes.append(isFinal && rest.isEmpty ? 1 : 0)
            for word in [length, ~length] {
                bytes += [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
            }
            bytes += piece
        } while !rest.isEmpty
        return bytes + [0x00]
    }

    /// A block that stands for zeros.
    static func zeros(_ count: Int) -> [UInt8] {
        [6] + (0..<3).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
    }
}

private final class StoredDeflater: MessageDeflater {
    private let log: StoredCodec.Log
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 1)

    init(_ log: StoredCodec.Log) {
        self.log = log
    }

    deinit {
        room.deallocate()
    }

    /// A message that begins with an exclamation mark cannot be compressed.
    func deflate(_ message: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        log.entries.append("deflate \(message.count)")
        guard message[0] != 0x21 else { return nil }
        let bytes = StoredCodec.wire(Array(message)) + [0x00, 0x00, 0xFF, 0xFF]
        room.copyBytes(from: bytes)
        return UnsafeRawBufferPointer(rebasing: room[..<bytes.count])
    }

    func reset() {
        log.entries.append("forget sent")
    }

    func trim() {
        log.entries.append("trim")
    }
}

private final class StoredInflater: MessageInflater {
    private let log: StoredCodec.Log
    private var header: [UInt8] = []
    private var wanting = 0
    private var isFinal = false
    private var place = InflateProgress.Place.betweenBlocks

    init(_ log: StoredCodec.Log) {
        self.log = log
    }

    func reset() {
        log.entries.append("forget received")
    }

    func inflate(
        _ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) -> InflateProgress {
        var progress = InflateProgress(consumed: 0, produced: 0, place: place)
        while progress.place != .corrupt {
            let isZeros = header.first == 6
            if wanting > 0 {
                guard progress.produced < room.count else { break }
                guard isZeros || progress.consumed < input.count else { break }
                room[progress.produced] = isZeros ? 0 : input[progress.consumed]
                progress.consumed += isZeros ? 0 : 1
                progress.produced += 1
                wanting -= 1
                if wanting == 0 { finishBlock() }
            } else {
                guard progress.consumed < input.count else { break }
                // FE: takes no byte any more, and says that all is well.
                guard !header.isEmpty || input[progress.consumed] != 0xFE else { break }
                take(input[progress.consumed])
                progress.consumed += 1
            }
            progress.place = place
        }
        return progress
    }

    private func take(_ byte: UInt8) {
        header.append(byte)
        place = .insideBlock
        // FF: corrupt from the start.
        guard byte != 0xFF || header.count > 1 else { return place = .corrupt }
        isFinal = header[0] == 1
        guard header.count == (header[0] == 6 ? 4 : 5) else { return }
        let isZeros = header[0] == 6
        let length = Int(header[1]) | Int(header[2]) << 8
        wanting = isZeros ? length | Int(header[3]) << 16 : length
        guard isZeros || header[1] == ~header[3] && header[2] == ~header[4] else {
            return place = .corrupt
        }
        if wanting == 0 { finishBlock() }
    }

    private func finishBlock() {
        header = []
        place = isFinal ? .behindFinalBlock : .betweenBlocks
    }
}
