import HeartwireSession
import HeartwireTesting
import Testing

@testable import HeartwireCLI

private let violation = SimulationViolation(
    time: MonotonicInstant(nanoseconds: 2_000_000), rule: .order, detail: "two before one")

/// A report of a world in which nothing but this happened.
private func report(
    _ violations: [SimulationViolation] = [], faults: [SimulationFault: Int] = [:]
) -> SimulationReport {
    var report = SimulationReport()
    report.seeds = 1
    report.simulated = .seconds(3_600)
    report.stored = 12
    report.faults = faults
    report.violations = violations
    return report
}

private struct Run {
    let end: CommandEnd
    let output: String
    let diagnostics: String
}

private func run(
    _ words: [String],
    simulate: (SimulationSettings, ((String) -> Void)?) -> SimulationReport
) async throws -> Run {
    guard
        case .simulate(.worlds(let options)) = try CommandRequest(
            arguments: ["simulate"] + words)
    else { throw UsageError("no request to live through worlds") }
    let (output, diagnostics) = (TestPipe(), TestPipe())
    let end = await WorldsCommand.run(
        options, output: output.writer, diagnostics: diagnostics.writer, simulate: simulate)
    return Run(end: end, output: output.finish(), diagnostics: diagnostics.finish())
}

@Suite("WorldsCommand")
struct WorldsCommandTests {
    @Test("the seeds are lived through in order, and what held is said")
    func pass() async throws {
        var seeds: [UInt64] = []
        let run = try await run(["--seeds", "3", "--from", "5", "--hours", "2"]) { settings, _ in
            seeds.append(settings.seed)
            #expect(settings.duration == .seconds(7_200))
            return report(faults: [.kill: 2])
        }
        #expect(seeds == [5, 6, 7] && run.end == .done && run.diagnostics == "")
        #expect(run.output.contains("simulated hours          3\n"))
        #expect(run.output.contains("messages stored         36\n"))
        #expect(run.output.contains("faults (6)\n"))
        #expect(run.output.contains("  ok   order\n"))
        #expect(run.output.hasSuffix("pass: seeds 5 to 7, every rule held in each of 3 worlds\n"))
    }

    @Test(
        "a seed that failed is told with the faults that it needs and the command that replays it")
    func fail() async throws {
        let run = try await run(["--seeds", "2"]) { settings, _ in
            let fails = settings.seed == 2 && settings.faults[.kill] > 0
            return report(fails ? [violation] : [])
        }
        #expect(run.end == .failed("1 of 2 seeds failed: 2"))
        #expect(run.output.contains("  FAIL order in 1 worlds\n"))
        #expect(run.output.contains("seed 2\n  order at 2 ms: two before one\n"))
        let replay = "heartwire simulate --seed 2 --hours 1 --faults all=0,kill=0.08 --verbose\n"
        #expect(run.output.contains("  replay: \(replay)"))
        #expect(run.output.hasSuffix("fail: 1 of 2 seeds failed: 2\n"))
        let words = replay.split(separator: " ").dropFirst().map { $0.filter { $0 != "\n" } }
        #expect(throws: Never.self) { try CommandRequest(arguments: words) }
    }

    @Test("a report for programs is one line of JSON")
    func json() async throws {
        let run = try await run(["--seeds", "1", "--format", "json"]) { _, _ in
            report([violation], faults: [.delay: 4])
        }
        #expect(run.output.hasPrefix("{\"version\":1,\"verdict\":\"fail\",\"first_seed\":1,"))
        #expect(run.output.contains("{\"name\":\"delay\",\"count\":4}"))
        #expect(run.output.contains("{\"rule\":\"order\",\"t_ns\":2000000,"))
        #expect(run.output.hasSuffix("}\n") && run.output.filter { $0 == "\n" }.count == 1)
    }

    @Test("a fresh seed is drawn and printed")
    func fresh() async throws {
        var seeds: [UInt64] = []
        let run = try await run(["--seeds", "2", "--fresh"]) { settings, _ in
            seeds.append(settings.seed)
            return report()
        }
        let first = try #require(seeds.first)
        #expect(seeds == [first, first + 1])
        #expect(run.output.contains("pass: seeds \(first) to \(first + 1),"))
    }

    @Test("of many failures the first are named")
    func many() async throws {
        let run = try await run(["--seeds", "7"]) { _, _ in report([violation]) }
        #expect(run.end == .failed("7 of 7 seeds failed: 1, 2, 3, 4, 5 and others"))
    }

    @Test("the journal of one world goes to the standard error and to a file")
    func journal() async throws {
        let run = try await run(["--seed", "4", "--verbose"]) { _, trace in
            trace?("{\"t_ns\":0}")
            return report()
        }
        #expect(run.diagnostics == "{\"t_ns\":0}\n")
        let missing = try await run2(["--seed", "4", "--journal", "/does/not/exist"])
        #expect(missing.end != .done && missing.output == "")
    }

    private func run2(_ words: [String]) async throws -> Run {
        try await run(words) { _, _ in report() }
    }

    @Test("when it is stopped it says what held until then")
    func stopped() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await run2(["--seeds", "5"])
        }
        let run = try await task.value
        #expect(run.end == .done && run.output.hasSuffix("stopped: no world was lived through\n"))
    }

    @Test("G6: two processes live through the same worlds to the byte")
    func processes() async throws {
        let words = ["simulate", "--seeds", "2", "--from", "31", "--format", "json"]
        let (one, other) = (try await runProgram(words), try await runProgram(words))
        #expect(one.status == 0 && one.diagnostics == "")
        #expect(one.text == other.text && one.text.contains("\"verdict\":\"pass\""))
        #expect(!one.text.contains("\"digest\":\"0\""))
    }

    @Test("a wrong argument is misuse with exit status 2")
    func misuse() async throws {
        let run = try await runProgram(["simulate", "--faults", "x=1"])
        #expect(run.status == 2 && run.output == [])
        #expect(run.diagnostics.hasPrefix("heartwire simulate: unknown fault 'x'"))
    }
}
