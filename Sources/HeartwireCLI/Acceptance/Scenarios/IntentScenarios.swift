import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting

/// What the app asks for, at whatever moment (promise R5).
enum IntentScenarios {
    static let list: [AcceptanceScenario] = [
        AcceptanceScenario(
            "two-connects", "two connects, before and after the opening, make one connection"
        ) { run in
            let watched = try run.client()
            await watched.client.connect()
            await watched.client.connect()
            try await run.wait(watched, for: "the opening") { $0.events(.opened).count == 1 }
            await watched.client.connect()
            await run.world.sleep(for: run.interval)
            let made = watched.transports.transports.count
            try run.demand(made == 1, "expected one connection, saw \(made)")
            if let accepted = run.world.endpoint?.counters.accepted {
                try run.demand(accepted == 1, "the endpoint saw \(accepted) connections, not one")
            }
            await watched.client.disconnect()
            try run.demandCloses([.closedByApp], of: watched)
        },
        AcceptanceScenario(
            "disconnect-connecting", "a disconnect while connecting gives the attempt up at once",
            needs: .endpoint
        ) { run in
            let watched = try run.client("refuse=silence")
            await watched.client.connect()
            try await run.wait(watched, for: "the upgrade") {
                $0.events(.progressed).contains { $0.phase == .upgrade }
            }
            try await demandStop(run, watched, within: .zero, closes: [.closedByApp])
            try run.demand(
                watched.transports.transports.allSatisfy(\.isAborted),
                "expected the attempt to be dropped, saw it go on")
        },
        AcceptanceScenario(
            "disconnect-open", "a disconnect while open closes in order and stops"
        ) { run in
            let watched = try run.client { $0.reconnect = try? run.policy() }
            try await run.open(watched)
            try await demandStop(run, watched, within: .zero, closes: [.closedByApp])
            guard
                case .closedByApp(let sent, let answer?) = try await run.cause(of: watched)
            else { throw ScenarioFailure("expected the peer's answer to our Close, saw none") }
            try run.demand(
                sent == .normalClosure && answer.code == .normalClosure,
                "expected 1000 both ways, saw \(answer)")
        },
        AcceptanceScenario(
            "disconnect-waiting", "a disconnect during the back-off makes an end of it"
        ) { run in
            let watched = try run.client(url: try run.world.refusedURL()) { configuration in
                configuration.reconnect = try? ReconnectPolicy(
                    backoff: Backoff(base: .seconds(600)))
            }
            await watched.client.connect()
            try await run.wait(watched, for: "the back-off") { log in
                if case .waiting? = log.states.last?.state { true } else { false }
            }
            try await demandStop(run, watched, within: .zero, closes: [.connectFailed])
        },
        AcceptanceScenario(
            "disconnect-closing", "a close that the peer does not answer ends at the close timeout",
            needs: .endpoint
        ) { run in
            let watched = try run.client("freeze@0")
            try await run.open(watched)
            let first = Task(executorPreference: run.world.executor) {
                await watched.client.disconnect()
            }
            try await run.wait(watched, for: "the closing") { !$0.events(.closeSent).isEmpty }
            try await demandStop(run, watched, within: run.timeout, closes: [.closedByApp])
            await first.value
            let sent = watched.log.events(.closeSent).count
            try run.demand(sent == 1, "expected one Close frame, saw \(sent)")
            try run.demand(
                "the close", from: watched.log.events(.closeSent)[0].time,
                to: watched.log.closes[0].time, takes: run.timeout)
        },
        AcceptanceScenario(
            "connect-after-stop", "a client that has stopped can be connected again"
        ) { run in
            let watched = try run.client()
            try await run.open(watched)
            await watched.client.disconnect()
            try await run.open(watched)
            await watched.client.disconnect()
            try run.demandCloses([.closedByApp, .closedByApp], of: watched)
        },
    ]

    /// Disconnects, demands the stop and the closes, and that nothing comes after it.
    private static func demandStop(
        _ run: ScenarioRun, _ watched: WatchedClient, within limit: Duration,
        closes: [CloseCause.Kind]
    ) async throws {
        let start = run.world.executor.now()
        await watched.client.disconnect()
        let taken = start.duration(to: run.world.executor.now())
        try run.demand(
            taken <= limit + run.slack, "expected the stop within \(limit), it took \(taken)")
        let state = await watched.client.state
        guard case .stopped(.disconnected) = state else {
            throw ScenarioFailure("expected the client to have stopped, saw \(state)")
        }
        try run.demandCloses(closes, of: watched)
        let entries = watched.log.journal.count
        try await run.demandNoChange(
            watched, by: "the time after the stop", for: run.interval + run.timeout
        ) {}
        try run.demand(
            watched.log.journal.count == entries, "the journal went on after the stop")
    }
}
