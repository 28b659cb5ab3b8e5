import HeartwireSession

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// `poll(2)` with a pipe to be woken by: slower than epoll with many descriptors, but POSIX, so it
/// serves where there is no epoll and is tested on Linux as well.
final class PollPoller: Poller {
    private var watched: [pollfd] = []
    private var tokens: [UInt64] = []
    private var hasFound = false
    private var hasDeadline = false
    private let wakeReader: Int32
    private let wakeWriter: Int32

    init() throws(ConnectionFailure) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ConnectionFailure(.system, systemCode: errno) }
        (wakeReader, wakeWriter) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        add(wakeReader, token: .max, interest: .read)
    }

    deinit {
        close(wakeReader)
        close(wakeWriter)
    }

    /// The kernel has a copy of the list while it waits.
    var hearsOfChanges: Bool { false }

    func add(_ descriptor: Int32, token: UInt64, interest: Readiness) {
        watched.append(pollfd(fd: descriptor, events: Self.bits(interest), revents: 0))
        tokens.append(token)
    }

    func modify(_ descriptor: Int32, token: UInt64, interest: Readiness) {
        guard let index = watched.firstIndex(where: { $0.fd == descriptor }) else { return }
        watched[index].events = Self.bits(interest)
        tokens[index] = token
    }

    func remove(_ descriptor: Int32) {
        guard let index = watched.firstIndex(where: { $0.fd == descriptor }) else { return }
        watched.swapAt(index, watched.count - 1)
        tokens.swapAt(index, tokens.count - 1)
        watched.removeLast()
        tokens.removeLast()
    }

    func wait(until deadline: MonotonicInstant?, mayBlock: Bool) {
        let timeout = mayBlock ? Self.milliseconds(until: deadline) : 0
        hasDeadline = deadline != nil
        hasFound = poll(&watched, numericCast(watched.count), timeout) > 0
    }

    func report(_ ready: (_ token: UInt64, _ readiness: Readiness) -> Void) -> Bool {
        guard hasFound else { return hasDeadline }
        // A handler may add or remove descriptors, so what is ready is noted before any is told.
        var noted: [(UInt64, Readiness)] = []
        for (index, entry) in watched.enumerated() where entry.revents != 0 {
            if entry.fd == wakeReader {
                drainPipe()
            } else {
                noted.append((tokens[index], Self.readiness(entry.revents)))
            }
        }
        for (token, readiness) in noted { ready(token, readiness) }
        return hasDeadline
    }

    /// The time left in whole milliseconds, rounded up so that the wait does not end early.
    private static func milliseconds(until deadline: MonotonicInstant?) -> Int32 {
        guard let deadline else { return -1 }
        let left = SystemClock.now().duration(to: deadline)
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        guard seconds < 86_400 else { return 86_400_000 }
        return Int32(seconds) * 1_000
            + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    private static func bits(_ interest: Readiness) -> Int16 {
        var bits: Int16 = 0
        if interest.contains(.read) { bits |= Int16(POLLIN) }
        if interest.contains(.write) { bits |= Int16(POLLOUT) }
        return bits
    }

    private static func readiness(_ bits: Int16) -> Readiness {
        var readiness: Readiness = []
        if bits & Int16(POLLIN) != 0 { readiness.insert(.read) }
        if bits & Int16(POLLOUT) != 0 { readiness.insert(.write) }
        if bits & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { readiness.insert(.hangup) }
        return readiness
    }

    private func drainPipe() {
        var sink = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        while withUnsafeMutableBytes(of: &sink, { read(wakeReader, $0.baseAddress, $0.count) }) > 0
        {}
    }

    func wake() {
        var one: UInt8 = 1
        _ = write(wakeWriter, &one, 1)
    }
}
