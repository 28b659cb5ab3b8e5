import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting

/// Reports of an old connection that come while a newer one lives: none changes anything (promises G1–G3).
enum StaleScenarios {
    static let list: [AcceptanceScenario] = [
        AcceptanceScenario(
            "stale-while-open", "reports of an old connection while the new one is open"
        ) { run in
            let watched = try run.client()
            try await run.open(watched)
            _ = try await run.firstPing(watched, of: Generation(1))
            await watched.client.disconnect()
            try await run.open(watched)
            let opened = try newest(watched, .opened)
            try await replayAll(run, watched)
            // The stale opening did not start the pulse anew, nor did the stale pong.
            let ping = try await run.firstPing(watched, of: opened.generation)
            try run.demand("the ping", from: opened.time, to: ping.time, takes: run.interval)
            await watched.client.disconnect()
            try run.demandCloses([.closedByApp, .closedByApp], of: watched)
        },
        AcceptanceScenario(
            "stale-while-awaiting-pong",
            "reports of an old connection while the new one waits for its pong", needs: .endpoint
        ) { run in
            let watched = try await reconnecting(run, ["pong=off"])
            try await run.wait(watched, for: "the second opening") { $0.events(.opened).count == 2 }
            let opened = try newest(watched, .opened)
            let ping = try await run.firstPing(watched, of: opened.generation)
            try await replayAll(run, watched)
            try await run.waitForCloses(2, of: watched)
            await watched.client.disconnect()
            try run.demandCloses([.closedByPeer, .heartbeatTimeout], of: watched)
            try run.demand(
                "the close", from: ping.time, to: watched.log.closes[1].time, takes: run.timeout)
        },
        AcceptanceScenario(
            "stale-while-waiting", "reports of an old connection during the back-off",
            needs: .endpoint
        ) { run in
            let watched = try await reconnecting(run, [""])
            let waiting = try newest(watched, .stateChanged)
            guard case .waiting(1, let delay, _) = await watched.client.state else {
                throw ScenarioFailure("expected a wait for attempt 1")
            }
            try await replayAll(run, watched)
            try await run.wait(watched, for: "the second attempt") {
                $0.events(.requestAsked).count == 2
            }
            let asked = try newest(watched, .requestAsked)
            try run.demand("the attempt", from: waiting.time, to: asked.time, takes: delay)
            try await run.wait(watched, for: "the second opening") {
                $0.events(.opened, of: asked.generation).count == 1
            }
            await watched.client.disconnect()
            try run.demandCloses([.closedByPeer, .closedByApp], of: watched)
        },
        AcceptanceScenario(
            "stale-while-connecting", "reports of an old connection while the new one is made",
            needs: .endpoint
        ) { run in
            let delay = Duration.milliseconds(50)
            let watched = try await reconnecting(run, ["delay=\(delay.milliseconds)"])
            try await run.wait(watched, for: "the second attempt") {
                $0.events(.requestProvided).count == 2
            }
            let provided = try newest(watched, .requestProvided)
            try await replayAll(run, watched)
            try await run.wait(watched, for: "the second opening") {
                $0.events(.opened, of: provided.generation).count == 1
            }
            let opened = try newest(watched, .opened)
            try run.demand("the opening", from: provided.time, to: opened.time, takes: delay)
            await watched.client.disconnect()
            try run.demandCloses([.closedByPeer, .closedByApp], of: watched)
        },
        AcceptanceScenario(
            "stale-after-stop", "reports of a connection after the client has stopped"
        ) { run in
            let watched = try run.client()
            try await run.open(watched)
            await watched.client.disconnect()
            try await replayAll(run, watched, for: run.interval)
            try run.demandCloses([.closedByApp], of: watched)
        },
    ]

    /// A client whose first connection is closed by the peer after its first pong, and whose later ones
    /// ask for `queries`; when the first has ended.
    private static func reconnecting(
        _ run: ScenarioRun, _ queries: [String]
    ) async throws -> WatchedClient {
        let end = (run.interval * 3 / 2).milliseconds + 1
        let watched = try run.client(queries: ["close=1001@\(end)"] + queries) {
            // Long enough for a busy machine to replay everything in it.
            $0.reconnect = try? ReconnectPolicy(backoff: Backoff(base: .milliseconds(300)))
        }
        try await run.open(watched)
        try await run.waitForCloses(1, of: watched)
        try await run.wait(watched, for: "the back-off") { log in
            if case .waiting? = log.states.last?.state { true } else { false }
        }
        return watched
    }

    private static func newest(
        _ watched: WatchedClient, _ kind: JournalEvent.Kind
    ) throws -> JournalEvent {
        guard let event = watched.log.events(kind).last else {
            throw ScenarioFailure("the journal has no \(kind.rawValue)")
        }
        return event
    }

    /// Has the first connection report everything there is once more, the newest ping's pong among it.
    private static func replayAll(
        _ run: ScenarioRun, _ watched: WatchedClient, for duration: Duration = .zero
    ) async throws {
        guard let old = watched.transports.transports.first else {
            throw ScenarioFailure("there was no first connection")
        }
        let pings = watched.transports.transports.flatMap(\.pings)
        let pongs = Set(pings.suffix(1) + old.pings.suffix(1)).sorted().map(TransportReport.pong)
        let lost = CloseCause.connectionLost(ConnectionFailure(.reset))
        let reports: [TransportReport] =
            pongs + [
                .progressed(.tcp), .opened, .message(.text("stale")), .ping, .closed(lost),
                .closed(.closedByPeer(PeerClose(code: 1000))),
            ]
        for report in reports {
            try await run.demandNoChange(watched, by: "a stale \(name(of: report))") {
                old.replay(report)
            }
        }
        if duration > .zero {
            try await run.demandNoChange(watched, by: "stale reports", for: duration) {}
        }
    }

    private static func name(of report: TransportReport) -> String {
        switch report {
        case .progressed: "progress"
        case .opened: "opening"
        case .message: "message"
        case .ping: "ping"
        case .pong: "pong"
        case .writable: "room for more"
        case .closed: "close"
        }
    }
}
