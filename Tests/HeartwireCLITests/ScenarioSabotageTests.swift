import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import HeartwireCLI

/// One way to break the world so that a scenario has to notice.
private struct Breach: Sendable, CustomTestStringConvertible {
    let id: String
    let sabotage: ScenarioPlace.Sabotage
    /// What the detail must speak of.
    let word: String

    var testDescription: String { id }

    /// The endpoint treats every connection like this.
    static func endpoint(
        _ id: String, _ query: String, _ word: String
    ) -> Breach {
        var sabotage = ScenarioPlace.Sabotage()
        sabotage.behaviour = .custom { _, _ in
            (try? EndpointBehaviour(target: "/?\(query)")) ?? EndpointBehaviour()
        }
        return Breach(id: id, sabotage: sabotage, word: word)
    }

    /// The client is set up differently.
    static func client(
        _ id: String, _ word: String,
        _ configure: @escaping @Sendable (inout ClientConfiguration) -> Void
    ) -> Breach {
        var sabotage = ScenarioPlace.Sabotage()
        sabotage.configure = configure
        return Breach(id: id, sabotage: sabotage, word: word)
    }

    /// What stands between the client and its transports lies.
    static func transport(_ id: String, _ lie: LyingFactory.Lie, _ word: String) -> Breach {
        var sabotage = ScenarioPlace.Sabotage()
        sabotage.wrap = { LyingFactory($0, lie) }
        return Breach(id: id, sabotage: sabotage, word: word)
    }
}

private let pongBreaches: [Breach] = [
    .endpoint("pong-in-time", "pong=off", "expected the closes []"),
    .endpoint("pong-late", "", "for the close"),
    .client("pong-just-before-deadline", "expected the closes []") {
        $0.heartbeat = .every(.milliseconds(100), timeout: .milliseconds(200))
    },
    .client("pong-at-deadline", "for the close") {
        $0.heartbeat = .every(.milliseconds(100), timeout: .milliseconds(301))
    },
    .client("pong-just-after-deadline", "for the close") {
        $0.heartbeat = .every(.milliseconds(100), timeout: .milliseconds(301))
    },
    .endpoint("pong-never", "pong=double", "for the close"),
    .endpoint("pong-double", "pong=wrong", "expected the closes []"),
    .transport("pong-wrong-payload", .pongsAtOnce, "for the close"),
    .transport("message-is-no-pong", .pongsAtOnce, "for the close"),
    .transport("freeze", .pongsAtOnce, "for the close"),
]

private let endingBreaches: [Breach] = [
    .endpoint("close-with-code", "close=1000", "expected 'closed by the peer: 1001'"),
    .endpoint("close-with-code-and-reason", "close=4001:over", "over and out"),
    .endpoint("close-without-code", "close=1005", "expected the closes [closed-by-peer]"),
    .endpoint("close-once", "drop=rst@2", "expected the closes [closed-by-peer]"),
    .endpoint("drop-fin", "drop=rst", "expected endOfStream, saw reset"),
    .endpoint("drop-rst", "drop=fin", "expected reset, saw endOfStream"),
]

private let openingBreaches: [Breach] = [
    .transport("refused-port", .alwaysLost, "expected the closes [connect-failed]"),
    .endpoint("refused-http", "refuse=503", "expected HTTP 503 with Retry-After: 1"),
    .client("refused-credentials", "for close 2") { $0.reconnect = nil },
    .transport("bad-handshake", .alwaysLost, "expected the closes [bad-handshake]"),
    .endpoint("garbage", "refuse=503", "expected the closes [bad-handshake]"),
    .transport("reset-in-handshake", .alwaysLost, "expected the closes [connect-failed]"),
    .client("silence", "expected the close after") { $0.connectTimeout = .milliseconds(299) },
    .client("slow-handshake", "for the opening") { $0.connectTimeout = .milliseconds(149) },
]

private let staleBreaches: [Breach] = [
    .transport("stale-while-open", .mislabels, "expected a stale"),
    .transport("stale-while-awaiting-pong", .mislabels, "expected a stale"),
    .client("stale-while-waiting", "for the back-off") { $0.reconnect = nil },
    .transport("stale-while-connecting", .mislabels, "expected a stale"),
    .endpoint("stale-after-stop", "refuse=503", "for the opening"),
]

private let otherBreaches: [Breach] = [
    .endpoint("reads-after-messages", "hello=50x100&echo=off", "for the echo of 6 bytes"),
    .endpoint("reads-after-late-pong", "", "the pong came before the echo"),
    .transport("reads-after-control", .deafAfterPing, "for 3 messages"),
    .endpoint("echo-sizes", "echo=off", "for the echo of 0 bytes"),
    .transport("echo-in-order", .swapsMessages, "not all the same"),
    .client("reconnect", "for the second opening") { $0.reconnect = nil },
    .client("backoff-grows", "expected attempt 2") {
        $0.reconnect?.backoff = (try? Backoff(base: .milliseconds(50), factor: 1)) ?? .standard
    },
    .client("backoff-gives-up", "for the stop") {
        $0.reconnect?.backoff = (try? Backoff(base: .milliseconds(50), attempts: nil)) ?? .standard
    },
    .client("backoff-resets", "saw [1, 2, 3]") { $0.reconnect?.stability = .seconds(3_600) },
    .client("backoff-holds", "for the stop") { $0.reconnect?.stability = .zero },
    .transport("two-connects", .makesTwo, "expected one connection, saw 2"),
    .transport("disconnect-connecting", .neverAborts, "expected the attempt to be dropped"),
    .endpoint("disconnect-open", "freeze@0", "expected the stop within"),
    .client("disconnect-waiting", "for the back-off") { $0.reconnect = nil },
    .endpoint("disconnect-closing", "", "expected the close after"),
    .endpoint("connect-after-stop", "refuse=503", "for the opening"),
]

private let breaches =
    pongBreaches + endingBreaches + openingBreaches + staleBreaches + otherBreaches

@Suite("ScenarioScript")
struct ScenarioSabotageTests {
    @Test("every scenario of the list has a world in which it fails")
    func complete() {
        #expect(breaches.map(\.id) == AcceptanceList.all.map(\.id))
    }

    @Test("A2: a scenario fails where what it shows does not hold", arguments: breaches)
    private func fails(breach: Breach) async throws {
        let scenario = try #require(AcceptanceList.all.first { $0.id == breach.id })
        var place = ScenarioPlace(try acceptOptions(["--virtual"]))
        place.sabotage = breach.sabotage
        let outcome = await scenario.run(place)
        #expect(outcome.verdict == .fail)
        #expect(outcome.detail.contains(breach.word), "\(outcome.detail)")
    }

    @Test("what a script leaves behind fails it, whatever it demanded")
    func leftovers() async throws {
        let scenario = AcceptanceScenario("leaves", "leaves a timer") { run in
            let later = run.world.executor.now().advanced(by: .seconds(3_600))
            _ = run.world.executor.schedule(at: later) {}
        }
        let outcome = await scenario.run(ScenarioPlace(try acceptOptions(["--virtual"])))
        #expect(outcome.verdict == .fail)
        #expect(outcome.detail == "1 timers and 0 sockets were left")
    }

    @Test("a script that finds that its server cannot do it is skipped, unless something broke")
    func obstacle() async throws {
        let place = ScenarioPlace(try acceptOptions(["--virtual"]))
        let skipped = AcceptanceScenario("skips", "skips") { _ in
            throw ScenarioObstacle(words: "no echo")
        }
        let outcome = await skipped.run(place)
        #expect(outcome == .init(verdict: .skip, detail: "no echo", elapsed: .zero))
        let broken = AcceptanceScenario("breaks", "breaks") { run in
            _ = run.world.executor.schedule(at: .distantFuture) {}
            throw ScenarioObstacle(words: "no echo")
        }
        #expect(await broken.run(place).verdict == .fail)
    }

    @Test("a script that waits for what can never happen is given up, not waited for")
    func stalled() async throws {
        let scenario = AcceptanceScenario("stalls", "stalls") { _ in
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
        let outcome = await scenario.run(ScenarioPlace(try acceptOptions(["--virtual"])))
        #expect(outcome.verdict == .fail && outcome.detail.contains("stalled"))
    }
}
