import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("L2: an app that goes away and comes back", .timeLimit(.minutes(1)))
struct LifeCycleFollowerTests {
    @Test("L2: what is told is done in its order, and the last decides")
    func order() async throws {
        let world = try ClientWorld(.virtual)
        try await world.run { world in
            let watched = try world.makeClient("")
            let client = watched.client
            await client.connect()
            try await client.waitUntilOpen()
            let follower = LifeCycleFollower(client)
            for _ in 0..<50 {
                follower.wentAway()
                follower.cameBack()
            }
            follower.wentAway()
            await follower.finish()
            #expect(await client.isSuspended)
            let second = LifeCycleFollower(client)
            second.cameBack()
            await second.finish()
            #expect(await !client.isSuspended)
            #expect(await world.windUp() == nil)
        }
    }

    @Test("L2: it does not keep the client, and a client that is gone is told nothing")
    func release() async throws {
        var client: WebSocketClient? = try WebSocketClient("ws://server.example/")
        weak let kept = client
        let follower = LifeCycleFollower(try #require(client))
        client = nil
        follower.wentAway()
        await follower.finish()
        #expect(kept == nil)
    }
}
