import Dispatch
import HeartwireSocket

/// Takes lines from callers that must not wait, such as an event loop, and writes them in order on a thread of its
/// own.
///
/// What waits to be written is bounded: while the bound is reached, lines are dropped and counted, and the
/// count is written as a line in their place.
final class LineSink: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
        var isHeld: Bool
        var isWriting = false
        var hasFailed = false
    }

    /// The most bytes that wait, but for the last line.
    static let maximumWaitingBytes = 1 << 20

    private let writer: DescriptorWriter
    private let wordsForDropped: @Sendable (Int) -> String
    private let state: Locked<State>
    private let onFailure: @Sendable (OutputError) -> Void
    // Of our own: its thread may block in a write.
    private let queue = DispatchQueue(label: "heartwire.lines")

    /// Writes to where `writer` does.
    ///
    /// - Parameters:
    ///   - isHeld: whether lines wait until ``release()``.
    ///   - wordsForDropped: the line that stands for so many that were dropped.
    ///   - onFailure: called once, on a thread of its own, when a write has failed; nothing is written after that.
    init(
        _ writer: DescriptorWriter, isHeld: Bool = false,
        wordsForDropped: @escaping @Sendable (Int) -> String = { "{\"dropped_lines\":\($0)}" },
        onFailure: @escaping @Sendable (OutputError) -> Void
    ) {
        self.writer = writer
        self.wordsForDropped = wordsForDropped
        self.onFailure = onFailure
        state = Locked(State(isHeld: isHeld))
    }

    /// Puts `line`, which has no line end, behind the others. Never waits.
    func append(_ line: String) {
        let begins = state.withLock { state in
            guard !state.hasFailed else { return false }
            guard state.waiting.count < Self.maximumWaitingBytes else {
                state.dropped += 1
                return false
            }
            noteDropped(&state)
            state.waiting += line.utf8
            state.waiting.append(0x0A)
            return Self.begins(&state)
        }
        if begins { queue.async { self.write() } }
    }

    /// Lets go the lines that were held.
    func release() {
        let begins = state.withLock { state in
            state.isHeld = false
            return Self.begins(&state)
        }
        if begins { queue.async { self.write() } }
    }

    /// Returns when all that was appended has been written, or after `limit`, where there is one: a reader that has
    /// stopped reading does not keep the program alive.
    func finish(within limit: Duration?) async {
        state.withLock { noteDropped(&$0) }
        release()
        let (ends, sink) = AsyncStream.makeStream(of: Void.self)
        queue.async { sink.yield() }
        if let limit {
            DispatchQueue.global().asyncAfter(
                deadline: .now() + .milliseconds(max(0, limit.milliseconds))
            ) { sink.yield() }
        }
        for await _ in ends { return }
    }

    private func noteDropped(_ state: inout State) {
        guard state.dropped > 0 else { return }
        state.waiting += "\(wordsForDropped(state.dropped))\n".utf8
        state.dropped = 0
    }

    private static func begins(_ state: inout State) -> Bool {
        guard !state.isHeld, !state.isWriting, !state.waiting.isEmpty else { return false }
        state.isWriting = true
        return true
    }

    private func write() {
        while true {
            let piece = state.withLock { state in
                let piece = state.waiting
                state.waiting = []
                state.isWriting = !piece.isEmpty
                return piece
            }
            guard !piece.isEmpty else { return }
            do throws(OutputError) {
                try writer.write(piece)
            } catch {
                state.withLock { state in
                    state.hasFailed = true
                    state.waiting = []
                    state.isWriting = false
                }
                return onFailure(error)
            }
        }
    }
}
