import Testing

@testable import HeartwireCLI

@Suite("ExitStatus")
struct ExitStatusTests {
    @Test("K12-01: the status is 0 only for what went well; misuse is 2 and every failure is 1")
    func statuses() {
        #expect(exitStatus(for: .done).rawValue == 0)
        #expect(exitStatus(for: .failed("connection refused")).rawValue == 1)
        #expect(exitStatus(for: .misused(UsageError("x"))).rawValue == 2)
    }

    @Test("K12-07: a signal's status is 128 and its number")
    func signals() {
        #expect(exitStatus(for: .stopped(.interrupt)).rawValue == 130)
        #expect(exitStatus(for: .stopped(.terminate)).rawValue == 143)
    }

    @Test("a broken pipe ends a command cleanly, a full disk does not")
    func output() {
        #expect(ended(by: .readerGone) == .done)
        #expect(ended(by: .failed(28)) != .done)
    }
}
