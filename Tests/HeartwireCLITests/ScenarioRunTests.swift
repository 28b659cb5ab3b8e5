import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import HeartwireCLI

/// Runs `body` as a scenario in virtual time, and gives what it threw.
private func failure(
    _ words: [String] = [],
    _ body: @escaping @Sendable (ScenarioRun) async throws -> Void
) async throws -> String? {
    let place = ScenarioPlace(try acceptOptions(["--virtual"] + words))
    return try await ClientWorld(.virtual).run { world in
        var failure: String?
        do {
            try await body(ScenarioRun(world: world, place: place))
        } catch {
            failure = "\(error)"
        }
        _ = await world.windUp()
        return failure
    }
}

@Suite("ScenarioRun")
struct ScenarioRunTests {
    @Test("the settings of a scenario follow from the interval and the timeout")
    func settings() async throws {
        let seen = try await failure(["--interval=10", "--timeout=20"]) { run in
            #expect(run.interval == .milliseconds(10) && run.timeout == .milliseconds(20))
            #expect(run.base == .milliseconds(5) && run.slack == .zero)
            #expect(run.patience == .milliseconds(5_180))
            let policy = try run.policy(attempts: 3)
            #expect(policy.backoff.base == run.base && policy.backoff.attempts == 3)
            #expect(policy.stability == .seconds(3))
            #expect(try run.policy(stability: .seconds(9)).stability == .seconds(9))
        }
        #expect(seen == nil)
    }

    @Test(
        "the back-off's base is neither nothing nor longer than a minute",
        arguments: [("1", 1), ("60m", 60_000)])
    func base(interval: String, milliseconds: Int) async throws {
        let seen = try await failure(["--interval", interval]) { run in
            #expect(run.base == .milliseconds(milliseconds))
        }
        #expect(seen == nil)
    }

    @Test("a wait that fails says what it waited for, how long, and where the client stood")
    func wait() async throws {
        let seen = try await failure { run in
            let watched = try run.client()
            try await run.open(watched)
            try await run.wait(watched, for: "the moon", limit: .seconds(2)) { _ in false }
        }
        #expect(seen == "waited 2s for the moon; the client is open, its closes are []")
    }

    @Test("a wait for a client that has stopped does not go on to its limit")
    func waitForTheStopped() async throws {
        let seen = try await failure { run in
            let watched = try run.client("refuse=404")
            try await run.open(watched)
        }
        #expect(
            seen
                == "waited 0ms for the opening; the client is stopped (the server answered HTTP 404 Not Found), "
                + "its closes are [g1 refused 404]"
        )
    }

    @Test("what is too early or too late is told with both times")
    func takes() async throws {
        let (start, end) = (MonotonicInstant.origin, MonotonicInstant(nanoseconds: 5_000_000))
        let seen = try await failure { run in
            try run.demand("the ping", from: start, to: end, takes: .milliseconds(5))
            try run.demand("the ping", from: start, to: end, takes: .milliseconds(6))
        }
        #expect(seen == "expected the ping after 0.006 seconds, saw it after 0.005 seconds")
        let late = try await failure { run in
            try run.demand("the ping", from: start, to: end, takes: .milliseconds(4))
        }
        #expect(late == "expected the ping after 0.004 seconds, saw it after 0.005 seconds")
    }

    @Test("closes of other causes, or too few, are told as they were")
    func closes() async throws {
        let seen = try await failure { run in
            let watched = try run.client("close=4000")
            try await run.open(watched)
            try await run.waitForCloses(1, of: watched)
            try run.demandCloses([.closedByPeer], of: watched)
            try run.demandCloses([.heartbeatTimeout, .refused], of: watched)
        }
        #expect(
            seen
                == "expected the closes [heartbeat-timeout, refused], each of its own connection, "
                + "saw [g1 closed-by-peer 4000]")
    }

    @Test("each attempt asks for its own query, later ones for the last")
    func queries() async throws {
        let seen = try await failure { run in
            let watched = try run.client(queries: ["refuse=500", "refuse=502", "close=none"]) {
                $0.reconnect = try? run.policy(attempts: 3)
            }
            await watched.client.connect()
            try await run.waitForCloses(4, of: watched)
            #expect(
                watched.log.closes.map(\.text)
                    == ["refused 500", "refused 502", "closed-by-peer", "closed-by-peer"])
            #expect(try await run.cause(of: watched) == .closedByPeer(PeerClose(code: nil)))
        }
        #expect(seen == nil)
    }

    @Test("a change that the app can see is noticed, and so is one of the state alone")
    func change() async throws {
        let seen = try await failure { run in
            let watched = try run.client("hello=1x1")
            try await run.demandNoChange(watched, by: "nothing", for: .seconds(1)) {}
            try await run.open(watched)
            try await run.demandNoChange(watched, by: "the message", for: .milliseconds(1)) {}
        }
        #expect(
            seen
                == "expected the message to change nothing, saw 2 changes of state, 0 closes, 0 pings, "
                + "0 messages become 2 changes of state, 0 closes, 0 pings, 1 messages, "
                + "open become open")
    }

    @Test("a state without a cause has none to judge")
    func noCause() async throws {
        let seen = try await failure { run in _ = try await run.cause(of: try run.client()) }
        #expect(seen == "the state tells no cause: idle")
    }
}

@Suite("ReportFormat")
struct ReportFormatTests {
    @Test("each form is that of its name, and only a table is coloured")
    func forms() {
        let report = AcceptanceReport(scenarios: [
            .init(id: "a", title: "t", verdict: .pass, elapsedMilliseconds: 1)
        ])
        #expect(report.text(as: .json) == report.json)
        #expect(report.text(as: .junit) == report.junit)
        #expect(report.text(as: .html) == report.html)
        #expect(report.text(as: .table) == report.table(isColoured: false))
        #expect(report.text(as: .table, isColoured: true) == report.table(isColoured: true))
        #expect(report.text(as: .json, isColoured: true) == report.json)
        for format in ReportFormat.allCases { #expect(report.text(as: format).last == "\n") }
    }
}
