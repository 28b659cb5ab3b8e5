public import HeartwireProtocol

#if canImport(Darwin)
    import Darwin
#else
    import CLinux
    import Glibc
#endif

/// The system's CSPRNG, asked for a block at a time so that a masking key costs no system call of its
/// own (RFC 6455 §5.3 and §10.3: keys must not be predictable).
///
/// Belongs to one isolation domain.
public final class SystemRandomSource: RandomSource {
    private static let blockWords = 512
    @exclusivity(unchecked) private var words: [UInt64] = []

    /// Makes a source that has asked for nothing yet.
    public init() {}

    /// Eight fresh random bytes.
    public func next() -> UInt64 {
        if let word = words.popLast() { return word }
        refill()
        return words.removeLast()
    }

    private func refill() {
        words = [UInt64](unsafeUninitializedCapacity: Self.blockWords) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            #if canImport(Darwin)
                arc4random_buf(bytes.baseAddress, bytes.count)
            #else
                // Up to 256 bytes cannot be cut short once the pool is ready; a signal may end the wait for it.
                var filled = 0
                while filled < bytes.count {
                    let block = UnsafeMutableRawBufferPointer(
                        rebasing: bytes[filled..<min(filled + 256, bytes.count)])
                    let got = getrandom(block.baseAddress, block.count, 0)
                    if got > 0 {
                        filled += got
                    } else if errno != EINTR {
                        fatalError("the system gives no random bytes (errno \(errno))")
                    }
                }
            #endif
            count = Self.blockWords
        }
    }
}
