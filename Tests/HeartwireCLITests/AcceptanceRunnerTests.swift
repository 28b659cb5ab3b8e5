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

@Suite("AcceptanceScenario")
struct AcceptanceScenarioTests {
    @Test(
        "what cannot be run in a place says what to do",
        arguments: [
            ([String](), AcceptanceScenario.Needs.endpoint, true),
            ([], .realTime, true), ([], .virtualOnly, false), (["--virtual"], .virtualOnly, true),
            (["--virtual"], .realTime, false), (["--virtual"], .endpoint, true),
            (["--url=ws://h/"], .endpoint, true), (["--url=ws://h/"], .virtualOnly, false),
            (["--url=ws://h/", "--any-server"], .endpoint, false),
            (["--url=ws://h/", "--any-server"], .virtualOnly, false),
            (["--url=ws://h/", "--any-server"], AcceptanceScenario.Needs(), true),
        ])
    func obstacles(words: [String], needs: AcceptanceScenario.Needs, canRun: Bool) throws {
        guard case .accept(let options) = try CommandRequest(arguments: ["accept"] + words) else {
            return
        }
        #expect((ScenarioPlace(options).obstacle(to: needs) == nil) == canRun)
    }

    @Test("A4: the place carries the heartbeat that was asked for")
    func heartbeat() throws {
        let place = ScenarioPlace(try options("--interval=5", "--timeout=7ms"))
        #expect(place.heartbeat == .init(interval: .milliseconds(5), timeout: .milliseconds(7)))
        #expect(place.server == .embedded)
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
        #expect(report.scenarios[1].detail == "needs virtual time: give --virtual")
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

    @Test("A2: a report on the output stands alone there, the table moves to the diagnostics")
    func reportOnOutput() async throws {
        let ran = await run(try options("--json", "--only=good"))
        #expect(ran.output.hasPrefix("{\"version\":1,"))
        #expect(ran.output.hasSuffix("}\n"))
        #expect(ran.diagnostics.contains("pass: 1 passed"))
    }

    @Test("a report that cannot be written is a failure")
    func reportFile() async throws {
        let ran = await run(try options("--junit=/nowhere/x", "--only=good"))
        #expect(ran.end == .failed("cannot write /nowhere/x: \(systemErrorText(2))"))
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
