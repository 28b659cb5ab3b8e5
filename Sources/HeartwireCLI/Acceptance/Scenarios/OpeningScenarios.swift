import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting

/// How attempts to connect fail, each with its own typed cause, and when they do not.
enum OpeningScenarios {
    static let list: [AcceptanceScenario] = [
        AcceptanceScenario("refused-port", "a port at which nobody listens") { run in
            let watched = try run.client(url: try run.world.refusedURL())
            try await fail(run, watched, .connectFailed)
            guard case .connectFailed(let failure) = try await run.cause(of: watched) else {
                return
            }
            try run.demand(
                failure.kind == .refused, "expected refused, saw \(failure.kind.rawValue)")
        },
        AcceptanceScenario(
            "refused-http", "HTTP 503 is reported as such, and its Retry-After is honoured",
            needs: .endpoint
        ) { run in
            let watched = try run.client("refuse=503&retry-after=1") {
                $0.reconnect = try? run.policy()
            }
            try await fail(run, watched, .refused)
            guard
                case .waiting(1, let delay, .refused(let refusal)) = await watched.client.state
            else {
                throw ScenarioFailure(
                    "expected a wait for attempt 1, saw \(await watched.client.state)")
            }
            try run.demand(
                refusal.status == 503 && refusal.retryAfterSeconds == 1,
                "expected HTTP 503 with Retry-After: 1, saw \(refusal)")
            try run.demand(
                delay >= .seconds(1), "expected a wait of at least 1 s, saw one of \(delay)")
        },
        AcceptanceScenario(
            "refused-credentials", "HTTP 401 asks the app for fresh credentials once, then stops",
            needs: .endpoint
        ) { run in
            let watched = try run.client(queries: ["refuse=401"]) {
                $0.reconnect = try? run.policy()
            }
            await watched.client.connect()
            try await run.waitForCloses(2, of: watched)
            try run.demandCloses([.refused, .refused], of: watched)
            guard
                case .stopped(.refusedToRetry(.refused(let refusal))) = await watched.client.state
            else { throw ScenarioFailure("expected a stop, saw \(await watched.client.state)") }
            try run.demand(refusal.status == 401, "expected HTTP 401, saw \(refusal)")
        },
        AcceptanceScenario(
            "bad-handshake", "a 101 with a wrong Sec-WebSocket-Accept opens nothing",
            needs: .endpoint
        ) { run in
            try await fail(run, try run.client("refuse=badaccept"), .badHandshake)
        },
        AcceptanceScenario("garbage", "bytes that are no HTTP open nothing", needs: .endpoint) {
            run in
            try await fail(run, try run.client("refuse=garbage"), .badHandshake)
        },
        AcceptanceScenario(
            "reset-in-handshake", "a reset in place of an answer", needs: .endpoint
        ) { run in
            let watched = try run.client("refuse=reset")
            try await fail(run, watched, .connectFailed)
            guard case .connectFailed(let failure) = try await run.cause(of: watched) else {
                return
            }
            try run.demand(failure.kind == .reset, "expected reset, saw \(failure.kind.rawValue)")
        },
        AcceptanceScenario(
            "silence", "an attempt that gets no answer ends at the connect timeout",
            needs: .endpoint
        ) { run in
            let watched = try run.client("refuse=silence") { $0.connectTimeout = run.timeout }
            try await fail(run, watched, .connectTimeout)
            let cause = try await run.cause(of: watched)
            try run.demand(
                cause == .connectTimeout(.upgrade),
                "expected '\(CloseCause.connectTimeout(.upgrade))', saw '\(cause)'")
            try run.demand(
                "the close", from: watched.log.events(.connectRequested)[0].time,
                to: watched.log.closes[0].time, takes: run.timeout)
        },
        AcceptanceScenario(
            "slow-handshake", "an answer within the connect timeout opens the connection",
            needs: .endpoint
        ) { run in
            let timeout = max(run.timeout, .milliseconds(100))
            let watched = try run.client("delay=\((timeout / 2).milliseconds)") {
                $0.connectTimeout = timeout
            }
            try await run.open(watched)
            await watched.client.disconnect()
            try run.demandCloses([.closedByApp], of: watched)
        },
    ]

    private static func fail(
        _ run: ScenarioRun, _ watched: WatchedClient, _ kind: CloseCause.Kind
    ) async throws {
        await watched.client.connect()
        try await run.waitForCloses(1, of: watched)
        try run.demandCloses([kind], of: watched)
        try run.demand(
            watched.log.events(.opened).isEmpty, "expected no opening, saw one")
    }
}
