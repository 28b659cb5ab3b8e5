/// The arguments of `heartwire autobahn`.
struct AutobahnOptions: Sendable, Hashable {
    /// Where the suite's fuzzing server listens, without a trailing slash.
    var url: String
    /// The name under which the suite files its report.
    var agent: String
    /// The cases to run, by their ids; empty for all that the suite has selected.
    var cases: [String]
    /// How long one case may take before the connection is closed from this side.
    var caseTimeout: Duration

    private static let agentOption = Option.text(
        "agent", "NAME", "The name of the report. Default: heartwire.")
    private static let casesOption = Option.list(
        "cases", "IDS", "Run only these, such as 9.1.1,9.1.2. Default: all that the suite offers.")
    private static let timeoutOption = Option.duration(
        "case-timeout", default: .seconds(300), "Give a case up after this time.")

    static let spec = CommandSpec(
        name: "autobahn",
        summary: "Is the client under test for Autobahn's fuzzing server.",
        positionals: [
            .init(
                placeholder: "URL", help: "The fuzzing server, such as ws://127.0.0.1:9001.",
                isRequired: true)
        ],
        options: [agentOption.spec, casesOption.spec, timeoutOption.spec],
        discussion: """
            Asks the fuzzing server how many cases it has, runs one after another by echoing
            every message through the public client until the connection ends, and asks for the
            report. What the client makes of each case is in that report, not in the exit status.

            \(ExitStatus.helpText)
            """)

    /// Reads the values.
    ///
    /// - Throws: ``UsageError`` for a value that does not fit.
    init(_ parsed: ParsedArguments) throws(UsageError) {
        guard let word = parsed.positionals.first else {
            throw UsageError("URL is missing", command: "autobahn")
        }
        var base = word[...]
        while base.hasSuffix("/") { base.removeLast() }
        guard !base.contains("?") else {
            throw UsageError("give URL without a query", command: "autobahn")
        }
        url = String(base)
        _ = try webSocketURL(url, command: "autobahn")
        agent = try parsed.value(of: Self.agentOption) ?? "heartwire"
        cases = try parsed.value(of: Self.casesOption)
        caseTimeout = try parsed.value(of: Self.timeoutOption)
        if let wrong = cases.first(where: { !Self.isCase($0) }) {
            throw UsageError(
                "'\(displaySafe(wrong))' is no case: give an id such as 9.1.1",
                command: "autobahn")
        }
    }

    /// Numbers with dots between them.
    private static func isCase(_ word: String) -> Bool {
        word.split(separator: ".", omittingEmptySubsequences: false).allSatisfy {
            !$0.isEmpty && $0.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
        }
    }
}
