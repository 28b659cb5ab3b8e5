import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting

/// How the heartbeat judges answers that come in time, late, wrong or not at all (promises H1–H15).
enum PongScenarios {
    static let list: [AcceptanceScenario] = [
        AcceptanceScenario(
            "pong-in-time", "pongs in time keep the connection open, one ping an interval"
        ) { run in
            try await survive(run, "", pongs: 3)
        },
        AcceptanceScenario(
            "pong-late", "a pong after the deadline is too late and changes nothing",
            needs: .endpoint
        ) { run in
            let lateness = run.timeout + run.interval
            let watched = try run.client("pong=late:\(lateness.milliseconds)")
            let ping = try await failHeartbeat(run, watched)
            let old = watched.transports.transport(of: ping.generation)
            try await run.demandNoChange(watched, by: "the late pong", for: run.interval * 2) {
                if let id = old?.pings.last { old?.replay(.pong(id)) }
            }
            try run.demandCloses([.heartbeatTimeout], of: watched)
        },
        AcceptanceScenario(
            "pong-just-before-deadline", "a pong one nanosecond before the deadline is in time",
            needs: .virtualOnly
        ) { run in
            run.world.endpoint?.script = late(run.timeout - .nanoseconds(1))
            try await survive(run, "", pongs: 2)
        },
        AcceptanceScenario(
            "pong-at-deadline", "a pong at the very deadline is late, whichever is told first",
            needs: .virtualOnly
        ) { run in
            run.world.endpoint?.script = late(run.timeout)
            try await failHeartbeat(run, try run.client())
            let watched = try run.client()
            try await run.open(watched)
            // Scheduled ahead of the client's own timer for the same instant, so the pong is told first.
            let deadline = run.world.executor.now().advanced(by: run.interval + run.timeout)
            _ = run.world.executor.schedule(at: deadline) {
                let transport = watched.transports.transports.last
                if let id = transport?.pings.last { transport?.replay(.pong(id)) }
            }
            try await failHeartbeat(run, watched, isOpen: true)
        },
        AcceptanceScenario(
            "pong-just-after-deadline", "a pong one nanosecond after the deadline is late",
            needs: .virtualOnly
        ) { run in
            run.world.endpoint?.script = late(run.timeout + .nanoseconds(1))
            try await failHeartbeat(run, try run.client())
        },
        AcceptanceScenario(
            "pong-never", "without a pong the connection is given up at the deadline",
            needs: .endpoint
        ) { run in
            try await failHeartbeat(run, try run.client("pong=off"))
        },
        AcceptanceScenario(
            "pong-double", "a pong that comes twice counts once", needs: .endpoint
        ) { run in
            try await survive(run, "pong=double", pongs: 3)
        },
        AcceptanceScenario(
            "pong-wrong-payload", "a pong that answers no ping of ours is no answer",
            needs: .endpoint
        ) { run in
            try await failHeartbeat(run, try run.client("pong=wrong"))
        },
        AcceptanceScenario(
            "message-is-no-pong", "messages that arrive meanwhile do not stand in for the pong",
            needs: .endpoint
        ) { run in
            let watched = try run.client("pong=off&hello=10x100")
            try await run.open(watched)
            let ping = try await run.firstPing(watched, of: Generation(1))
            try await watched.client.send(.text("meanwhile"))
            try await run.wait(watched, for: "the echo while the pong is awaited") {
                $0.messages.count >= 11
            }
            try await run.waitForCloses(1, of: watched)
            try run.demandCloses([.heartbeatTimeout], of: watched)
            try run.demand(
                "the close", from: ping.time, to: watched.log.closes[0].time, takes: run.timeout)
        },
        AcceptanceScenario(
            "freeze", "a peer that keeps the socket and answers nothing is noticed",
            needs: .endpoint
        ) { run in
            let delay = (run.interval / 2).milliseconds
            try await failHeartbeat(run, try run.client("freeze@\(delay)"))
        },
    ]

    private static func late(_ delay: Duration) -> EndpointScript {
        var behaviour = EndpointBehaviour()
        behaviour.pong = .late(delay)
        return .always(behaviour)
    }

    /// The connection lives through as many pongs, with every ping when it is due, and closes in order.
    private static func survive(_ run: ScenarioRun, _ query: String, pongs: Int) async throws {
        let watched = try run.client(query)
        try await run.open(watched)
        try await run.wait(
            watched, for: "\(pongs) pongs", limit: run.patience * (pongs + 1)
        ) {
            $0.events(.pongReceived).count >= pongs || !$0.closes.isEmpty
        }
        try run.demandCloses([], of: watched)
        let pings = watched.log.events(.pingSent)
        let signs = watched.log.events(.opened) + watched.log.events(.pongReceived)
        try run.demand(
            pings.count == pongs, "expected \(pongs) pings for as many pongs, saw \(pings.count)")
        for (ping, sign) in zip(pings, signs) {
            try run.demand("a ping", from: sign.time, to: ping.time, takes: run.interval)
        }
        await watched.client.disconnect()
        try run.demandCloses([.closedByApp], of: watched)
    }

    /// The connection ends at the first ping's deadline.
    ///
    /// - Returns: that ping.
    @discardableResult
    private static func failHeartbeat(
        _ run: ScenarioRun, _ watched: WatchedClient, isOpen: Bool = false
    ) async throws -> JournalEvent {
        if !isOpen { try await run.open(watched) }
        let ping = try await run.firstPing(watched, of: Generation(1))
        try await run.waitForCloses(1, of: watched)
        try run.demandCloses([.heartbeatTimeout], of: watched)
        try run.demand(
            "the close", from: ping.time, to: watched.log.closes[0].time, takes: run.timeout)
        let state = await watched.client.state
        try run.demand(
            state == .stopped(.refusedToRetry(.heartbeatTimeout)),
            "expected the client to have stopped, saw \(state)")
        return ping
    }
}
