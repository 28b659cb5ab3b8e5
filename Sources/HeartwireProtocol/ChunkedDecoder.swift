/// Undoes the chunked transfer coding (RFC 9112 §7.1), one byte after the other.
struct ChunkedDecoder: Sendable {
    enum Step: Sendable, Hashable {
        /// The byte belonged to the framing.
        case framing
        /// The byte belongs to the content.
        case content
        /// The last chunk's line was read; what trailers follow does not matter here.
        case finished
        /// The coding was broken; what came before it is still good.
        case malformed
    }

    private enum State: Sendable {
        /// → size, extensions, sizeLineFeed
        case size(UInt64, digitCount: Int)
        /// → extensions, sizeLineFeed
        case extensions(UInt64, byteCount: Int)
        /// → content
        case sizeLineFeed(UInt64)
        /// → content, contentCarriageReturn
        case content(UInt64)
        /// → contentLineFeed
        case contentCarriageReturn
        /// → size
        case contentLineFeed
    }

    /// The most bytes of chunk extensions that are passed over in one chunk.
    private static let extensionBytes = 256

    private var state = State.size(0, digitCount: 0)

    mutating func take(_ byte: UInt8) -> Step {
        switch state {
        case .size(let size, let digitCount): return takeSize(byte, size, digitCount)
        case .extensions(let size, let count):
            guard count < Self.extensionBytes else { return .malformed }
            if byte == HTTPSyntax.carriageReturn {
                state = .sizeLineFeed(size)
            } else {
                guard HTTPSyntax.isFieldValueByte(byte) else { return .malformed }
                state = .extensions(size, byteCount: count + 1)
            }
            return .framing
        case .sizeLineFeed(let size):
            guard byte == HTTPSyntax.lineFeed else { return .malformed }
            guard size > 0 else { return .finished }
            state = .content(size)
            return .framing
        case .content(let left):
            state = left > 1 ? .content(left - 1) : .contentCarriageReturn
            return .content
        case .contentCarriageReturn:
            guard byte == HTTPSyntax.carriageReturn else { return .malformed }
            state = .contentLineFeed
            return .framing
        case .contentLineFeed:
            guard byte == HTTPSyntax.lineFeed else { return .malformed }
            state = .size(0, digitCount: 0)
            return .framing
        }
    }

    private mutating func takeSize(_ byte: UInt8, _ size: UInt64, _ digitCount: Int) -> Step {
        if let digit = HTTPSyntax.hexValue(byte) {
            // Fifteen digits cannot overflow, and no body that makes sense needs more.
            guard digitCount < 15 else { return .malformed }
            state = .size(size << 4 | UInt64(digit), digitCount: digitCount + 1)
            return .framing
        }
        guard digitCount > 0 else { return .malformed }
        switch byte {
        case HTTPSyntax.carriageReturn: state = .sizeLineFeed(size)
        case UInt8(ascii: ";"), HTTPSyntax.space, HTTPSyntax.tab:
            state = .extensions(size, byteCount: 0)
        default: return .malformed
        }
        return .framing
    }
}
