import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tells that the reader of an output has gone while nothing is written there: a command that waits for its peer would not
/// hear of it before the next write, which may never come (`heartwire … | head -1`).
enum ReaderWatch {
    /// One element once nobody can read any more what `writer` writes; none for a file, which has no reader.
    ///
    /// The thread that waits ends with the iteration, and the descriptor may be closed soon after.
    static func departure(from writer: DescriptorWriter) -> AsyncStream<Void> {
        let (stream, sink) = AsyncStream.makeStream(of: Void.self)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return stream }
        let (stopped, stop) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        sink.onTermination = { _ in close(stop) }
        DispatchQueue(label: "heartwire.reader").async {
            if hasGone(writer.descriptor, stopped: stopped) { sink.yield() }
            sink.finish()
            close(stopped)
        }
        return stream
    }

    /// Waits for the reader of `descriptor` to go; `false` when the writing end behind `stopped` is closed before.
    private static func hasGone(_ descriptor: Int32, stopped: Int32) -> Bool {
        while true {
            var requests = [
                pollfd(fd: descriptor, events: 0, revents: 0),
                pollfd(fd: stopped, events: 0, revents: 0),
            ]
            let count = poll(&requests, nfds_t(requests.count), -1)
            if count < 0, errno == EINTR { continue }
            guard count > 0, requests[1].revents == 0 else { return false }
            return Int32(requests[0].revents) & (POLLERR | POLLHUP) != 0
        }
    }
}
