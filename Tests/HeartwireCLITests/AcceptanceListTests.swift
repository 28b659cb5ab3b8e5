import HeartwireTesting
import Testing

@testable import HeartwireCLI

/// The report of the whole list, or of some of it, as the command would give it.
private func report(
    _ words: String..., only ids: [String] = []
) async throws -> AcceptanceReport {
    let place = ScenarioPlace(try acceptOptions(words))
    let list = try ScenarioSelection.select(ids, from: AcceptanceList.all)
    return await AcceptanceRunner(place: place, limit: place.scenarioLimit).run(list)
}

private func failures(of report: AcceptanceReport) -> [String] {
    report.scenarios.filter { $0.verdict == .fail }.map { "\($0.id): \($0.detail)" }
}

@Suite("AcceptanceList")
struct AcceptanceListTests {
    @Test(
        "the ids are short words joined by hyphens, each once, and every title is a sentence's worth"
    )
    func ids() {
        let ids = AcceptanceList.all.map(\.id)
        #expect(Set(ids).count == ids.count)
        for scenario in AcceptanceList.all {
            #expect(
                scenario.id.allSatisfy { $0.isASCII && ($0.isLowercase || $0 == "-") },
                "\(scenario.id)")
            #expect(scenario.id.utf8.count <= 30 && !scenario.title.isEmpty)
        }
    }

    @Test("A2, A4: under the virtual clock every scenario runs and holds")
    func virtual() async throws {
        let report = try await report("--virtual")
        #expect(failures(of: report) == [])
        #expect(report.count(of: .pass) == AcceptanceList.all.count)
        #expect(report.verdict == .pass)
    }

    @Test(
        "A4: other settings need no waiting",
        arguments: [("1", "1"), ("20s", "10s"), ("7", "1.5ms"), ("3", "5s"), ("60m", "1")])
    func settings(interval: String, timeout: String) async throws {
        let report = try await report("--virtual", "--interval", interval, "--timeout", timeout)
        #expect(failures(of: report) == [])
    }

    @Test("A4: two runs in virtual time give the same report to the byte")
    func deterministic() async throws {
        let first = try await report("--virtual")
        let second = try await report("--virtual")
        #expect(first.json == second.json)
    }

    @Test("A2: every connection of a report ended once, with its cause")
    func closes() async throws {
        let report = try await report("--virtual", only: ["stale-while-awaiting-pong"])
        #expect(
            report.scenarios[0].closes == [
                .init(generation: 1, cause: "closed-by-peer 1001"),
                .init(generation: 2, cause: "heartbeat-timeout"),
            ])
    }

    @Test("A2: over real sockets the same scenarios hold (real time)")
    func realTime() async throws {
        let ids = [
            "pong-in-time", "pong-never", "close-with-code-and-reason", "drop-rst", "refused-port",
            "refused-http", "bad-handshake", "stale-while-waiting", "reads-after-control",
            "echo-sizes", "reconnect", "disconnect-closing",
        ]
        let report = try await report("--interval=20", "--timeout=2000", only: ids)
        #expect(failures(of: report) == [])
        #expect(report.count(of: .pass) == ids.count)
    }

    @Test("what needs the virtual clock is skipped without it, and says so")
    func skipped() async throws {
        let report = try await report(only: ["pong-at-deadline"])
        #expect(report.scenarios[0].verdict == .skip)
        #expect(report.scenarios[0].detail.contains("--virtual"))
        #expect(report.verdict == .fail)
    }
}
