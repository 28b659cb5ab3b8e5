/// Makes what compresses and inflates (RFC 1951): the engine's window to a library that it does not import.
public protocol DeflateCodec: Sendable {
    /// Makes a compressor whose references reach back at most 2^`windowBits` bytes.
    ///
    /// - Parameters:
    ///   - windowBits: 8 to 15.
    ///   - level: 1, the fastest, to 9.
    /// - Returns: `nil` when it cannot keep to such a window or memory is short; messages go plain then.
    func makeDeflater(windowBits: Int, level: Int) -> (any MessageDeflater)?

    /// Makes the counterpart for what the peer sends, within a window of 2^`windowBits` bytes.
    ///
    /// - Parameter windowBits: 8 to 15.
    /// - Returns: `nil` when memory is short; the connection fails then.
    func makeInflater(windowBits: Int) -> (any MessageInflater)?
}

/// Compresses the messages of one direction, one at a time.
public protocol MessageDeflater: AnyObject {
    /// Compresses a message that is not empty, up to a flush on a byte boundary, which ends with the bytes
    /// 00 00 FF FF (RFC 7692 §7.2.1). Earlier messages are referred to unless ``reset()`` came in between.
    ///
    /// - Returns: what came of it, valid until the next call; or `nil` when that failed. All earlier
    ///   messages are forgotten then, as after ``reset()``.
    func deflate(_ message: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer?

    /// Forgets all earlier messages, so that the next one refers to none of them.
    func reset()

    /// Gives back the room of the last result, if it was unusually large.
    func trim()
}

/// Inflates the messages of one direction, one at a time.
public protocol MessageInflater: AnyObject {
    /// Inflates until `input` is used up or `room` is full, whichever comes first.
    ///
    /// A block that calls itself final is followed by more blocks, which may refer to what came before it.
    func inflate(
        _ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) -> InflateProgress

    /// Forgets all earlier messages.
    func reset()
}

/// How far one call of a ``MessageInflater`` has come.
public struct InflateProgress: Sendable, Hashable {
    /// Where in the compressed data an inflater stands.
    public enum Place: Sendable, Hashable {
        /// Within a block or its header.
        case insideBlock
        /// Behind a whole block that is not final.
        case betweenBlocks
        /// Right behind a final block.
        case behindFinalBlock
        /// At something that is not deflate, or that refers to more than the window holds.
        case corrupt
    }

    /// How many bytes of the input were used.
    public var consumed: Int
    /// How many bytes of the room were filled.
    public var produced: Int
    /// Where the inflater stands now.
    public var place: Place

    /// States a progress.
    public init(consumed: Int, produced: Int, place: Place) {
        self.consumed = consumed
        self.produced = produced
        self.place = place
    }
}
