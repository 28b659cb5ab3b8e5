import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Turns the first SIGINT, SIGTERM or SIGHUP into a call and lets the second end the process at once (field case
/// K12-07), whatever the rest of the program is blocked in. A terminal that goes sends SIGHUP more than once, by its
/// shell and by the kernel, so that one never counts as the second.
///
/// The handler does no more than POSIX allows in one: it counts, and writes the signal's number into a pipe. A
/// thread that waits at the other end makes the call.
enum SignalWatch {
    /// Begins to watch, once in a process; later calls change nothing. Also watches when the signals were ignored
    /// before, as a shell does for what it starts with `&`; but a SIGHUP that is ignored stays so, for that is what
    /// `nohup` is for.
    ///
    /// - Parameter onFirst: asks the program to close in order. Called once, on a thread of its own.
    /// - Returns: whether the watch began now.
    @discardableResult
    static func begin(onFirst: @escaping @Sendable (StopSignal) -> Void) -> Bool {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        let (readEnd, writeEnd) = (ends[0], ends[1])
        guard handlerState.claim(writeEnd: writeEnd) else {
            close(readEnd)
            close(writeEnd)
            return false
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        DispatchQueue(label: "heartwire.signals").async {
            if let signal = firstSignal(from: readEnd) { onFirst(signal) }
        }
        for signal in StopSignal.allCases where signal != .hangUp || !isIgnored(signal.rawValue) {
            install(signal)
        }
        return true
    }

    /// The same, and the process ends with the signal's status where the orderly end has not come within `limit`, which is
    /// asked for when the signal comes: whatever the program is blocked in, such as a write that nobody reads, one signal
    /// is enough.
    static func begin(
        endingWithin limit: @autoclosure @escaping @Sendable () -> Duration,
        onFirst: @escaping @Sendable (StopSignal) -> Void
    ) {
        begin { signal in
            let limit = limit()
            onFirst(signal)
            // On the watch's own thread, which has nothing else to do.
            var left = max(0, limit.milliseconds)
            while left > 0 {
                let step = min(left, longestSleep)
                usleep(UInt32(step * 1_000))
                left -= step
            }
            _exit(ExitStatus.stopped(by: signal).rawValue)
        }
    }

    /// The first signal as a sequence of one. Begins to watch.
    ///
    /// - Parameter limit: how long the orderly end may take, see ``begin(endingWithin:onFirst:)``.
    static func signals(
        endingWithin limit: @autoclosure @escaping @Sendable () -> Duration
    ) -> AsyncStream<StopSignal> {
        let (stream, sink) = AsyncStream.makeStream(
            of: StopSignal.self, bufferingPolicy: .bufferingOldest(1))
        begin(endingWithin: limit()) { sink.yield($0) }
        return stream
    }

    /// Whether the process was started with this signal ignored, or ignores it since.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Glibc)
            let handler = action.__sigaction_handler.sa_handler
        #else
            let handler = action.__sigaction_u.__sa_handler
        #endif
        // The constant is not imported everywhere.
        return unsafeBitCast(handler, to: Int.self) == 1
    }

    private static func install(_ stop: StopSignal) {
        // `signal` would do, but it does not promise that interrupted calls go on.
        var action = sigaction()
        #if canImport(Glibc)
            action.__sigaction_handler.sa_handler = handleStopSignal
        #else
            action.__sigaction_u.__sa_handler = handleStopSignal
        #endif
        action.sa_flags = SA_RESTART
        sigemptyset(&action.sa_mask)
        sigaction(stop.rawValue, &action, nil)
    }

    private static func firstSignal(from descriptor: Int32) -> StopSignal? {
        var number: UInt8 = 0
        while true {
            let count = read(descriptor, &number, 1)
            if count == 1 { return StopSignal(rawValue: Int32(number)) }
            guard count == -1, errno == EINTR else { return nil }
        }
    }
}

/// What the handler may touch: two words that are read and written without a lock. Made before
/// the handler is installed, so that reaching it there initialises nothing.
final class HandlerState: Sendable {
    private let endProcess: @Sendable (Int32) -> Void
    private let count = Atomic<Int>(0)
    private let writeEnd = Atomic<Int32>(-1)

    /// Begins with no signal seen. `endProcess` ends the process without running anything more.
    init(endProcess: @escaping @Sendable (Int32) -> Void = { _exit($0) }) {
        self.endProcess = endProcess
    }

    /// Takes the pipe; `false` when there is one already.
    func claim(writeEnd descriptor: Int32) -> Bool {
        writeEnd.compareExchange(
            expected: -1, desired: descriptor, ordering: .sequentiallyConsistent
        ).exchanged
    }

    /// Passes the first signal on and ends the process at a later one, unless that is a SIGHUP. Safe in a signal
    /// handler.
    func arrived(_ number: Int32) {
        let earlier = count.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
        guard earlier == 0 else {
            return number == SIGHUP ? () : endProcess(128 + number)
        }
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(writeEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
    }
}

/// The most milliseconds for which the watch sleeps at a time: one call cannot sleep for hours.
private let longestSleep = 1_000

private let handlerState = HandlerState()

private func handleStopSignal(_ number: Int32) {
    let saved = errno
    handlerState.arrived(number)
    errno = saved
}
