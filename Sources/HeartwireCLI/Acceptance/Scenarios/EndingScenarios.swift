import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting

/// How connections end of which the peer or the network makes an end: one close, one cause (promise G4).
enum EndingScenarios {
    static let list: [AcceptanceScenario] = [
        AcceptanceScenario(
            "close-with-code", "a Close frame with a code is the cause", needs: .endpoint
        ) { run in
            try await end(run, "close=1001", .closedByPeer(PeerClose(code: 1001)))
        },
        AcceptanceScenario(
            "close-with-code-and-reason", "a Close frame's reason reaches the app",
            needs: .endpoint
        ) { run in
            let cause = CloseCause.closedByPeer(PeerClose(code: 4001, reason: "over and out"))
            try await end(run, "close=4001:over%20and%20out", cause)
        },
        AcceptanceScenario(
            "close-without-code", "a Close frame may be empty", needs: .endpoint
        ) { run in
            try await end(run, "close=none", .closedByPeer(PeerClose(code: nil)))
        },
        AcceptanceScenario(
            "close-once", "a Close frame with FIN and RST right behind it is one close",
            needs: .endpoint
        ) { run in
            try await end(
                run, "close=1011@1&drop=rst@2", .closedByPeer(PeerClose(code: 1011)))
        },
        AcceptanceScenario(
            "drop-fin", "an end of the stream without a Close frame is a lost connection",
            needs: .endpoint
        ) { run in
            try await lose(run, "drop=fin", .endOfStream)
        },
        AcceptanceScenario(
            "drop-rst", "a reset is a lost connection", needs: .endpoint
        ) { run in
            try await lose(run, "drop=rst@\((run.interval / 2).milliseconds)", .reset)
        },
    ]

    private static func end(
        _ run: ScenarioRun, _ query: String, _ expected: CloseCause
    ) async throws {
        let watched = try run.client(query)
        try await run.open(watched)
        try await run.waitForCloses(1, of: watched)
        // A second signal of the same end has its time to come.
        await run.world.sleep(for: run.interval)
        try run.demandCloses([expected.kind], of: watched)
        let cause = try await run.cause(of: watched)
        try run.demand(cause == expected, "expected '\(expected)', saw '\(cause)'")
    }

    private static func lose(
        _ run: ScenarioRun, _ query: String, _ kind: ConnectionFailure.Kind
    ) async throws {
        let watched = try run.client(query)
        try await run.open(watched)
        try await run.waitForCloses(1, of: watched)
        await run.world.sleep(for: run.interval)
        try run.demandCloses([.connectionLost], of: watched)
        guard case .connectionLost(let failure) = try await run.cause(of: watched) else { return }
        try run.demand(
            failure.kind == kind, "expected \(kind.rawValue), saw \(failure.kind.rawValue)")
    }
}
