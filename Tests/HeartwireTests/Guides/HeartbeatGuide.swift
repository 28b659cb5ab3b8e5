import Heartwire
import Testing

// The examples of the guide to the heartbeat.
@Suite("The guide to the heartbeat")
struct HeartbeatGuide {
    @Test("Its settings can be made")
    func settings() throws {
        // Guide: begin
        let client = try WebSocketClient("ws://server.example/feed") {
            $0.heartbeat = .every(.seconds(20), timeout: .seconds(10))
        }
        // Guide: end
        _ = client
    }

    @Test("Its pulse says what the comments say")
    func pulse() throws {
        // Guide: begin
        var heartbeat = Heartbeat<Int>(try .init(interval: 100, timeout: 1_000))
        let generation = heartbeat.connect()
        heartbeat.opened(generation, at: 0)

        let first = heartbeat.nextDeadline  // 100: nothing is due before
        let action = heartbeat.tick(at: 100)  // .sendPing(generation, ping)

        if case .sendPing(_, let ping) = action {
            heartbeat.pong(generation, ping, at: 130)
        }
        let second = heartbeat.nextDeadline  // 230: one interval after the pong
        // Guide: end
        #expect(first == 100)
        #expect(action != nil)
        #expect(second == 230)
    }
}
