import HeartwireProtocol
import HeartwireSession

/// `heartwire autobahn`: the client under test (promise P1).
struct AutobahnCommand: Sendable {
    /// Connects to a URL, treats messages as `mode` says, and answers when the session has stopped.
    typealias Visit = @Sendable (_ url: String, _ mode: Mode) async throws -> AutobahnVisit

    /// What is done with the messages of a connection.
    enum Mode: Sendable, Hashable {
        /// Each goes back as it came.
        case echo
        /// They are kept.
        case collect
    }

    /// What the command line asked for.
    let options: AutobahnOptions
    /// How a connection is made; the public client, but for tests.
    let visit: Visit
    /// Where the result goes.
    var output = DescriptorWriter.standardOutput
    /// Where the progress goes.
    var diagnostics = DescriptorWriter.standardError

    /// A suite with more cases than this is none.
    private static let caseLimit = 100_000

    /// Runs the cases and asks for the report.
    func run() async -> CommandEnd {
        let pages = AutobahnPages(base: options.url, agent: options.agent)
        do {
            let cases = try await selection(pages)
            var line = ProgressLine(
                writer: diagnostics,
                isShown: Terminal(descriptor: diagnostics.descriptor).isInteractive)
            for (index, selected) in cases.enumerated() {
                line.show("[\(index + 1)/\(cases.count)] case \(selected)")
                defer { line.erase() }
                try await reach(pages.run(selected), .echo)
                guard !Task.isCancelled else { return .done }
            }
            try await reach(pages.updateReports, .collect)
            return printed("\(cases.count) cases run as \(options.agent)\n", to: output)
        } catch {
            return .failed("\(error)")
        }
    }

    private func selection(_ pages: AutobahnPages) async throws -> [AutobahnCase] {
        guard options.cases.isEmpty else { return options.cases.map(AutobahnCase.id) }
        let visit = try await reach(pages.caseCount, .collect)
        guard case .text(let text)? = visit.messages.first, let count = Int(text),
            (1...Self.caseLimit).contains(count)
        else { throw AutobahnFault.noCount }
        return (1...count).map(AutobahnCase.number)
    }

    /// Visits a page. How a connection ends is the suite's affair; that there is one at all is not.
    @discardableResult
    private func reach(_ url: String, _ mode: Mode) async throws -> AutobahnVisit {
        let visit = try await visit(url, mode)
        switch visit.cause {
        case .connectFailed, .refused, .badHandshake, .connectTimeout, .requestFailed:
            throw AutobahnFault.unreachable(visit.cause.map { "\($0)" } ?? "")
        case nil, .closedByApp, .closedByPeer, .heartbeatTimeout, .protocolViolation,
            .connectionLost:
            return visit
        }
    }
}

/// What came of one connection to the suite.
struct AutobahnVisit: Sendable, Hashable {
    /// The messages, if they were kept.
    var messages: [Message] = []
    /// Why the connection ended; `nil` if that is not known.
    var cause: CloseCause?
}

/// Why the cases could not be run.
enum AutobahnFault: Error, Sendable, Hashable, CustomStringConvertible {
    case unreachable(String)
    case noCount

    var description: String {
        switch self {
        case .unreachable(let words): "no connection to the suite: \(words)"
        case .noCount: "the suite does not say how many cases it has"
        }
    }
}
