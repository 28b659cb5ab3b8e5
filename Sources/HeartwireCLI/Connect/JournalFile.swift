import HeartwireSocket

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A client's journal in a file, as JSON Lines (promise J2).
final class JournalFile: Sendable {
    /// Why there is no journal.
    struct Problem: Error, Hashable, CustomStringConvertible {
        /// The file and what the system said, not yet escaped.
        let description: String

        fileprivate init(_ path: String, _ words: String) {
            description = "cannot write the journal \(path): \(words)"
        }
    }

    private let sink: LineSink
    private let failure: FailureRecord

    private init(_ sink: LineSink, _ failure: FailureRecord) {
        self.sink = sink
        self.failure = failure
    }

    /// Opens the file at `path` and puts the journal in place of what was there. It stays open until the end of
    /// the process.
    ///
    /// - Parameter tell: told at once when the journal cannot be written on.
    static func open(
        _ path: String, tell: @escaping @Sendable (String) -> Void
    ) -> Result<JournalFile, Problem> {
        let descriptor = systemOpen(path)
        guard descriptor >= 0 else { return .failure(Problem(path, systemErrorText(errno))) }
        let failure = FailureRecord()
        let sink = LineSink(DescriptorWriter(descriptor: descriptor)) { error in
            let words =
                switch error {
                case .readerGone: systemErrorText(EPIPE)
                case .failed(let code): systemErrorText(code)
                }
            let problem = Problem(path, words).description
            failure.words.withLock { $0 = problem }
            tell(problem)
        }
        return .success(JournalFile(sink, failure))
    }

    /// Why the journal could not be written to its end, not yet escaped; `nil` as long as it could.
    var problem: String? { failure.words.withLock { $0 } }

    /// Puts `line`, which has no line end, behind the others. Never waits.
    func append(_ line: String) {
        sink.append(line)
    }

    /// Returns when all has been written, or after `limit`.
    func finish(within limit: Duration) async {
        await sink.finish(within: limit)
    }
}

/// The failure, for two threads.
private final class FailureRecord: Sendable {
    let words = Locked<String?>(nil)
}

private func systemOpen(_ path: String) -> Int32 {
    open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
}
