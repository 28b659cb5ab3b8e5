import Testing

@testable import HeartwireCLI

@Suite("HelpText")
struct HelpTextTests {
    @Test("the overview names every command with its summary")
    func overview() {
        let text = HelpText.overview(of: Command.allCases.map(\.spec))
        for command in Command.allCases {
            #expect(text.contains("\n  \(command.rawValue) "))
        }
        #expect(text.contains("--version"))
    }

    @Test(
        "a command's text names every option, its default and the exit statuses",
        arguments: Command.allCases)
    func command(_ command: Command) {
        let text = HelpText.text(for: command.spec)
        #expect(text.hasPrefix("Usage: heartwire \(command.rawValue) [OPTION…]"))
        for option in command.spec.options {
            let form = option.arity == .negatable ? "--[no-]\(option.name)" : "--\(option.name)"
            #expect(text.contains("  \(form)"))
        }
        #expect(text.contains("130  stopped by an interrupt"))
    }

    @Test("no line is wider than a terminal of 85 columns", arguments: Command.allCases)
    func width(_ command: Command) {
        for line in HelpText.text(for: command.spec).split(separator: "\n") {
            #expect(displayWidth(String(line)) <= 85)
        }
    }

    @Test("the usage line shows what is required and what is not")
    func usage() {
        let spec = CommandSpec(
            name: "x", summary: "",
            positionals: [
                .init(placeholder: "A", help: "", isRequired: true),
                .init(placeholder: "B", help: "", isRequired: false),
            ], options: [], discussion: "")
        #expect(HelpText.usage(of: spec) == "Usage: heartwire x [OPTION…] A [B]")
    }

    @Test("a name too long for its column has its help on the next line")
    func longName() {
        let text = HelpText.text(for: AcceptOptions.spec)
        #expect(text.contains("  --format table|json|junit|html\n      "))
    }

    @Test(
        "only commands without positional arguments have options whose value may be left out",
        arguments: Command.allCases)
    func optionalValues(_ command: Command) {
        for option in command.spec.options {
            if case .optionalValue = option.arity { #expect(command.spec.positionals.isEmpty) }
        }
    }
}
