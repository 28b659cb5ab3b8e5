/// The help texts. They go to the standard output when they were asked for.
enum HelpText {
    private static let width = 80

    /// The text for `heartwire --help`.
    static func overview(of commands: [CommandSpec]) -> String {
        var lines = [
            "Usage: heartwire COMMAND [OPTION…]", "",
            "Accepts or rejects a real WebSocket client-server pair, and talks to either side.", "",
            "Commands:",
        ]
        lines += columns(commands.map { ($0.name, $0.summary) })
        lines += ["", "Options:"]
        lines += columns([
            ("--help", "Print this text, or with a command its own."),
            ("--version", "Print the version."),
        ])
        lines += ["", "'heartwire help COMMAND' tells what a command takes."]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The text for `heartwire COMMAND --help`.
    static func text(for command: CommandSpec) -> String {
        var lines = [usage(of: command), "", command.summary, ""]
        if !command.positionals.isEmpty {
            lines.append("Arguments:")
            lines += columns(command.positionals.map { ($0.placeholder, $0.help) })
            lines.append("")
        }
        lines.append("Options:")
        lines += columns(
            command.options.map { (form(of: $0), help(for: $0)) } + [
                ("--help", "Print this text.")
            ])
        lines += ["", command.discussion]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The one line that shows how `command` is called.
    static func usage(of command: CommandSpec) -> String {
        let places = command.positionals.map {
            $0.isRequired ? " \($0.placeholder)" : " [\($0.placeholder)]"
        }
        return "Usage: heartwire \(command.name) [OPTION…]\(places.joined())"
    }

    private static func form(of option: OptionSpec) -> String {
        switch option.arity {
        case .flag: "--\(option.name)"
        case .negatable: "--[no-]\(option.name)"
        case .value(let placeholder): "--\(option.name) \(placeholder)"
        case .optionalValue(let placeholder, _): "--\(option.name) [\(placeholder)]"
        }
    }

    private static func help(for option: OptionSpec) -> String {
        var words = option.help
        if option.isRepeatable { words += " May be given several times." }
        if let defaultText = option.defaultText { words += " Default: \(defaultText)." }
        return words
    }

    /// Two columns, the second one wrapped to the width of a terminal.
    private static func columns(_ rows: [(left: String, right: String)]) -> [String] {
        let indent = min(30, (rows.map { displayWidth($0.left) }.max() ?? 0) + 4)
        let blank = String(repeating: " ", count: indent)
        return rows.flatMap { row -> [String] in
            let wrapped = wrap(row.right, to: width - indent)
            let left = "  \(row.left)"
            let gap = indent - displayWidth(left)
            if gap < 2 { return [left] + wrapped.map { blank + $0 } }
            let first = left + String(repeating: " ", count: gap) + (wrapped.first ?? "")
            return [first] + wrapped.dropFirst().map { blank + $0 }
        }
    }

    private static func wrap(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, displayWidth(line) + 1 + displayWidth(String(word)) > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
