import Foundation
import Testing

@testable import HeartwireCLI

private func options(_ words: String...) throws -> AcceptOptions {
    guard case .accept(let options) = try CommandRequest(arguments: ["accept"] + words) else {
        throw UsageError("not accept")
    }
    return options
}

private func runner(
    _ words: String..., limit: Duration = .seconds(60)
) throws -> AcceptanceRunner {
    guard case .accept(let options) = try CommandRequest(arguments: ["accept"] + words) else {
        throw UsageError("not accept")
    }
    return AcceptanceRunner(place: ScenarioPlace(options), limit: limit)
}

private func scenario(
    _ id: String, needs: AcceptanceScenario.Needs = [],
    outcome: ScenarioOutcome = .init(verdict: .pass)
) -> AcceptanceScenario {
    AcceptanceScenario(id: id, title: "title of \(id)", needs: needs) { _ in outcome }
}

@Suite("ScenarioSelection")
struct ScenarioSelectionTests {
    private let list = [
        scenario("normal-answer"), scenario("late-answer"), scenario("direct-close"),
    ]

    @Test("no id means all, and ids are taken once and in the order of the list")
    func selected() throws {
        #expect(try ScenarioSelection.select([], from: list).count == 3)
        let some = try ScenarioSelection.select(
            ["direct-close", "LATE-answer", "direct-close"], from: list)
        #expect(some.map(\.id) == ["late-answer", "direct-close"])
    }

    @Test("an unknown id is refused with the nearest")
    func unknown() {
        let error = #expect(throws: UsageError.self) {
            try ScenarioSelection.select(["late-anwser"], from: list)
        }
        #expect(error?.problem.contains("(did you mean 'late-answer'?)") == true)
    }

    @Test("the list is a line for each")
    func text() {
        #expect(
            ScenarioSelection.text(of: Array(list.prefix(1)))
                == "normal-answer\ttitle of normal-answer\n")
    }
}

@Suite("AcceptanceRunner")
struct AcceptanceRunnerTests {
    @Test("scenarios run in order, and progress is told of each that runs")
    func order() async throws {
        let list = [scenario("a"), scenario("b", needs: .virtualOnly), scenario("c")]
        var told: [String] = []
        let report = try await runner().run(list) { number, scenario in
            told.append("\(number) \(scenario.id)")
        }
        #expect(told == ["1 a", "3 c"])
        #expect(report.scenarios.map(\.verdict) == [.pass, .skip, .pass])
        #expect(report.scenarios[1].detail.hasSuffix("give --virtual"))
    }

    @Test("a scenario's own clock wins over the runner's")
    func elapsed() async throws {
        let outcome = ScenarioOutcome(
            verdict: .fail, closes: [.init(generation: 3, cause: "x")], detail: "d",
            elapsed: .seconds(9))
        let report = try await runner().run([scenario("a", outcome: outcome)])
        #expect(
            report.scenarios == [
                .init(
                    id: "a", title: "title of a", verdict: .fail, elapsedMilliseconds: 9000,
                    closes: [.init(generation: 3, cause: "x")], detail: "d")
            ])
    }

    @Test("a scenario that hangs and ignores its cancellation fails at the limit (real time)")
    func limit() async throws {
        let stuck = AcceptanceScenario(id: "stuck", title: "t", needs: []) { _ in
            // Sleeps in a task that nobody cancels.
            _ = await Task.detached { try? await Task.sleep(for: .seconds(2)) }.value
            return .init(verdict: .pass)
        }
        let report = try await runner(limit: .milliseconds(10)).run([stuck, scenario("next")])
        #expect(report.scenarios.map(\.verdict) == [.fail, .pass])
        #expect(report.scenarios[0].detail == "not done within 10ms")
    }

    @Test("a run that is cut short is no acceptance")
    func cancelled() async throws {
        let runner = try runner()
        let running = Task {
            await runner.run([
                AcceptanceScenario(id: "a", title: "t", needs: []) { _ in
                    try? await Task.sleep(for: .seconds(60))
                    return .init(verdict: .pass)
                }, scenario("b"),
            ])
        }
        running.cancel()
        let report = await running.value
        #expect(report.verdict == .fail)
        #expect(report.scenarios.map(\.verdict) == [.fail, .fail])
    }
}

@Suite("AcceptCommand")
struct AcceptCommandTests {
    private let list = [
        scenario("good"), scenario("bad", outcome: .init(verdict: .fail, detail: "d")),
    ]

    private func run(
        _ options: AcceptOptions
    ) async -> (end: CommandEnd, output: String, diagnostics: String) {
        let (output, diagnostics) = (TestPipe(), TestPipe())
        let end = await AcceptCommand.run(
            options, list: list, output: output.writer, diagnostics: diagnostics.writer)
        return (end, output.finish(), diagnostics.finish())
    }

    @Test("A2: the table goes to the output, and the status is 0 only if all hold")
    func table() async throws {
        let good = await run(try options("--only", "good"))
        #expect(good.end == .done)
        #expect(good.output.hasSuffix("pass: 1 passed, 0 failed, 0 skipped\n"))
        #expect(good.diagnostics == "")
        let bad = await run(try options())
        #expect(bad.end == .failed("not accepted: fail: 1 passed, 1 failed, 0 skipped"))
    }

    @Test("A2: a report for programs stands alone on the output")
    func reportOnOutput() async throws {
        let ran = await run(try options("--format", "json", "--only=good"))
        #expect(ran.output.hasPrefix("{\"version\":1,"))
        #expect(ran.output.hasSuffix("}\n"))
        #expect(ran.diagnostics == "")
    }

    @Test("a file gets the report that the output gets")
    func reportFile() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(
            "heartwire-\(UInt64.random(in: 0 ... .max)).xml")
        defer { try? FileManager.default.removeItem(at: path) }
        let ran = await run(
            try options("--format=junit", "--output", path.path, "--only=good"))
        #expect(ran.end == .done)
        #expect(try String(contentsOf: path, encoding: .utf8) == ran.output)
        #expect(ran.output.contains("<testsuites name=\"heartwire\""))
    }

    @Test("a report that cannot be written is a failure")
    func unwritable() async throws {
        let ran = await run(try options("--output=/nowhere/x", "--only=good"))
        #expect(ran.end == .failed("cannot write /nowhere/x: \(systemErrorText(2))"))
        #expect(ran.output.hasSuffix("pass: 1 passed, 0 failed, 0 skipped\n"))
    }

    @Test("--list prints what would run, and an unknown id is misuse")
    func selection() async throws {
        let listed = await run(try options("--list", "--only=bad"))
        #expect(listed.output == "bad\ttitle of bad\n")
        #expect(listed.end == .done)
        guard case .misused = await run(try options("--only=godo")).end else {
            Issue.record("an unknown id was accepted")
            return
        }
    }

    @Test("a reader that has gone changes nothing about the verdict")
    func brokenPipe() async throws {
        let (output, diagnostics) = (TestPipe(), TestPipe())
        output.closeReadEnd()
        let end = await AcceptCommand.run(
            try options(), list: list, output: output.writer, diagnostics: diagnostics.writer)
        output.closeWriteEnd()
        _ = diagnostics.finish()
        #expect(end == .failed("not accepted: fail: 1 passed, 1 failed, 0 skipped"))
    }
}
