import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting

/// When the client connects again, and when it has had enough (promises R1–R3).
enum ReconnectScenarios {
    static let list: [AcceptanceScenario] = [
        AcceptanceScenario(
            "reconnect", "after a close a new connection opens, and messages flow on it",
            needs: .endpoint
        ) { run in
            let watched = try run.client(queries: ["close=1001", ""]) {
                $0.reconnect = try? run.policy()
            }
            await watched.client.connect()
            try await run.wait(watched, for: "the second opening") { $0.events(.opened).count == 2 }
            try await watched.client.send(.text("again"))
            try await run.wait(watched, for: "the echo") { $0.messages == [.text("again")] }
            await watched.client.disconnect()
            try run.demandCloses([.closedByPeer, .closedByApp], of: watched)
            try demandWaits(run, watched, attempts: [1])
        },
        AcceptanceScenario(
            "backoff-grows", "the n-th attempt waits base·2^(n-1), and at most 30 % more",
            needs: .endpoint
        ) { run in
            let refusal = "refuse=503"
            let watched = try run.client(queries: [refusal, refusal, refusal, ""]) {
                $0.reconnect = try? run.policy()
            }
            await watched.client.connect()
            try await run.wait(watched, for: "the opening") { $0.events(.opened).count == 1 }
            await watched.client.disconnect()
            try run.demandCloses([.refused, .refused, .refused, .closedByApp], of: watched)
            try demandWaits(run, watched, attempts: [1, 2, 3])
        },
        AcceptanceScenario(
            "backoff-gives-up", "after the last attempt the client stops and says why"
        ) { run in
            let watched = try run.client(url: try run.world.refusedURL()) {
                $0.reconnect = try? run.policy(attempts: 2)
            }
            await watched.client.connect()
            try await run.wait(watched, for: "the stop") { $0.hasStopped }
            try run.demandCloses(Array(repeating: .connectFailed, count: 3), of: watched)
            try demandWaits(run, watched, attempts: [1, 2])
            guard case .stopped(.attemptsExhausted(.connectFailed)) = await watched.client.state
            else {
                throw ScenarioFailure(
                    "expected all attempts to be used up, saw \(await watched.client.state)")
            }
        },
        AcceptanceScenario(
            "backoff-resets", "a connection that was stable begins the back-off anew",
            needs: .endpoint
        ) { run in
            let end = (run.interval * 2).milliseconds + 1
            let watched = try run.client(
                queries: ["refuse=503", "refuse=503", "close=1001@\(end)", ""]
            ) {
                $0.reconnect = try? run.policy(stability: run.interval)
            }
            await watched.client.connect()
            try await run.wait(watched, for: "the second opening") { $0.events(.opened).count == 2 }
            await watched.client.disconnect()
            try run.demandCloses([.refused, .refused, .closedByPeer, .closedByApp], of: watched)
            try demandWaits(run, watched, attempts: [1, 2, 1])
        },
        AcceptanceScenario(
            "backoff-holds", "a server that accepts and closes at once is not hammered",
            needs: .endpoint
        ) { run in
            let watched = try run.client("close=1001") {
                $0.reconnect = try? run.policy(attempts: 3)
            }
            await watched.client.connect()
            try await run.wait(watched, for: "the stop") { $0.hasStopped }
            try run.demandCloses(Array(repeating: .closedByPeer, count: 4), of: watched)
            try demandWaits(run, watched, attempts: [1, 2, 3])
        },
    ]

    /// Demands that the client waited for these attempts in turn, each within its bounds, and that the attempts came
    /// when the waits were over.
    private static func demandWaits(
        _ run: ScenarioRun, _ watched: WatchedClient, attempts: [Int]
    ) throws {
        var seen: [Int] = []
        let entries = watched.log.events(.stateChanged).filter { $0.newState == .waiting }
        let waits = watched.log.states.compactMap { entry in
            if case .waiting(let attempt, let delay, _) = entry.state {
                (attempt, delay)
            } else {
                nil
            }
        }
        for ((attempt, delay), entry) in zip(waits, entries) {
            seen.append(attempt)
            let least = run.base * (1 << (attempt - 1))
            try run.demand(
                delay >= least && delay <= least * 1.3,
                "expected attempt \(attempt) after \(least) to \(least * 1.3), saw \(delay)")
            let next = watched.log.events(.requestAsked, of: entry.generation).first
            guard let next else { continue }
            try run.demand("attempt \(attempt)", from: entry.time, to: next.time, takes: delay)
        }
        try run.demand(seen == attempts, "expected waits for attempts \(attempts), saw \(seen)")
    }
}
