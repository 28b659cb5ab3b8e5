/// Reads a command's arguments by its ``CommandSpec``.
///
/// Options may stand before, between and behind positional arguments. `--` ends the options. A value
/// that itself begins with `--` has to be attached: `--name=--value`.
struct ArgumentParser {
    /// What a well-formed command line asks for.
    enum Result: Hashable {
        /// To print the command's help text.
        case help
        /// To run the command.
        case run(ParsedArguments)
    }

    private let spec: CommandSpec
    private var remaining: ArraySlice<String>
    private var parsed: ParsedArguments

    /// Reads `arguments`, which stand behind the command's name.
    ///
    /// - Throws: ``UsageError`` for the first argument that does not fit.
    static func parse(
        _ arguments: some Sequence<String>, for spec: CommandSpec
    ) throws(UsageError) -> Result {
        var parser = ArgumentParser(
            spec: spec, remaining: Array(arguments)[...],
            parsed: ParsedArguments(command: spec.name))
        return try parser.run()
    }

    private mutating func run() throws(UsageError) -> Result {
        var optionsEnded = false
        while let argument = remaining.popFirst() {
            if optionsEnded || argument == "-" || !argument.hasPrefix("-") {
                try takePositional(argument)
            } else if argument == "--" {
                optionsEnded = true
            } else if argument == "--help" || argument == "-h" {
                return .help
            } else {
                try takeOption(argument)
            }
        }
        let given = parsed.positionals.count
        if given < spec.positionals.count, spec.positionals[given].isRequired {
            throw problem("\(spec.positionals[given].placeholder) is missing")
        }
        return .run(parsed)
    }

    private mutating func takePositional(_ argument: String) throws(UsageError) {
        guard parsed.positionals.count < spec.positionals.count else {
            throw problem("unexpected argument '\(displaySafe(argument))'")
        }
        parsed.positionals.append(argument)
    }

    private mutating func takeOption(_ argument: String) throws(UsageError) {
        let parts = argument.split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let attached = parts.count == 2 ? String(parts[1]) : nil
        guard argument.hasPrefix("--"), let (option, isNegated) = find(parts[0].dropFirst(2)) else {
            throw unknown(String(parts[0]))
        }
        let shown = "--\(isNegated ? "no-" : "")\(option.name)"
        let text: String
        switch option.arity {
        case .flag, .negatable:
            guard attached == nil else { throw problem("'\(shown)' takes no value") }
            text = isNegated ? ParsedArguments.no : ParsedArguments.yes
        case .value(let placeholder):
            guard let value = attached ?? takeValue() else {
                throw problem("'\(shown)' needs a value: \(shown) \(placeholder)")
            }
            text = value
        case .optionalValue(_, let implied):
            text = attached ?? takeOptionalValue() ?? implied
        }
        try record(text, for: option)
    }

    private func find(_ name: Substring) -> (option: OptionSpec, isNegated: Bool)? {
        for option in spec.options {
            if option.name == name { return (option, false) }
            if option.arity == .negatable, "no-\(option.name)" == name { return (option, true) }
        }
        return nil
    }

    /// What follows, unless it is an option: then the value was forgotten.
    private mutating func takeValue() -> String? {
        guard let next = remaining.first, !next.hasPrefix("--") else { return nil }
        return remaining.popFirst()
    }

    /// What follows, unless it looks like an option; `-` alone is a value.
    private mutating func takeOptionalValue() -> String? {
        guard let next = remaining.first, next == "-" || !next.hasPrefix("-") else { return nil }
        return remaining.popFirst()
    }

    private mutating func record(_ text: String, for option: OptionSpec) throws(UsageError) {
        switch option.arity {
        case .flag, .negatable:
            parsed.texts[option.name] = [text]
        case .value, .optionalValue:
            guard option.isRepeatable || parsed.texts[option.name] == nil else {
                throw problem("'--\(option.name)' is given twice, give it once")
            }
            parsed.texts[option.name, default: []].append(text)
        }
    }

    private func unknown(_ argument: String) -> UsageError {
        var names = ["help"]
        for option in spec.options {
            names.append(option.name)
            if option.arity == .negatable { names.append("no-\(option.name)") }
        }
        let word = String(argument.drop { $0 == "-" })
        let hint = suggestion(for: word, among: names, prefix: "--")
        return problem("unknown option '\(displaySafe(argument))'\(hint)")
    }

    private func problem(_ words: String) -> UsageError {
        UsageError(words, command: spec.name)
    }
}
