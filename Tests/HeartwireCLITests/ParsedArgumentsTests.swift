import Testing

@testable import HeartwireCLI

@Suite("ParsedArguments")
struct ParsedArgumentsTests {
    private let size = Option.integer("size", "BYTES", in: 0...10, default: 4, "A size.")

    @Test("an option that was not given has its default, and counts as not given")
    func absent() throws {
        let parsed = ParsedArguments(command: "x")
        #expect(try parsed.value(of: size) == 4)
        #expect(!parsed.isGiven(size))
    }

    @Test("an option that was given its default counts as given")
    func given() throws {
        var parsed = ParsedArguments(command: "x")
        parsed.texts["size"] = ["4"]
        #expect(try parsed.value(of: size) == 4)
        #expect(parsed.isGiven(size))
    }

    @Test("a value that does not fit names the option, the value and what would fit")
    func wrong() {
        var parsed = ParsedArguments(command: "x")
        parsed.texts["size"] = ["11\u{1B}"]
        let error = #expect(throws: UsageError.self) { try parsed.value(of: size) }
        #expect(error?.command == "x")
        #expect(
            error?.problem
                == "'11\\u{1b}' does not fit '--size': give a whole number from 0 to 10")
    }
}

@Suite("UsageError")
struct UsageErrorTests {
    @Test("the line ends with where to read more, for the command when there is one")
    func description() {
        #expect(UsageError("oops").description == "heartwire: oops; see 'heartwire --help'")
        #expect(
            UsageError("oops", command: "bench").description
                == "heartwire bench: oops; see 'heartwire bench --help'")
    }
}
