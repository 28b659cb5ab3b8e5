import HeartwireTesting

/// What `heartwire simulate` is asked for.
enum SimulateOptions: Sendable, Hashable {
    /// Live through seeded worlds.
    case worlds(WorldsOptions)
    /// Show what a million clients do to a server that returns.
    case herd(HerdOptions)

    /// The most seeds of one run.
    static let seedLimit = 1_000_000
    private static let seedRange = 0...Int.max

    static let seedsOption = Option.integer(
        "seeds", "N", in: 1...seedLimit, default: 100, "How many seeds.")
    static let fromOption = Option.integer(
        "from", "SEED", in: seedRange, default: 1, "The first seed.")
    static let seedOption = Option.integer(
        "seed", "SEED", in: seedRange, default: 1, "Only this seed.")
    static let freshOption = Option.flag(
        "fresh", "Begin with a seed that nobody knows yet; it is printed.")
    static let hoursOption = Option.integer(
        "hours", "H", in: 1...168, default: 1, "How many hours each world has.")
    static let faultsOption = Option.list(
        "faults", "NAME=PROBABILITY,…", "Change how likely a fault is; 'all' is each of them.")
    static let formatOption = Option<SimulateFormat>.choice(
        "format", default: .table, "The form of the report.")
    static let verboseOption = Option.flag(
        "verbose", "Print the world's journal on the standard error; needs --seed.")
    static let journalOption = Option.text(
        "journal", "FILE", "Write the world's journal to FILE; needs --seed.")

    static let clientsOption = Option.integer(
        "clients", "N", in: 1...HerdSettings.clientLimit, default: 1_000_000,
        "herd: how many clients.")
    static let outageOption = Option.duration(
        "outage", default: .seconds(60), "herd: how long the server is away.")
    static let capacityOption = Option.integer(
        "capacity", "N", in: 1...HerdSettings.clientLimit, default: 20_000,
        "herd: the connections that the server takes in a second.")
    static let svgOption = Option.text("svg", "FILE", "herd: draw the attempts into FILE.")

    private static let worldOptions: [OptionSpec] = [
        seedsOption.spec, fromOption.spec, freshOption.spec, hoursOption.spec, faultsOption.spec,
        verboseOption.spec, journalOption.spec,
    ]
    private static let herdOptions: [OptionSpec] = [
        clientsOption.spec, outageOption.spec, capacityOption.spec, svgOption.spec,
    ]

    static let spec = CommandSpec(
        name: "simulate",
        summary: "Drives the client through seeded worlds of faults, in virtual time.",
        positionals: [
            .init(
                placeholder: "WHAT", help: "worlds, which is meant without it, or herd.",
                isRequired: false)
        ],
        options: worldOptions + [seedOption.spec, formatOption.spec] + herdOptions,
        discussion: """
            simulate [worlds]
              Each seed is a world: the real client against the real endpoint, with a clock, a
              network and a disk that the seed decides. The rules are checked all along. The
              report says what was simulated and what held; a seed that failed is printed with
              the command that replays it to the byte, and with the faults that it needs.
              Probabilities are from 0 to 1. --faults all=0,kill=0.1 leaves only the kills.

            simulate herd
              A server with so many clients dies and returns. The report says how many
              connection attempts come in a second, for clients that wait a fixed second, for
              the default policy, and for full jitter.

            The faults, and the probability of each on its occasion:
            \(faultList)
            \(ExitStatus.helpText)
            """)

    private static var faultList: String {
        var text = ""
        let width = (SimulationFault.allCases.map { $0.rawValue.count }.max() ?? 0) + 2
        for fault in SimulationFault.allCases {
            let gap = String(repeating: " ", count: width - fault.rawValue.count)
            text += "  \(fault.rawValue)\(gap)\(fault.standardProbability) "
            text += "each \(fault.occasion.rawValue)\n"
        }
        return text
    }

    /// Reads the values.
    ///
    /// - Throws: ``UsageError`` for a value that does not fit or two that contradict each other.
    init(_ parsed: ParsedArguments) throws(UsageError) {
        guard parsed.positionals.count < 2 else {
            throw Self.problem("unexpected argument '\(displaySafe(parsed.positionals[1]))'")
        }
        switch parsed.positionals.first {
        case nil, "worlds":
            try Self.refuse(Self.herdOptions, in: parsed, of: "herd")
            self = .worlds(try WorldsOptions(parsed))
        case "herd":
            try Self.refuse(Self.worldOptions, in: parsed, of: "worlds")
            self = .herd(try HerdOptions(parsed))
        case let word?:
            throw Self.problem("'\(displaySafe(word))' is nothing to simulate: give worlds or herd")
        }
    }

    private static func refuse(
        _ options: [OptionSpec], in parsed: ParsedArguments, of what: String
    ) throws(UsageError) {
        for option in options where parsed.texts[option.name] != nil {
            throw problem("'--\(option.name)' is for 'simulate \(what)'")
        }
    }

    static func problem(_ words: String) -> UsageError {
        UsageError(words, command: "simulate")
    }
}

/// The forms of a simulation's report.
enum SimulateFormat: String, Sendable, Hashable, CaseIterable {
    /// For people.
    case table
    /// For programs: version 1, one line.
    case json
}

/// The arguments of `heartwire simulate worlds`.
struct WorldsOptions: Sendable, Hashable {
    /// The seeds, the first and how many.
    var first: UInt64
    var count: Int
    /// Whether the first seed is drawn when the run begins.
    var isFresh: Bool
    /// How long each world lasts.
    var duration: Duration
    /// How likely the faults are.
    var faults: SimulationFaults
    /// The form of the report.
    var format: SimulateFormat
    /// Whether the journal goes to the standard error.
    var isVerbose: Bool
    /// The file that gets the journal.
    var journal: String?

    /// Reads the values.
    ///
    /// - Throws: ``UsageError`` for a value that does not fit or two that contradict each other.
    init(_ parsed: ParsedArguments) throws(UsageError) {
        let isSingle = parsed.isGiven(SimulateOptions.seedOption)
        isFresh = try parsed.value(of: SimulateOptions.freshOption)
        let from = try parsed.value(of: SimulateOptions.fromOption)
        let seed = try parsed.value(of: SimulateOptions.seedOption)
        count = isSingle ? 1 : try parsed.value(of: SimulateOptions.seedsOption)
        first = UInt64(isSingle ? seed : from)
        duration = .seconds(3_600 * (try parsed.value(of: SimulateOptions.hoursOption)))
        faults = try Self.faults(try parsed.value(of: SimulateOptions.faultsOption))
        format = try parsed.value(of: SimulateOptions.formatOption)
        isVerbose = try parsed.value(of: SimulateOptions.verboseOption)
        journal = try parsed.value(of: SimulateOptions.journalOption)

        guard UInt64(Int.max) - first >= UInt64(count) - 1 else {
            throw SimulateOptions.problem(
                "'--from' leaves too few seeds: the last is \(Int.max)")
        }
        let isRow =
            parsed.isGiven(SimulateOptions.fromOption)
            || parsed.isGiven(SimulateOptions.seedsOption)
        if isSingle, isRow || isFresh {
            throw SimulateOptions.problem(
                "'--seed' is one seed: leave out '--seeds', '--from' and '--fresh'")
        }
        if isFresh, parsed.isGiven(SimulateOptions.fromOption) {
            throw SimulateOptions.problem("'--fresh' draws the first seed: leave out '--from'")
        }
        if !isSingle, isVerbose || journal != nil {
            throw SimulateOptions.problem(
                "'--\(isVerbose ? "verbose" : "journal")' is for one world: give '--seed'")
        }
    }

    private static func faults(_ words: [String]) throws(UsageError) -> SimulationFaults {
        var faults = SimulationFaults()
        for word in words {
            let parts = word.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, let part = Double(parts[1]), part >= 0, part <= 1 else {
                throw SimulateOptions.problem(
                    "'\(displaySafe(word))' does not fit '--faults': give NAME=0 to NAME=1")
            }
            if parts[0] == "all" {
                for fault in SimulationFault.allCases { faults[fault] = part }
            } else if let fault = SimulationFault(rawValue: String(parts[0])) {
                faults[fault] = part
            } else {
                let names = SimulationFault.allCases.map(\.rawValue) + ["all"]
                let hint = suggestion(for: String(parts[0]), among: names)
                throw SimulateOptions.problem(
                    "unknown fault '\(displaySafe(String(parts[0])))'\(hint)")
            }
        }
        return faults
    }
}

/// The arguments of `heartwire simulate herd`.
struct HerdOptions: Sendable, Hashable {
    /// The herd and its server.
    var settings: HerdSettings
    /// The form of the report.
    var format: SimulateFormat
    /// The file that gets the picture.
    var svg: String?

    /// Reads the values.
    ///
    /// - Throws: ``UsageError`` for a value that does not fit.
    init(_ parsed: ParsedArguments) throws(UsageError) {
        settings = HerdSettings(
            clients: try parsed.value(of: SimulateOptions.clientsOption),
            seed: UInt64(try parsed.value(of: SimulateOptions.seedOption)))
        settings.outage = try parsed.value(of: SimulateOptions.outageOption)
        settings.capacity = try parsed.value(of: SimulateOptions.capacityOption)
        format = try parsed.value(of: SimulateOptions.formatOption)
        svg = try parsed.value(of: SimulateOptions.svgOption)
        guard settings.outage <= HerdSettings.longestOutage else {
            throw SimulateOptions.problem("'--outage' is too long: give at most 60m")
        }
    }
}
