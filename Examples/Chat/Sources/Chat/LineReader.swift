import Dispatch

/// Reads the standard input line by line, each only when it is asked for.
///
/// A read blocks, so it has a thread of its own and none of the shared pool's.
final class LineReader: Sendable {
    private let queue = DispatchQueue(label: "chat.input")

    /// The next line; `nil` at the end of the input.
    func next() async -> String? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: readLine()) }
        }
    }
}
