import Dispatch
import HeartwireSocket

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads a file descriptor piece by piece on a thread of its own, only when asked: who does not ask for the
/// next piece does not have it read, so that a fast input waits for a slow connection.
final class ChunkReader: Sendable {
    /// What one read gave.
    enum Chunk: Sendable, Hashable {
        /// Some bytes, at least one.
        case bytes([UInt8])
        /// The input is at its end.
        case end
        /// The system refused, with this `errno`.
        case failed(Int32)
        /// The task that asked was cancelled; what is being read is kept for whoever asks next.
        case cancelled
    }

    /// One reader at a time asks: `waiter` is the one, `isReading` tells that the thread is in a read, and
    /// `kept` holds what a cancelled reader left behind.
    private struct State {
        var waiter: Handover<Chunk>?
        var isReading = false
        var kept: Chunk?
    }

    private let descriptor: Int32
    private let size: Int
    // A read blocks, so it must not take a thread of the shared pool: a queue of our own overcommits.
    private let queue = DispatchQueue(label: "heartwire.input")
    private let state = Locked(State())

    /// Reads `descriptor`, which it does not own, at most `size` bytes at once.
    init(descriptor: Int32, size: Int = 65_536) {
        self.descriptor = descriptor
        self.size = size
    }

    /// The next piece. Only one task may wait at a time; a second one is told `cancelled`.
    func next() async -> Chunk {
        await withTaskCancellationHandler {
            await withHandover { handover in
                if let chunk = register(handover) { handover.resume(returning: chunk) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiter.take() }
            waiter?.resume(returning: .cancelled)
        }
    }

    /// Answers what can be answered at once, and otherwise sees to it that a read is under way.
    private func register(_ handover: Handover<Chunk>) -> Chunk? {
        let (answer, begins) = state.withLock { state -> (Chunk?, Bool) in
            // Asked under the lock: a cancellation before it is seen here, one after it finds the waiter.
            guard !Task.isCancelled, state.waiter == nil else { return (.cancelled, false) }
            if let kept = state.kept.take() { return (kept, false) }
            state.waiter = handover
            defer { state.isReading = true }
            return (nil, !state.isReading)
        }
        if begins {
            queue.async { self.deliver(self.read()) }
        }
        return answer
    }

    private func deliver(_ chunk: Chunk) {
        let waiter = state.withLock { state in
            state.isReading = false
            if state.waiter == nil { state.kept = chunk }
            return state.waiter.take()
        }
        waiter?.resume(returning: chunk)
    }

    /// What can be read without waiting, when nobody asks any more; `nil` when nothing can.
    func takeRest() -> Chunk? {
        // A read that has begun and finds something is through in a moment.
        for _ in 0..<100 {
            let (kept, isReading) = state.withLock { ($0.kept.take(), $0.isReading) }
            if let kept { return kept }
            guard isReadable(within: 0) else { return nil }
            if !isReading { return read() }
            usleep(1_000)
        }
        return nil
    }

    private func read() -> Chunk {
        while true {
            var count = 0
            var code: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
                count = systemRead(descriptor, buffer.baseAddress, size)
                code = errno
                initialized = max(0, count)
            }
            if count > 0 { return .bytes(bytes) }
            if count == 0 { return .end }
            switch code {
            case EINTR: continue
            case EAGAIN: waitUntilReadable()
            default: return .failed(code)
            }
        }
    }

    /// A terminal that somebody else made non-blocking is waited for.
    private func waitUntilReadable() {
        _ = isReadable(within: -1)
    }

    private func isReadable(within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, milliseconds) > 0
    }
}

private func systemRead(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int
) -> Int {
    #if canImport(Glibc)
        Glibc.read(descriptor, buffer, count)
    #else
        Darwin.read(descriptor, buffer, count)
    #endif
}
