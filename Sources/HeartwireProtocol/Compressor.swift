/// Compresses the messages of one direction (RFC 7692 §7.2.1).
///
/// What was compressed is always sent, larger or not: the peer's window has to see exactly what ours has
/// seen. Whether a message is worth the trouble is therefore decided by its size alone, beforehand
/// (``DeflateAgreement/thresholdBytes``).
@safe final class Compressor {
    /// An empty message: the header of an empty block, whose rest is the tail that is left out (§7.2.3.6).
    private static let emptyMessage: [UInt8] = [0x00]

    private let codec: any DeflateCodec
    private let windowBits: Int
    private let keepsContext: Bool
    private let level: Int
    /// `nil` before the first message that is compressed, and when it was given back.
    private var deflater: (any MessageDeflater)?

    /// - Parameter level: how hard to try, from 1 to 9.
    init(codec: any DeflateCodec, windowBits: Int, keepsContext: Bool, level: Int) {
        self.codec = codec
        self.windowBits = windowBits
        self.keepsContext = keepsContext
        self.level = level
    }

    /// Whether there is a deflater, and so its window.
    var holdsContext: Bool { deflater != nil }

    /// Lends the compressed form of a message to `send`, or nothing when the message is to go plain.
    ///
    /// - Returns: whether it did.
    func compress(
        _ message: UnsafeRawBufferPointer, _ send: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        guard message.count > 0 else {
            unsafe Self.emptyMessage.withUnsafeBytes { unsafe send($0) }
            return true
        }
        guard let deflater = readyDeflater(), let flushed = unsafe deflater.deflate(message) else {
            return false
        }
        unsafe send(UnsafeRawBufferPointer(rebasing: flushed.dropLast(4)))
        deflater.trim()
        if !keepsContext { deflater.reset() }
        return true
    }

    /// Gives back the deflater, unless later messages are to refer to earlier ones.
    func releaseStorage() {
        if !keepsContext { deflater = nil }
    }

    private func readyDeflater() -> (any MessageDeflater)? {
        if let deflater { return deflater }
        deflater = codec.makeDeflater(windowBits: windowBits, level: level)
        return deflater
    }
}
