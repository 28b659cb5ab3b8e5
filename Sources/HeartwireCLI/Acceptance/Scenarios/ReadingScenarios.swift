import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting

/// The receive loop goes on after whatever came (promise T4), and messages come back as they were.
enum ReadingScenarios {
    static let list: [AcceptanceScenario] = [
        AcceptanceScenario(
            "reads-after-messages", "reading goes on after text and binary messages",
            needs: .endpoint
        ) { run in
            let watched = try run.client("hello=50x100")
            try await run.open(watched)
            let hello = Message.text(String(repeating: "h", count: 100))
            try await arrive(run, watched, Array(repeating: hello, count: 50))
            try await echo(run, watched, .text("a text"))
            try await echo(run, watched, .binary([0, 255]))
            try await echo(run, watched, .text("another"))
            await watched.client.disconnect()
            try run.demandCloses([.closedByApp], of: watched)
        },
        AcceptanceScenario(
            "reads-after-late-pong", "reading goes on while a pong is delayed and after it",
            needs: .endpoint
        ) { run in
            let timeout = max(run.timeout, .milliseconds(100))
            let watched = try run.client("pong=late:\((timeout / 2).milliseconds)") {
                $0.heartbeat = .every(run.interval, timeout: timeout)
            }
            try await run.open(watched)
            _ = try await run.firstPing(watched, of: Generation(1))
            try await echo(run, watched, .text("while the pong is awaited"))
            try run.demand(
                watched.log.events(.pongReceived).isEmpty, "the pong came before the echo")
            try await run.wait(watched, for: "the delayed pong") {
                !$0.events(.pongReceived).isEmpty
            }
            try await echo(run, watched, .text("after the pong"))
            await watched.client.disconnect()
            try run.demandCloses([.closedByApp], of: watched)
        },
        AcceptanceScenario(
            "reads-after-control",
            "reading goes on after pings and unasked pongs, also amid a fragmented message",
            needs: [.endpoint, .inside]
        ) { run in
            let watched = try run.client()
            try await run.open(watched)
            guard let connection = run.world.endpoint?.connections.last else {
                throw ScenarioFailure("the endpoint has no connection")
            }
            try connection.ping([1, 2, 3])
            try connection.pong([4, 5])
            try connection.send(text: "first")
            // RFC 6455 §5.4: "abcd" in two fragments with a ping between them.
            connection.send(raw: [0x01, 2, 0x61, 0x62, 0x89, 0, 0x80, 2, 0x63, 0x64])
            try connection.send(binary: [9])
            try await arrive(run, watched, [.text("first"), .text("abcd"), .binary([9])])
            try await run.wait(watched, for: "the answers to two pings") { _ in
                run.world.endpoint?.counters.pongs == 2
            }
            try await echo(run, watched, .text("and still"))
            await watched.client.disconnect()
            try run.demandCloses([.closedByApp], of: watched)
        },
        AcceptanceScenario(
            "echo-sizes", "text and binary messages of every boundary size come back unchanged"
        ) { run in
            let watched = try await openEcho(run)
            for size in [0, 1, 125, 126, 127, 65_535, 65_536] {
                try await echo(run, watched, .text(String(repeating: "t", count: size)))
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
                try await echo(run, watched, .binary(bytes))
            }
            await watched.client.disconnect()
            try run.demandCloses([.closedByApp], of: watched)
        },
        AcceptanceScenario(
            "echo-in-order", "a hundred messages sent at once come back in order"
        ) { run in
            let watched = try await openEcho(run)
            let before = watched.log.messages
            let messages = (0..<100).map { Message.text("message \($0)") }
            for message in messages { try await watched.client.send(message) }
            try await arrive(run, watched, before + messages)
            await watched.client.disconnect()
            try run.demandCloses([.closedByApp], of: watched)
        },
    ]

    /// A client whose server echoes; one that was not told to may be of another kind.
    private static func openEcho(_ run: ScenarioRun) async throws -> WatchedClient {
        let watched = try run.client()
        try await run.open(watched)
        guard case .anyServer = run.place.server else { return watched }
        let word = Message.text("heartwire")
        try await watched.client.send(word)
        guard await watched.log.wait(run.timeout + run.slack, until: { $0.messages.last == word })
        else { throw ScenarioObstacle(words: "needs a server that sends messages back") }
        return watched
    }

    /// Waits until messages have arrived and demands that they are these and no others.
    private static func arrive(
        _ run: ScenarioRun, _ watched: WatchedClient, _ expected: [Message]
    ) async throws {
        try await run.wait(watched, for: "\(expected.count) messages") {
            $0.messages.count >= expected.count
        }
        try run.demand(
            watched.log.messages == expected,
            "expected \(expected.count) messages as they were sent, "
                + "saw \(watched.log.messages.count) and not all the same")
    }

    /// Sends a message and demands that it is the next one to come back.
    private static func echo(
        _ run: ScenarioRun, _ watched: WatchedClient, _ message: Message
    ) async throws {
        let before = watched.log.messages.count
        try await watched.client.send(message)
        try await run.wait(watched, for: "the echo of \(message.byteCount) bytes") {
            $0.messages.count > before
        }
        try run.demand(
            watched.log.messages.last == message,
            "expected \(message.byteCount) bytes back as they were, saw "
                + "\(watched.log.messages.last?.byteCount ?? 0) bytes")
    }
}
