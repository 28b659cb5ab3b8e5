import HeartwireSession
import HeartwireTesting
import Testing

@testable import HeartwireCLI

private func run(_ words: [String]) async throws -> (end: CommandEnd, output: String) {
    guard
        case .simulate(.herd(let options)) = try CommandRequest(
            arguments: ["simulate", "herd"] + words)
    else { throw UsageError("no request for a herd") }
    let (output, diagnostics) = (TestPipe(), TestPipe())
    let end = await HerdCommand.run(
        options, output: output.writer, diagnostics: diagnostics.writer)
    #expect(diagnostics.finish().isEmpty)
    return (end, output.finish())
}

private let small = ["--clients", "5000", "--outage", "10s", "--capacity", "1000"]

@Suite("HerdCommand")
struct HerdCommandTests {
    @Test("R1: the policies stand side by side in a table, and more jitter means a lower peak")
    func table() async throws {
        let (end, output) = try await run(small)
        #expect(end == .done)
        let lines = output.split(separator: "\n")
        #expect(lines[0].hasPrefix("5,000 clients lose their server, which is away for 10s"))
        #expect(lines[2].hasPrefix("policy "))
        #expect(lines[3].hasPrefix("fixed 1 s") && lines[3].contains(" 5,000 "))
        #expect(lines[4].hasPrefix("default ") && lines[5].hasPrefix("full jitter"))
        #expect(Set(lines[2...].map(\.count)).count == 1)
    }

    @Test("a report for programs has every second")
    func json() async throws {
        let output = try await run(small + ["--format", "json"]).output
        #expect(output.hasPrefix("{\"version\":1,\"clients\":5000,\"outage_ms\":10000,"))
        #expect(output.contains("\"policy\":\"default\",\"peak\":5000,\"peak_s\":1,"))
        #expect(output.contains("\"per_second\":[0,5000,"))
        #expect(output.filter { $0 == "\n" }.count == 1)
    }

    @Test("the picture goes to a file; a file that cannot be written is a failure")
    func picture() async throws {
        let (end, output) = try await run(small + ["--svg", "/does/not/exist"])
        guard case .failed(let line, as: .failure) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(line.hasPrefix("cannot write /does/not/exist: ") && !output.isEmpty)
    }

    @Test("when it is stopped there is nothing to compare")
    func stopped() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await run(small)
        }
        let (end, output) = try await task.value
        #expect(end == .failed("stopped before the end") && output == "")
    }
}

@Suite("HerdComparison")
struct HerdComparisonTests {
    private func comparison() throws -> HerdComparison {
        var settings = HerdSettings(clients: 2_000, seed: 1)
        settings.outage = .seconds(20)
        settings.capacity = 500
        let reports = try HerdPolicy.compared.map {
            try #require(HerdSimulation(settings, $0).run())
        }
        return HerdComparison(settings: settings, reports: reports)
    }

    @Test("numbers are grouped by thousands")
    func grouped() {
        #expect(HerdComparison.grouped(0) == "0" && HerdComparison.grouped(999) == "999")
        #expect(HerdComparison.grouped(1_000) == "1,000")
        #expect(HerdComparison.grouped(12_345_678) == "12,345,678")
        #expect(HerdComparison.grouped(-1_000) == "-1,000")
    }

    @Test("the picture has a panel for each policy, and nothing that lies outside of it")
    func svg() throws {
        let svg = try comparison().svg
        #expect(
            svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\"") && svg.hasSuffix("</svg>\n"))
        for name in ["fixed 1 s", "default", "full jitter"] {
            #expect(svg.contains(">\(name): peak "))
        }
        #expect(svg.split(separator: "#b3261e").count == 4)
        #expect(!svg.contains("\"-") && !svg.contains("nan") && !svg.contains("inf"))
        #expect(svg.contains("the server is away for 20s"))
    }

    @Test("a herd of one is drawn as well")
    func one() throws {
        let settings = HerdSettings(clients: 1, seed: 1)
        let report = try #require(HerdSimulation(settings, HerdPolicy.compared[1]).run())
        let svg = HerdComparison(settings: settings, reports: [report]).svg
        #expect(svg.contains("peak 1/s"))
        #expect(!HerdComparison(settings: settings, reports: []).svg.contains("peak "))
    }
}
