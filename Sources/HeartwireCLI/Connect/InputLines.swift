/// The lines of an input as a sequence, read no faster than they are taken (field case K12-05): apart from the
/// line that is under way, at most the lines of one piece wait.
///
/// Ends when the input does or when the task is cancelled; throws behind the last good line.
struct InputLines: AsyncSequence, Sendable {
    typealias Element = [UInt8]
    typealias Failure = InputError

    private let reader: ChunkReader
    private let maximumLineBytes: Int
    /// Counts the lines as they are read, ahead of being taken.
    let ledger: LineLedger

    /// The lines of at most `maximumLineBytes` bytes that `reader` brings. They can be had once.
    init(_ reader: ChunkReader, maximumLineBytes: Int, ledger: LineLedger = LineLedger()) {
        self.reader = reader
        self.maximumLineBytes = maximumLineBytes
        self.ledger = ledger
    }

    /// Begins to take lines.
    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            reader: reader, splitter: LineSplitter(maximumBytes: maximumLineBytes), ledger: ledger)
    }

    /// Counts what is there and was not asked for, when nobody asks any more: it is lost like what was read. An input that
    /// goes on is counted in part.
    func countRest() {
        guard !ledger.hasEnded else { return }
        switch reader.takeRest() {
        case .bytes(let bytes): ledger.noteUnsent(bytes, readingOnFrom: reader)
        case .end: if ledger.isWithinLine { ledger.noteRead(1) }
        case .failed, .cancelled, nil: break
        }
    }

    /// Takes one line after the other.
    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reader: ChunkReader
        fileprivate var splitter: LineSplitter
        fileprivate let ledger: LineLedger
        private var lines: ArraySlice<[UInt8]> = []
        private var ending: Ending?

        /// What follows when no line waits any more.
        private enum Ending {
            case end
            case failed(InputError)
        }

        fileprivate init(reader: ChunkReader, splitter: LineSplitter, ledger: LineLedger) {
            self.reader = reader
            self.splitter = splitter
            self.ledger = ledger
        }

        /// The next line.
        mutating func next() async throws(InputError) -> [UInt8]? {
            try await next(isolation: nil)
        }

        /// The next line, on the executor of `actor`.
        mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(InputError) -> [UInt8]? {
            while lines.isEmpty {
                switch ending {
                case .end: return nil
                case .failed(let error):
                    // A sequence that threw is over.
                    ending = .end
                    throw error
                case nil: take(await reader.next())
                }
            }
            return lines.popFirst()
        }

        private mutating func take(_ chunk: ChunkReader.Chunk) {
            let before = splitter.count
            defer {
                ledger.noteRead(splitter.count - before, isWithinLine: splitter.isWithinLine)
            }
            switch chunk {
            case .bytes(let bytes):
                let (complete, isTooLong) = splitter.append(bytes)
                lines = complete[...]
                guard isTooLong else { return }
                let limit = splitter.maximumBytes
                // What stands behind it is not sent either.
                ledger.noteUnsent(bytes, behind: complete.count, readingOnFrom: reader)
                ending = .failed(.lineTooLong(line: splitter.count + 1, limit: limit))
            case .end:
                if let last = splitter.finish() { lines = [last] }
                ledger.noteEnd()
                ending = .end
            case .failed(let code):
                ending = .failed(.failed(code))
            case .cancelled:
                ending = .end
            }
        }
    }
}

extension LineLedger {
    /// Counts the lines of a piece that will not be sent, but for the first `known` ones, and looks whether more follows.
    fileprivate func noteUnsent(
        _ bytes: [UInt8], behind known: Int = 0, readingOnFrom reader: ChunkReader
    ) {
        let ends = bytes.count { $0 == 0x0A } - known
        noteRead(bytes.last == 0x0A ? ends : ends + 1)
        if case .bytes? = reader.takeRest() { noteMore() }
    }
}
