import Heartwire
import HeartwireTesting
import Testing

// The examples of the guide to testing one's own client.
@Suite("The guide to testing")
struct TestingGuide {
    @Test("A server that answers no ping is left after half a minute")
    func silence() async throws {
        // Guide: begin
        let world = try ClientWorld(.virtual)
        try await world.run { world in
            let watched = try world.makeClient("pong=off") {
                $0.heartbeat = .every(.seconds(20), timeout: .seconds(10))
            }
            await watched.client.connect()
            let hasEnded = await watched.log.wait(.seconds(60)) { !$0.closes.isEmpty }
            #expect(hasEnded)
            #expect(watched.log.closes.first?.cause == .heartbeatTimeout)
            #expect(world.elapsed == .seconds(30))
        }
        // Guide: end
    }

    @Test("A report of an old connection is stale")
    func stale() async throws {
        // Guide: begin
        let world = try ClientWorld(.virtual)
        try await world.run { world in
            let watched = try world.makeClient("drop=rst@500")
            await watched.client.connect()
            _ = await watched.log.wait(.seconds(60)) { $0.closes.count == 1 }
            try await watched.client.waitUntilOpen()

            let old = try #require(watched.transports.transports.first)
            old.replay(.closed(.heartbeatTimeout))
            let state = await watched.client.state
            #expect(state.generation != old.generation)
            #expect(watched.log.events(.stale).count == 1)
        }
        // Guide: end
    }
}
