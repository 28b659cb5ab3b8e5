import Heartwire
import HeartwireTesting
import Testing

/// What the guide's example takes for granted.
private func freshToken() async throws -> String { "token" }

// The examples of the guide to connections and generations.
@Suite("The guide to connections")
struct ConnectionsGuide {
    @Test("Its loop over the states ends with the client")
    func states() async throws {
        let world = try ClientWorld(.virtual)
        try await world.run { world in
            let client = try world.makeClient("drop=rst@500").client
            await client.connect()
            let reader = Task(executorPreference: world.executor.taskExecutor) {
                // Guide: begin
                for await state in client.states {
                    switch state {
                    case .open(let generation): print("connection \(generation) is open")
                    case .waiting(let attempt, let delay, let cause):
                        print("lost: \(cause); attempt \(attempt) in \(delay)")
                    case .stopped(let cause): print("stopped: \(cause)")
                    default: break
                    }
                }
                // Guide: end
            }
            await world.sleep(for: .seconds(3))
            reader.cancel()
            await reader.value
            #expect(await world.windUp() == nil)
        }
    }

    @Test("Its policy can be made")
    func policy() throws {
        // Guide: begin
        var policy = ReconnectPolicy(backoff: try Backoff(base: .seconds(2), attempts: nil))
        policy.verdicts[.closeCode(4_001)] = .stop
        let client = try WebSocketClient("ws://server.example/feed") { [policy] in
            $0.reconnect = policy
        }
        // Guide: end
        _ = client
        let close = PeerClose(code: 4_001, reason: "")
        #expect(policy.verdict(for: .closedByPeer(close)) == .stop)
        #expect(policy.backoff.attempts == nil)
    }

    @Test("Its request can be made")
    func request() throws {
        // Guide: begin
        let client = try WebSocketClient("ws://server.example/feed") {
            $0.request = { attempt in
                let token = try await freshToken()
                return try ConnectionRequest(
                    url: attempt.url, headers: ["Authorization": "Bearer \(token)"])
            }
        }
        // Guide: end
        _ = client
    }
}
