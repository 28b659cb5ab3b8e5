import Heartwire
import HeartwireTesting
import Testing

// The examples of the guide to sleep and networks.
@Suite("The guide to sleep")
struct SleepGuide {
    @Test("A fresh ping decides behind a suspension")
    func suspension() async throws {
        let world = try ClientWorld(.virtual)
        try await world.run { world in
            let watched = try world.makeClient("")
            let client = watched.client
            await client.connect()
            let first = try await client.waitUntilOpen()
            _ = first
            // Guide: begin
            await client.suspend()  // no time counts, no timer runs
            await client.resume()  // a fresh ping decides
            // Guide: end
            let hasAnswered = await watched.log.wait(.seconds(5)) {
                $0.events(.pongReceived).count == 1
            }
            #expect(hasAnswered)
            #expect(watched.log.closes.isEmpty)
            #expect(await world.windUp() == nil)
        }
    }

    @Test("Its settings can be made")
    func settings() throws {
        // Guide: begin
        let client = try WebSocketClient("ws://server.example/feed") {
            $0.pathMonitor = .off
            $0.pathSettling = .seconds(1)  // a change counts once it has held for so long
        }
        // Guide: end
        _ = client
    }
}
