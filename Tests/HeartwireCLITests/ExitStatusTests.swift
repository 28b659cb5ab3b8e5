import Testing

@testable import HeartwireCLI

@Suite("ExitStatus")
struct ExitStatusTests {
    @Test(
        "K12-01: the status is 0 only for what went well; misuse is 2, a failure 1 or its kind's own"
    )
    func statuses() {
        #expect(exitStatus(for: .done).rawValue == 0)
        #expect(exitStatus(for: .failed("connection refused")).rawValue == 1)
        #expect(exitStatus(for: .failed("no pong", as: .timedOut)).rawValue == 7)
        #expect(exitStatus(for: .misused(UsageError("x"))).rawValue == 2)
    }

    @Test("K12-01: each kind of end has a status of its own, which the help text of connect lists")
    func kinds() {
        let kinds: [HeartwireCLI.ExitStatus] = [
            .success, .failure, .usage, .insecure, .refused, .protocolBroken,
            .closedAbnormally, .timedOut,
        ]
        #expect(kinds.map(\.rawValue) == Array(0...7))
        for kind in kinds {
            #expect(HeartwireCLI.ExitStatus.connectHelpText.contains("\n  \(kind.rawValue)    "))
        }
        #expect(!HeartwireCLI.ExitStatus.helpText.contains("\n  3"))
        #expect(HeartwireCLI.ExitStatus.connectHelpText.contains("\n  130  stopped"))
    }

    @Test("K12-07: a signal's status is 128 and its number")
    func signals() {
        #expect(exitStatus(for: .stopped(.hangUp)).rawValue == 129)
        #expect(exitStatus(for: .stopped(.interrupt)).rawValue == 130)
        #expect(exitStatus(for: .stopped(.terminate)).rawValue == 143)
    }

    @Test("a broken pipe ends a command cleanly, a full disk does not")
    func output() {
        #expect(ended(by: .readerGone) == .done)
        #expect(ended(by: .failed(28)) != .done)
    }
}
