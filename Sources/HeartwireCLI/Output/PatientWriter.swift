import Dispatch
import HeartwireSocket

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes for tasks: while a slow reader makes a write wait, no thread of the shared pool waits with it, so that the
/// first signal is still heard (field case K12-07).
final class PatientWriter: Sendable {
    /// What a pipe with room takes at once without blocking (POSIX `PIPE_BUF` is no less than this anywhere).
    private static let unblockedBytes = 512

    private let writer: DescriptorWriter
    // A queue of our own overcommits: its blocked thread is one more, not one fewer.
    private let queue = DispatchQueue(label: "heartwire.output")

    /// Writes to where `writer` does.
    init(_ writer: DescriptorWriter) {
        self.writer = writer
    }

    /// Writes all of `bytes`. One task at a time.
    ///
    /// - Throws: ``OutputError``; some of the bytes may have been written then.
    func write(_ bytes: [UInt8]) async throws(OutputError) {
        if bytes.count <= Self.unblockedBytes, isWritable {
            return try writer.write(bytes)
        }
        let result: Result<Void, OutputError> = await withHandover { handover in
            queue.async { [writer] in
                handover.resume(
                    returning: Result { () throws(OutputError) in try writer.write(bytes) })
            }
        }
        try result.get()
    }

    private var isWritable: Bool {
        var request = pollfd(fd: writer.descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&request, 1, 0) == 1
    }
}
