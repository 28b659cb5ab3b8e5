import HeartwireProtocol
import HeartwireSocket

/// How the buffer of one consumer is bounded (promise S2).
enum Buffering: Sendable {
    /// By the socket: reading is suspended while the slowest of these consumers is too far behind.
    case suspendReading
    /// By itself: the oldest that waits goes, and is counted.
    case dropOldest(BufferBounds, Tally)
    /// By itself: the consumer's sequence ends, and the flag says why.
    case fail(BufferBounds, OverflowFlag)

    var holdsReading: Bool {
        switch self {
        case .suspendReading: true
        case .dropOldest, .fail: false
        }
    }
}

/// A count that any thread may read.
final class Tally: Sendable {
    private let number = Locked(0)

    var value: Int { number.withLock { $0 } }

    func add(_ more: Int) {
        guard more > 0 else { return }
        number.withLock { $0 += more }
    }
}

/// Tells a consumer, wherever it runs, that its sequence has ended because it was too slow.
final class OverflowFlag: Sendable {
    private let overflow = Locked<BufferOverflow?>(nil)

    func raise(_ overflow: BufferOverflow) {
        self.overflow.withLock { $0 = overflow }
    }

    /// The overflow, once.
    func take() -> BufferOverflow? {
        overflow.withLock { $0.take() }
    }
}

/// What has a weight in a buffer.
protocol Weighed: Sendable {
    /// Bytes of the payload and ``BufferBounds/elementOverheadBytes``.
    var weight: Int { get }
}

extension Message: Weighed {
    var weight: Int { byteCount + BufferBounds.elementOverheadBytes }
}

extension BatchQueue where Element: Weighed {
    /// Drops the oldest until the rest is within the bounds. Answers how many those were.
    mutating func trim(to bounds: BufferBounds, weight: inout Int) -> Int {
        var dropped = 0
        while let oldest = first, !bounds.admit(count: count, weight: weight) {
            weight -= oldest.weight
            dropFirst()
            dropped += 1
        }
        return dropped
    }
}
