/// What was given on a command line that fits its ``CommandSpec``.
struct ParsedArguments: Sendable, Hashable {
    /// Stands for a flag that is set, where a value's text would stand.
    static let yes = "yes"
    /// Stands for a flag that `--no-NAME` turned off.
    static let no = "no"

    /// The command that they are for.
    let command: String
    /// The texts that each option was given, in order.
    var texts: [String: [String]] = [:]
    /// What stood in place.
    var positionals: [String] = []

    /// Begins with nothing given.
    init(command: String) {
        self.command = command
    }

    /// The value of `option`, or its default when it was not given.
    ///
    /// - Throws: ``UsageError`` when the text given is no such value; says what would be.
    func value<Value>(of option: Option<Value>) throws(UsageError) -> Value {
        guard let given = texts[option.spec.name], let last = given.last else {
            return option.fallback
        }
        do {
            return try option.read(given)
        } catch {
            throw UsageError(
                "'\(displaySafe(last))' does not fit '--\(option.spec.name)': give \(error.expected)",
                command: command)
        }
    }

    /// Whether `option` was given at all.
    func isGiven<Value>(_ option: Option<Value>) -> Bool {
        texts[option.spec.name] != nil
    }
}
