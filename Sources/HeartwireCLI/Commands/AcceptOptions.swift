import HeartwireProtocol

/// The arguments of `heartwire accept`.
struct AcceptOptions: Sendable, Hashable {
    /// Where a report goes.
    enum Destination: Sendable, Hashable {
        /// To the standard output, in place of the table.
        case standardOutput
        /// To a file of this path.
        case file(String)
    }

    /// The endpoint to test against; `nil` is the one inside the command.
    var url: WebSocketURL?
    /// Whether `url` is a server that cannot be told how to behave.
    var isAnyServer: Bool
    /// Whether the list runs in virtual time.
    var isVirtual: Bool
    /// The scenarios to run; empty is all.
    var only: [String]
    /// Whether to print the scenarios instead of running them.
    var isList: Bool
    /// The heartbeat's interval.
    var interval: Duration
    /// The heartbeat's timeout.
    var timeout: Duration
    /// How long one scenario may take, in real time.
    var scenarioTimeout: Duration
    /// Where the JSON report goes.
    var json: Destination?
    /// Where the JUnit report goes.
    var junit: Destination?
    /// Where the HTML report goes.
    var html: Destination?

    private static let urlOption = Option.text(
        "url", "URL", "Test against this heartwire endpoint instead of the one inside the command.")
    private static let anyServerOption = Option.flag(
        "any-server",
        "The server at --url is no heartwire endpoint: skip what it would have to be told.")
    private static let virtualOption = Option.flag(
        "virtual", "Run the list in virtual time: it takes milliseconds and no network.")
    private static let onlyOption = Option.list(
        "only", "ID,…", "Run these scenarios, in the order of the list.")
    private static let listOption = Option.flag("list", "Print the scenarios and run none.")
    private static let intervalOption = Option.duration(
        "interval", default: .milliseconds(100), "The heartbeat's interval.")
    private static let timeoutOption = Option.duration(
        "timeout", default: .milliseconds(300), "How long a pong may take.")
    private static let scenarioTimeoutOption = Option.duration(
        "scenario-timeout", default: .seconds(30), "A scenario that takes longer has failed.")
    private static let jsonOption = Option.optionalText(
        "json", "FILE", implied: "-", "Write the JSON report to FILE; '-' is the standard output.")
    private static let junitOption = Option.optionalText(
        "junit", "FILE", implied: "-", "Write a JUnit report to FILE; '-' is the standard output.")
    private static let htmlOption = Option.optionalText(
        "html", "FILE", implied: "-", "Write a report for a browser to FILE; '-' as above.")

    static let spec = CommandSpec(
        name: "accept",
        summary: "Runs the acceptance list against a client-server pair and gives a verdict.",
        options: [
            urlOption.spec, anyServerOption.spec, virtualOption.spec, onlyOption.spec,
            listOption.spec, intervalOption.spec, timeoutOption.spec, scenarioTimeoutOption.spec,
            jsonOption.spec, junitOption.spec, htmlOption.spec,
        ],
        discussion: """
            Without options the list runs against an endpoint inside the command.

            The table goes to the standard output; when a report goes there, the table goes to
            the standard error. Progress is shown on the standard error when it is a terminal.
            Colours are used on a terminal unless NO_COLOR is set. A reader that goes away
            (a broken pipe) changes nothing: the exit status still tells the verdict.

            The verdict is 'pass' when no scenario failed and at least one passed. When all
            were skipped nothing was shown to work, and the verdict is 'fail'.

            A duration is 500ms, 2s, 1.5s, 3m or a plain number of milliseconds.

            \(ExitStatus.helpText)
            """)

    /// Reads the values.
    ///
    /// - Throws: ``UsageError`` for a value that does not fit or two that contradict each other.
    init(_ parsed: ParsedArguments) throws(UsageError) {
        if let text = try parsed.value(of: Self.urlOption) {
            url = try webSocketURL(text, command: "accept")
        }
        isAnyServer = try parsed.value(of: Self.anyServerOption)
        isVirtual = try parsed.value(of: Self.virtualOption)
        only = try parsed.value(of: Self.onlyOption)
        isList = try parsed.value(of: Self.listOption)
        interval = try parsed.value(of: Self.intervalOption)
        timeout = try parsed.value(of: Self.timeoutOption)
        scenarioTimeout = try parsed.value(of: Self.scenarioTimeoutOption)
        json = Self.destination(try parsed.value(of: Self.jsonOption))
        junit = Self.destination(try parsed.value(of: Self.junitOption))
        html = Self.destination(try parsed.value(of: Self.htmlOption))

        if isVirtual, url != nil {
            throw UsageError("'--virtual' has no network: leave out '--url'", command: "accept")
        }
        if isAnyServer, url == nil {
            throw UsageError("'--any-server' needs '--url URL'", command: "accept")
        }
        if [json, junit, html].count(where: { $0 == .standardOutput }) > 1 {
            throw UsageError(
                "only one report fits the standard output: give the others a FILE",
                command: "accept")
        }
    }

    private static func destination(_ text: String?) -> Destination? {
        text.map { $0 == "-" ? .standardOutput : .file($0) }
    }
}
