import HeartwireProtocol

/// The arguments of `heartwire accept`.
struct AcceptOptions: Sendable, Hashable {
    /// The server to test against; `nil` is the endpoint inside the command.
    var url: WebSocketURL?
    /// How a `wss:` server is checked, and what it is shown.
    var tls: ClientTLSOptions
    /// What makes the clients' connections.
    var transport: TransportChoice
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
    /// The form of the report.
    var format: ReportFormat
    /// A file that gets the report as well.
    var output: String?

    /// The longest interval and timeout: the endpoint can be asked for delays of up to a day.
    private static let longestSetting = Duration.seconds(3_600)

    private static let urlOption = Option.text(
        "url", "URL", "Test against this server instead of the endpoint inside the command.")
    private static let transportOption = Option<TransportChoice>.choice(
        "transport", default: .socket, "What makes the client's connections.")
    private static let virtualOption = Option.flag(
        "virtual", "Run the list in virtual time: it takes milliseconds and no network.")
    private static let onlyOption = Option.list(
        "only", "ID,…", "Run these scenarios, in the order of the list.")
    private static let listOption = Option.flag("list", "Print the scenarios and run none.")
    private static let intervalOption = Option.duration(
        "interval", default: .milliseconds(100), "The heartbeat's interval.")
    private static let timeoutOption = Option.duration(
        "timeout", default: .milliseconds(300), "How long a pong may take.")
    private static let formatOption = Option<ReportFormat>.choice(
        "format", default: .table, "The form of the report.")
    private static let outputOption = Option.text(
        "output", "FILE", "Write the report to FILE as well.")

    static let spec = CommandSpec(
        name: "accept",
        summary: "Runs the acceptance list against a client-server pair and gives a verdict.",
        options: [
            urlOption.spec, transportOption.spec, virtualOption.spec, onlyOption.spec,
            listOption.spec,
            intervalOption.spec, timeoutOption.spec, formatOption.spec, outputOption.spec,
        ] + ClientTLSOptions.options,
        discussion: """
            Without options the list runs against an endpoint inside the command, over the
            real network. A server at --url that is a heartwire endpoint is recognised: it
            is asked for whatever a scenario needs. Any other server gets the part of the
            list that needs nothing special. What could not run is 'skip', and says why.

            With --transport urlsession the client's connections are Foundation's. On Linux the
            toolchain's Foundation has no WebSocket support, and the command says so.

            The report goes to the standard output, and nothing else does. Progress is shown
            on the standard error when it is a terminal. Colours are used on a terminal
            unless NO_COLOR is set. A reader that goes away (a broken pipe) changes nothing:
            the exit status still tells the verdict.

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
        tls = try ClientTLSOptions(parsed, mayBeSecure: url?.isSecure ?? false)
        transport = try parsed.value(of: Self.transportOption)
        isVirtual = try parsed.value(of: Self.virtualOption)
        only = try parsed.value(of: Self.onlyOption)
        isList = try parsed.value(of: Self.listOption)
        interval = try parsed.value(of: Self.intervalOption)
        timeout = try parsed.value(of: Self.timeoutOption)
        format = try parsed.value(of: Self.formatOption)
        output = try parsed.value(of: Self.outputOption)

        for (name, value) in [("interval", interval), ("timeout", timeout)]
        where value > Self.longestSetting {
            throw UsageError(
                "'--\(name)' is too long: give at most 60m", command: "accept")
        }
        if isVirtual, transport == .urlsession {
            throw UsageError(
                "'--virtual' has no Foundation: leave out '--transport'", command: "accept")
        }
        if isVirtual, url != nil {
            throw UsageError("'--virtual' has no network: leave out '--url'", command: "accept")
        }
    }
}
