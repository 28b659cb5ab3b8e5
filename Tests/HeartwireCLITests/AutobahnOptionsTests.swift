import Testing

@testable import HeartwireCLI

@Suite struct AutobahnOptionsTests {
    private func options(_ words: String...) throws -> AutobahnOptions {
        guard case .autobahn(let options) = try CommandRequest(arguments: ["autobahn"] + words)
        else { throw UsageError("no request to run the suite") }
        return options
    }

    private func problem(_ words: String...) -> String {
        do {
            _ = try CommandRequest(arguments: ["autobahn"] + words)
            return ""
        } catch {
            return error.description
        }
    }

    @Test("A URL alone will do")
    func defaults() throws {
        let options = try options("ws://127.0.0.1:9001")
        #expect(options.url == "ws://127.0.0.1:9001")
        #expect(options.agent == "heartwire")
        #expect(options.cases.isEmpty)
        #expect(options.caseTimeout == .seconds(300))
    }

    @Test("The slashes behind the URL are not doubled in what is asked for")
    func slashes() throws {
        #expect(try options("ws://h:1//").url == "ws://h:1")
    }

    @Test("Agent, cases and time can be set")
    func values() throws {
        let options = try options(
            "ws://h", "--agent", "a b", "--cases", "9.1.1,7.13.2", "--cases", "1.1.1",
            "--case-timeout", "2s")
        #expect(options.agent == "a b")
        #expect(options.cases == ["9.1.1", "7.13.2", "1.1.1"])
        #expect(options.caseTimeout == .seconds(2))
    }

    @Test("What does not fit is named in one line")
    func problems() {
        #expect(problem().contains("URL"))
        #expect(problem("ws://h/?x=1").contains("give URL without a query"))
        for wrong in ["9.*", "a", "1..2", "1.", "-1", "１"] {
            #expect(problem("ws://h", "--cases=\(wrong)").contains("is no case"), "\(wrong)")
        }
        #expect(problem("ws://h", "--cases=1,,2").contains("empty"))
        #expect(problem("ws://h", "--agent=").contains("--agent"))
    }
}
