/// One subcommand as its user meets it: what it is for and what it takes.
struct CommandSpec: Sendable {
    /// A value that has no option name, in its place.
    struct Positional: Sendable {
        /// What it is called in the usage line, in capitals.
        let placeholder: String
        /// One sentence for the help text.
        let help: String
        /// Whether the command makes no sense without it.
        let isRequired: Bool
    }

    /// The word behind `heartwire`.
    let name: String
    /// One line for the list of commands.
    let summary: String
    /// What it takes in place, in order.
    var positionals: [Positional] = []
    /// What it takes by name, in the order of the help text.
    let options: [OptionSpec]
    /// What else its user must know: what is printed where, what the exit statuses mean.
    let discussion: String
}
