import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import Testing

@testable import HeartwireCLI

/// A suite that notes which page was visited how, and answers as it is told.
private final class Suite: Sendable {
    let visits = Locked<[String]>([])
    let answer: @Sendable (String) -> AutobahnVisit

    init(_ answer: @escaping @Sendable (String) -> AutobahnVisit) {
        self.answer = answer
    }

    func run(_ words: String...) async throws -> (end: CommandEnd, output: String) {
        guard
            case .autobahn(let options) = try CommandRequest(
                arguments: ["autobahn", "ws://s"] + words)
        else { throw UsageError("no request to run the suite") }
        let (output, diagnostics) = (TestPipe(), TestPipe())
        let command = AutobahnCommand(
            options: options,
            visit: { url, mode in
                self.visits.withLock { $0.append("\(mode) \(url.dropFirst(7))") }
                return self.answer(url)
            }, output: output.writer, diagnostics: diagnostics.writer)
        let end = await command.run()
        #expect(diagnostics.finish().isEmpty)
        return (end, output.finish())
    }
}

private func count(_ text: String) -> AutobahnVisit {
    AutobahnVisit(messages: [.text(text)], cause: .closedByPeer(PeerClose(code: 1000)))
}

@Suite struct AutobahnCommandTests {
    @Test("P1: as many cases are run as the suite counts, and then the report is asked for")
    func all() async throws {
        let suite = Suite { $0.hasSuffix("getCaseCount") ? count("3") : AutobahnVisit() }
        let (end, output) = try await suite.run()
        #expect(end == .done)
        #expect(output == "3 cases run as heartwire\n")
        #expect(
            suite.visits.withLock { $0 } == [
                "collect getCaseCount", "echo runCase?case=1&agent=heartwire",
                "echo runCase?case=2&agent=heartwire", "echo runCase?case=3&agent=heartwire",
                "collect updateReports?agent=heartwire",
            ])
    }

    @Test("Cases that are named are run without asking for a count")
    func some() async throws {
        let suite = Suite { _ in AutobahnVisit() }
        let (end, output) = try await suite.run("--cases=9.1.1", "--agent=x")
        #expect(end == .done)
        #expect(output == "1 cases run as x\n")
        #expect(
            suite.visits.withLock { $0 } == [
                "echo runCase?casetuple=9.1.1&agent=x", "collect updateReports?agent=x",
            ])
    }

    @Test("A case may end in any way that needs a connection")
    func endings() async throws {
        let violation = ProtocolViolation(
            closeCode: .protocolError, clause: "5.2", expected: "zero", seen: "one")
        let causes: [CloseCause] = [
            .protocolViolation(violation), .connectionLost(ConnectionFailure(.endOfStream)),
            .closedByApp(sent: 1000, answer: nil), .heartbeatTimeout,
        ]
        for cause in causes {
            let suite = Suite {
                $0.contains("runCase") ? AutobahnVisit(cause: cause) : count("2")
            }
            #expect(try await suite.run().end == .done)
        }
    }

    @Test("A suite that cannot be reached ends the run, whenever that is")
    func unreachable() async throws {
        let refused = AutobahnVisit(cause: .connectFailed(ConnectionFailure(.refused)))
        let gone = Suite { _ in refused }
        #expect(
            try await gone.run().end
                == .failed(
                    "no connection to the suite: cannot connect: connection refused"))
        let going = Suite { $0.contains("case=2") ? refused : count("3") }
        let (end, output) = try await going.run()
        #expect(end != .done)
        #expect(output.isEmpty)
        #expect(going.visits.withLock { $0.count } == 3)
    }

    @Test("What is no count is not taken for one")
    func noCount() async throws {
        for text in ["", "x", "0", "-1", "100001", "1 2"] {
            let suite = Suite { _ in count(text) }
            #expect(
                try await suite.run().end
                    == .failed("the suite does not say how many cases it has"))
        }
        let silent = Suite { _ in AutobahnVisit(messages: [.binary([0x33])]) }
        #expect(try await silent.run().end != .done)
    }
}
