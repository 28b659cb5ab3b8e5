// Clients that are told from outside what to do next, so that what a stretch costs can be read between two lines.
//
// usage: BenchInstruments paced URL SIZE WINDOW [KIND] [CONSUMERS] [PLACE] [CA-FILE]
//        BenchInstruments crowd URL COUNT [INTERVAL-MILLISECONDS]
//
// Prints a line when it is ready, then takes commands from the standard input, one a line, and answers each with a
// line. The end of the input ends it.
import Foundation

@main
enum Instruments {
    static func main() async {
        do {
            let order = try InstrumentOrder(Array(CommandLine.arguments.dropFirst()))
            let commands = CommandLines()
            switch order {
            case .paced(let load): try await PacedClient.run(load, commands, say: say)
            case .crowd(let load): try await Crowd.run(load, commands, say: say)
            }
        } catch {
            FileHandle.standardError.write(Data("BenchInstruments: \(error)\n".utf8))
            exit(error is InstrumentMisuse ? 2 : 1)
        }
    }
}

/// Prints a line at once, also into a pipe.
@Sendable func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

/// What came over the standard input, read by a thread of its own: it blocks.
struct CommandLines: AsyncSequence {
    typealias Element = String

    private let lines: AsyncStream<String>

    init() {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
    }

    /// Lines that are known already, for tests.
    init(_ known: [String]) {
        lines = AsyncStream { continuation in
            for line in known { continuation.yield(line) }
            continuation.finish()
        }
    }

    func makeAsyncIterator() -> AsyncStream<String>.Iterator {
        lines.makeAsyncIterator()
    }
}
