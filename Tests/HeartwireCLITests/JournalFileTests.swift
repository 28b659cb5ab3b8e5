import Foundation
import HeartwireSocket
import Testing

@testable import HeartwireCLI

/// What was told, for two threads.
private final class Told: Sendable {
    let lines = Locked<[String]>([])
}

@Suite("JournalFile")
struct JournalFileTests {
    @Test("J2: events are lines of JSON in place of what the file held")
    func lines() async throws {
        let path = NSTemporaryDirectory() + "heartwire-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try "old\n".write(toFile: path, atomically: true, encoding: .utf8)
        let journal = try JournalFile.open(path, tell: { _ in }).get()
        journal.append("{}")
        journal.append("{\"a\":1}")
        await journal.finish(within: .seconds(10))
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text == "{}\n{\"a\":1}\n")
        #expect(journal.problem == nil)
    }

    @Test("a file that cannot be opened is a problem that names it and what the system said")
    func unopened() {
        #expect(throws: JournalFile.Problem.self) {
            try JournalFile.open("/nonexistent/j", tell: { _ in }).get()
        }
        guard case .failure(let problem) = JournalFile.open("/", tell: { _ in }) else {
            Issue.record("a directory was opened")
            return
        }
        #expect("\(problem)" == "cannot write the journal /: Is a directory")
    }

    @Test("a full disk is told when it is met, and known at the end", .enabled(if: hasFullDevice))
    func full() async throws {
        let told = Told()
        let journal = try JournalFile.open(
            "/dev/full", tell: { line in told.lines.withLock { $0 += [line] } }
        ).get()
        journal.append("{}")
        await journal.finish(within: .seconds(10))
        let problem = "cannot write the journal /dev/full: No space left on device"
        #expect(told.lines.withLock { $0 } == [problem])
        #expect(journal.problem == problem)
    }
}

private let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")
