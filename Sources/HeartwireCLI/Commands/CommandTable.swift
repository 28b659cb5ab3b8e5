/// The commands, each with its declared arguments.
enum Command: String, Sendable, Hashable, CaseIterable {
    case accept
    case connect
    case endpoint
    case bench
    case autobahn
    case simulate

    /// What it takes, and its help text.
    var spec: CommandSpec {
        switch self {
        case .accept: AcceptOptions.spec
        case .connect: ConnectOptions.spec
        case .endpoint: EndpointOptions.spec
        case .bench: BenchOptions.spec
        case .autobahn: AutobahnOptions.spec
        case .simulate: SimulateOptions.spec
        }
    }
}

/// What a whole command line asks for.
enum CommandRequest: Sendable, Hashable {
    /// Nothing: there is no command.
    case nothing
    /// To print the list of commands.
    case overview
    /// To print one command's help text.
    case help(Command)
    /// To print the version.
    case version
    /// To accept or reject a client-server pair.
    case accept(AcceptOptions)
    /// To talk to a server by lines.
    case connect(ConnectOptions)
    /// To run the controllable endpoint.
    case endpoint(EndpointOptions)
    /// To measure.
    case bench(BenchOptions)
    /// To be the client under test of Autobahn's suite.
    case autobahn(AutobahnOptions)
    /// To live through simulated worlds.
    case simulate(SimulateOptions)

    /// Whether it needs an event loop.
    var needsSockets: Bool {
        switch self {
        case .accept, .connect, .endpoint, .bench, .autobahn: true
        case .nothing, .overview, .help, .version, .simulate: false
        }
    }

    /// Reads the arguments behind the program's own name.
    ///
    /// - Throws: ``UsageError``: one line that says what to do.
    init(arguments: [String]) throws(UsageError) {
        guard let word = arguments.first else {
            self = .nothing
            return
        }
        switch word {
        case "--help", "-h":
            self = .overview
        case "--version":
            guard arguments.count == 1 else {
                throw UsageError("unexpected argument '\(displaySafe(arguments[1]))'")
            }
            self = .version
        case "help":
            self = try Self.helpRequest(arguments.dropFirst())
        default:
            let command = try Self.command(named: word)
            switch try ArgumentParser.parse(arguments.dropFirst(), for: command.spec) {
            case .help: self = .help(command)
            case .run(let parsed): self = try Self.request(command, parsed)
            }
        }
    }

    private static func helpRequest(
        _ arguments: ArraySlice<String>
    ) throws(UsageError) -> CommandRequest {
        guard let name = arguments.first, name != "--help", name != "-h" else { return .overview }
        let command = try command(named: name)
        if let extra = arguments.dropFirst().first {
            throw UsageError("unexpected argument '\(displaySafe(extra))'")
        }
        return .help(command)
    }

    private static func command(named word: String) throws(UsageError) -> Command {
        if let command = Command(rawValue: word) { return command }
        let kind = word.hasPrefix("-") ? "option" : "command"
        let names =
            word.hasPrefix("-")
            ? ["--help", "--version"] : Command.allCases.map(\.rawValue) + ["help"]
        let hint = suggestion(for: word, among: names)
        throw UsageError("unknown \(kind) '\(displaySafe(word))'\(hint)")
    }

    private static func request(
        _ command: Command, _ parsed: ParsedArguments
    ) throws(UsageError) -> CommandRequest {
        switch command {
        case .accept: .accept(try AcceptOptions(parsed))
        case .connect: .connect(try ConnectOptions(parsed))
        case .endpoint: .endpoint(try EndpointOptions(parsed))
        case .bench: .bench(try BenchOptions(parsed))
        case .autobahn: .autobahn(try AutobahnOptions(parsed))
        case .simulate: .simulate(try SimulateOptions(parsed))
        }
    }
}
