/// What is wrong with a command line, and what to do about it. Always one line; the exit status is 2.
struct UsageError: Error, Hashable, CustomStringConvertible {
    /// The command whose arguments are wrong; `nil` when no command was recognised.
    var command: String?
    /// What is wrong, safe to print: anything that was typed is escaped.
    var problem: String

    /// States `problem` with the arguments of `command`.
    init(_ problem: String, command: String? = nil) {
        self.problem = problem
        self.command = command
    }

    /// One line that ends with where to read more.
    var description: String {
        let name = command.map { "heartwire \($0)" } ?? "heartwire"
        return "\(name): \(problem); see '\(name) --help'"
    }
}

/// Why the text of one option's value is not a value; becomes a ``UsageError`` with the option's name.
struct ValueProblem: Error, Hashable {
    /// What would have been accepted, such as `a whole number from 0 to 65535`.
    var expected: String
}
