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
    /// The same room for every block: a fresh one each time would have the C library tidy up what small messages
    /// have just given back.
    @exclusivity(unchecked) private var words: [UInt64] = []
    /// How many of `words` nobody has had.
    @exclusivity(unchecked) private var left = 0

    /// Makes a source that has asked for nothing yet.
    public init() {}

    /// Eight fresh random bytes.
    public func next() -> UInt64 {
        if left == 0 { refill() }
        left -= 1
        return words[left]
    }

    private func refill() {
        if words.isEmpty { words = [UInt64](repeating: 0, count: Self.blockWords) }
        words.withUnsafeMutableBytes { bytes in
            #if canImport(Darwin)
                arc4random_buf(bytes.baseAddress, bytes.count)
            #else
                // A signal may cut an answer short that is longer than 256 bytes, or end the wait for the pool.
                var filled = 0
                while filled < bytes.count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
                    let got = getrandom(rest.baseAddress, rest.count, 0)
                    if got > 0 {
                        filled += got
                    } else if errno != EINTR {
                        fatalError("the system gives no random bytes (errno \(errno))")
                    }
                }
            #endif
        }
        left = Self.blockWords
    }
}
