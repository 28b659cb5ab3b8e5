/// What the parser and the help text know about an option, whatever its value is.
struct OptionSpec: Sendable, Hashable {
    /// What may stand behind the name.
    enum Arity: Sendable, Hashable {
        /// Nothing: the name alone says yes.
        case flag
        /// Nothing; `--no-NAME` says no, and the last one of the two holds.
        case negatable
        /// A value, `--name VALUE` or `--name=VALUE`.
        case value(placeholder: String)
        /// A value that may be left out; then `implied` holds. Only lawful in a command without
        /// positional arguments, so that what follows the name has one meaning.
        case optionalValue(placeholder: String, implied: String)
    }

    /// The name without its dashes.
    let name: String
    /// What may stand behind the name.
    let arity: Arity
    /// Whether each use adds a value; otherwise a second use is an error.
    var isRepeatable = false
    /// One sentence for the help text.
    let help: String
    /// What holds when the option is absent, for the help text.
    var defaultText: String?
}

/// One option with the type of its value: declared once, listed in a ``CommandSpec``, and read with
/// ``ParsedArguments/value(of:)``.
struct Option<Value: Sendable>: Sendable {
    /// The untyped half, for the parser.
    let spec: OptionSpec
    /// What holds when the option is absent.
    let fallback: Value
    /// Makes the value from the texts given, of which there is at least one.
    let read: @Sendable ([String]) throws(ValueProblem) -> Value
}

extension Option where Value == Bool {
    /// `--name`.
    static func flag(_ name: String, _ help: String) -> Option {
        Option(
            spec: OptionSpec(name: name, arity: .flag, help: help), fallback: false,
            read: { texts throws(ValueProblem) in texts.last == ParsedArguments.yes })
    }

    /// `--name` and `--no-name`.
    static func negatable(_ name: String, default fallback: Bool, _ help: String) -> Option {
        Option(
            spec: OptionSpec(
                name: name, arity: .negatable, help: help, defaultText: fallback ? "yes" : "no"),
            fallback: fallback,
            read: { texts throws(ValueProblem) in texts.last == ParsedArguments.yes })
    }
}

extension Option where Value == String? {
    /// `--name TEXT`; empty text is refused.
    static func text(_ name: String, _ placeholder: String, _ help: String) -> Option {
        Option(
            spec: OptionSpec(name: name, arity: .value(placeholder: placeholder), help: help),
            fallback: nil, read: { texts throws(ValueProblem) in try nonEmpty(texts.last) })
    }

    /// `--name` or `--name TEXT`.
    static func optionalText(
        _ name: String, _ placeholder: String, implied: String, _ help: String
    ) -> Option {
        Option(
            spec: OptionSpec(
                name: name, arity: .optionalValue(placeholder: placeholder, implied: implied),
                help: help),
            fallback: nil, read: { texts throws(ValueProblem) in try nonEmpty(texts.last) })
    }

    @Sendable private static func nonEmpty(_ text: String?) throws(ValueProblem) -> String? {
        guard let text, !text.isEmpty else { throw ValueProblem(expected: "text, not nothing") }
        return text
    }
}

extension Option where Value == [String] {
    /// `--name TEXT --name TEXT …`.
    static func texts(_ name: String, _ placeholder: String, _ help: String) -> Option {
        Option(
            spec: OptionSpec(
                name: name, arity: .value(placeholder: placeholder), isRepeatable: true, help: help),
            fallback: [], read: { texts throws(ValueProblem) in texts })
    }

    /// `--name A,B` and `--name A --name B`; empty parts are refused.
    static func list(_ name: String, _ placeholder: String, _ help: String) -> Option {
        Option(
            spec: OptionSpec(
                name: name, arity: .value(placeholder: placeholder), isRepeatable: true, help: help),
            fallback: [],
            read: { texts throws(ValueProblem) in
                let parts = texts.flatMap { text in
                    text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                }
                guard !parts.contains("") else {
                    throw ValueProblem(
                        expected: "\(placeholder), with nothing empty between commas")
                }
                return parts
            })
    }
}

extension Option where Value == Int {
    /// `--name NUMBER` within `range`.
    static func integer(
        _ name: String, _ placeholder: String, in range: ClosedRange<Int>, default fallback: Int,
        _ help: String
    ) -> Option {
        Option(
            spec: OptionSpec(
                name: name, arity: .value(placeholder: placeholder), help: help,
                defaultText: "\(fallback)"),
            fallback: fallback,
            read: { texts throws(ValueProblem) in
                let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
                guard let text = texts.last, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
                    let number = Int(text), range.contains(number)
                else { throw ValueProblem(expected: expected) }
                return number
            })
    }
}

extension Option where Value == Duration {
    /// `--name DURATION`, no shorter than `minimum`; see ``DurationArgument``.
    static func duration(
        _ name: String, default fallback: Duration, minimum: Duration = .milliseconds(1),
        _ help: String
    ) -> Option {
        Option(
            spec: OptionSpec(
                name: name, arity: .value(placeholder: "DURATION"), help: help,
                defaultText: DurationArgument.text(fallback)),
            fallback: fallback,
            read: { texts throws(ValueProblem) in
                let duration = try DurationArgument.parse(texts.last ?? "")
                guard duration >= minimum else {
                    let least = DurationArgument.text(minimum)
                    throw ValueProblem(expected: "\(DurationArgument.expected), at least \(least)")
                }
                return duration
            })
    }
}

extension Option where Value: CaseIterable & RawRepresentable<String> {
    /// `--name WORD`, one of the words of `Value`.
    static func choice(_ name: String, default fallback: Value, _ help: String) -> Option {
        let words = Value.allCases.map(\.rawValue)
        return Option(
            spec: OptionSpec(
                name: name, arity: .value(placeholder: words.joined(separator: "|")), help: help,
                defaultText: fallback.rawValue),
            fallback: fallback,
            read: { texts throws(ValueProblem) in
                guard let value = Value(rawValue: texts.last ?? "") else {
                    throw ValueProblem(expected: "one of \(words.joined(separator: ", "))")
                }
                return value
            })
    }
}
