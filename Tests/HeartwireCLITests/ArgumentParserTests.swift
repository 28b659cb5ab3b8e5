import Testing

@testable import HeartwireCLI

private enum Colour: String, CaseIterable { case red, green }

private enum Sample {
    static let quiet = Option.flag("quiet", "Say nothing.")
    static let check = Option.negatable("check", default: true, "Check.")
    static let name = Option.text("name", "NAME", "A name.")
    static let report = Option.optionalText("report", "FILE", implied: "-", "A report.")
    static let tags = Option.texts("tag", "TAG", "A tag.")
    static let ids = Option.list("ids", "ID,…", "Ids.")
    static let count = Option.integer("count", "COUNT", in: 1...9, default: 3, "How many.")
    static let wait = Option.duration("wait", default: .seconds(1), "How long.")
    static let colour = Option<Colour>.choice("colour", default: .red, "Which.")

    static let spec = CommandSpec(
        name: "sample", summary: "A sample.",
        positionals: [
            .init(placeholder: "FROM", help: "Whence.", isRequired: true),
            .init(placeholder: "TO", help: "Whither.", isRequired: false),
        ],
        options: [
            quiet.spec, check.spec, name.spec, report.spec, tags.spec, ids.spec, count.spec,
            wait.spec, colour.spec,
        ],
        discussion: "")

    static func parse(_ words: String...) throws(UsageError) -> ParsedArguments {
        switch try ArgumentParser.parse(words, for: spec) {
        case .help: throw UsageError("help was asked for")
        case .run(let parsed): return parsed
        }
    }
}

private func problem(_ words: String...) -> String? {
    do {
        _ = try ArgumentParser.parse(words, for: Sample.spec)
        return nil
    } catch {
        return error.problem
    }
}

@Suite("ArgumentParser")
struct ArgumentParserTests {
    @Test("options may stand before, between and behind positional arguments")
    func order() throws {
        let parsed = try Sample.parse("--name", "n", "a", "--quiet", "b", "--count=4")
        #expect(parsed.positionals == ["a", "b"])
        #expect(try parsed.value(of: Sample.name) == "n")
        #expect(try parsed.value(of: Sample.quiet))
        #expect(try parsed.value(of: Sample.count) == 4)
    }

    @Test("an option that is not given has its default")
    func defaults() throws {
        let parsed = try Sample.parse("a")
        #expect(try parsed.value(of: Sample.quiet) == false)
        #expect(try parsed.value(of: Sample.check))
        #expect(try parsed.value(of: Sample.name) == nil)
        #expect(try parsed.value(of: Sample.report) == nil)
        #expect(try parsed.value(of: Sample.tags) == [])
        #expect(try parsed.value(of: Sample.wait) == .seconds(1))
        #expect(try parsed.value(of: Sample.colour) == .red)
        #expect(!parsed.isGiven(Sample.wait))
    }

    @Test("everything behind -- is positional, and - alone is")
    func endOfOptions() throws {
        #expect(try Sample.parse("--", "--quiet", "--").positionals == ["--quiet", "--"])
        #expect(try Sample.parse("-").positionals == ["-"])
    }

    @Test("a value is attached as it is: with =, with dashes, or empty")
    func attached() throws {
        #expect(
            try Sample.parse("a", "--tag=x=y", "--tag=--z", "--tag=").value(of: Sample.tags) == [
                "x=y", "--z", "",
            ])
    }

    @Test("a value that follows may begin with one dash but not with two")
    func detached() throws {
        #expect(try Sample.parse("a", "--tag", "-1").value(of: Sample.tags) == ["-1"])
        #expect(problem("a", "--tag", "--quiet") == "'--tag' needs a value: --tag TAG")
        #expect(problem("a", "--tag") == "'--tag' needs a value: --tag TAG")
    }

    @Test("--no-x turns x off, and the last of the two holds")
    func negation() throws {
        #expect(try Sample.parse("a", "--no-check").value(of: Sample.check) == false)
        #expect(try Sample.parse("a", "--no-check", "--check").value(of: Sample.check))
        #expect(problem("a", "--no-check=yes") == "'--no-check' takes no value")
        #expect(problem("a", "--quiet=1") == "'--quiet' takes no value")
        #expect(problem("a", "--no-quiet")?.hasPrefix("unknown option '--no-quiet'") == true)
    }

    @Test("a value that may be left out is taken when it follows")
    func optionalValue() throws {
        #expect(try Sample.parse("a", "--report").value(of: Sample.report) == "-")
        #expect(try Sample.parse("a", "--report", "-").value(of: Sample.report) == "-")
        #expect(try Sample.parse("a", "--report", "--quiet").value(of: Sample.report) == "-")
        #expect(try Sample.parse("a", "--report", "f").value(of: Sample.report) == "f")
        #expect(try Sample.parse("a", "--report=f").value(of: Sample.report) == "f")
    }

    @Test("a repeatable option adds up, another one given twice is refused")
    func repetition() throws {
        #expect(
            try Sample.parse("a", "--ids", "1,2", "--ids=3").value(of: Sample.ids) == [
                "1", "2", "3",
            ])
        #expect(
            problem("a", "--name", "x", "--name", "x") == "'--name' is given twice, give it once")
        #expect(try Sample.parse("a", "--quiet", "--quiet").value(of: Sample.quiet))
    }

    @Test("an unknown option is named, with the nearest that exists")
    func unknown() {
        #expect(
            problem("a", "--cuont", "1") == "unknown option '--cuont' (did you mean '--count'?)")
        #expect(
            problem("a", "--no-chekc") == "unknown option '--no-chekc' (did you mean '--no-check'?)"
        )
        #expect(problem("a", "-x") == "unknown option '-x'")
        #expect(problem("a", "-quiet") == "unknown option '-quiet' (did you mean '--quiet'?)")
        #expect(problem("a", "--hlep") == "unknown option '--hlep' (did you mean '--help'?)")
    }

    @Test("a missing and a superfluous positional argument are refused")
    func positionals() {
        #expect(problem() == "FROM is missing")
        #expect(problem("a", "b", "c") == "unexpected argument 'c'")
    }

    @Test("--help and -h win over what is missing, but not behind --")
    func help() throws {
        #expect(try ArgumentParser.parse(["--help"], for: Sample.spec) == .help)
        #expect(try ArgumentParser.parse(["a", "-h"], for: Sample.spec) == .help)
        #expect(try Sample.parse("--", "-h").positionals == ["-h"])
    }

    @Test("K12-09: what was typed is escaped before it is shown")
    func escaped() {
        #expect(problem("a", "b", "\u{1B}[31m")?.contains("\u{1B}") == false)
        #expect(problem("--\u{1B}c") == "unknown option '--\\u{1b}c'")
    }
}

@Suite("Option")
struct OptionTests {
    private func problem(_ words: String, reading option: Option<some Any>) -> String? {
        do {
            _ = try Sample.parse("a", words).value(of: option)
            return nil
        } catch {
            return error.problem
        }
    }

    @Test(
        "an integer has to lie in its range and be written in digits",
        arguments: ["0", "10", "x", "", "+3", "-3", "3.0", "٣", "99999999999999999999"])
    func integers(text: String) {
        let shown = "'\(text)' does not fit '--count': give a whole number from 1 to 9"
        #expect(problem("--count=\(text)", reading: Sample.count) == shown)
    }

    @Test("a duration has to be one, and no shorter than allowed")
    func durations() {
        let expected = "give a duration such as 500ms, 2s, 1.5s or 250 (milliseconds)"
        #expect(
            problem("--wait=soon", reading: Sample.wait)
                == "'soon' does not fit '--wait': \(expected)")
        #expect(
            problem("--wait=0", reading: Sample.wait)
                == "'0' does not fit '--wait': \(expected), at least 1ms")
    }

    @Test("a choice has to be one of its words")
    func choices() throws {
        #expect(try Sample.parse("a", "--colour", "green").value(of: Sample.colour) == .green)
        #expect(
            problem("--colour=blue", reading: Sample.colour)
                == "'blue' does not fit '--colour': give one of red, green")
    }

    @Test("text must not be empty, nor a part of a list")
    func emptiness() {
        #expect(
            problem("--name=", reading: Sample.name)
                == "'' does not fit '--name': give text, not nothing")
        #expect(problem("--report=", reading: Sample.report) != nil)
        #expect(problem("--ids=a,,b", reading: Sample.ids) != nil)
    }
}
