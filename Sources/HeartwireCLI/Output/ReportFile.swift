#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Files that reports are written to.
enum ReportFile {
    /// Puts `text` in the file at `path` in place of what was there.
    ///
    /// - Returns: `.done`, or a failure that names the file and what the system said.
    static func write(_ text: String, to path: String) -> CommandEnd {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return failure(path, errno) }
        do throws(OutputError) {
            try DescriptorWriter(descriptor: descriptor).write(text)
        } catch {
            close(descriptor)
            switch error {
            case .readerGone: return failure(path, EPIPE)
            case .failed(let code): return failure(path, code)
            }
        }
        // A network file system may report a full disk only now.
        return close(descriptor) == 0 ? .done : failure(path, errno)
    }

    private static func failure(_ path: String, _ code: Int32) -> CommandEnd {
        .failed("cannot write \(path): \(systemErrorText(code))")
    }
}
