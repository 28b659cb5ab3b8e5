#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Why output could not be written.
enum OutputError: Error, Hashable {
    /// Whoever read it has gone: `heartwire … | head`. Not a failure.
    case readerGone
    /// The system refused, with this `errno`: a full disk, a closed descriptor.
    case failed(Int32)
}

/// Writes whole pieces to a file descriptor that it does not own.
///
/// Nothing is buffered here: what `write` returned from is in the kernel, so that an exit at any moment
/// loses nothing that was printed.
struct DescriptorWriter: Sendable, Hashable {
    /// Where it writes.
    let descriptor: Int32

    /// The standard output: what a program reads.
    static let standardOutput = DescriptorWriter(descriptor: 1)
    /// The standard error: what a person reads.
    static let standardError = DescriptorWriter(descriptor: 2)

    /// Writes all of `bytes`, however many calls that takes.
    ///
    /// - Throws: ``OutputError``; some of the bytes may have been written then.
    func write(_ bytes: [UInt8]) throws(OutputError) {
        var offset = 0
        while offset < bytes.count {
            let (written, code) = bytes.withUnsafeBytes { buffer -> (Int, Int32) in
                let piece = UnsafeRawBufferPointer(rebasing: buffer[offset...])
                let count = systemWrite(descriptor, piece.baseAddress, piece.count)
                return (count, errno)
            }
            if written >= 0 {
                offset += written
                continue
            }
            switch code {
            case EINTR: continue
            case EAGAIN: waitUntilWritable()
            case EPIPE: throw .readerGone
            default: throw .failed(code)
            }
        }
    }

    /// Writes all of `text` as UTF-8.
    func write(_ text: String) throws(OutputError) {
        try write(Array(text.utf8))
    }

    /// Writes one line for a person; there is nobody to tell when that fails.
    func writeDiagnostic(_ line: String) {
        try? write(displaySafe(line) + "\n")
    }

    /// A terminal or pipe that somebody else made non-blocking is waited for, not given up.
    private func waitUntilWritable() {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, -1)
    }
}

private func systemWrite(
    _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int
) -> Int {
    #if canImport(Glibc)
        Glibc.write(descriptor, bytes, count)
    #else
        Darwin.write(descriptor, bytes, count)
    #endif
}

/// What the system calls the error `code`, such as `No space left on device`.
func systemErrorText(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "errno \(code)"
}
