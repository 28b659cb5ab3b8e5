import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("Handing events to consumers")
struct EventHubTests {
    private let world = World()

    private func core() throws -> (WebSocketClient, ClientCore) {
        let client = try world.client()
        return (client, client.core)
    }

    @Test("S6: without a consumer nothing is kept, and the hub says that nobody listens")
    func nobody() throws {
        let (client, core) = try core()
        world.executor.perform {
            #expect(!core.events.isListening)
            core.events.tell(Generation(1), .text("a"))
            #expect(core.events.weight == 0)
            let subscription = Subscription<ClientEvent>()
            core.events.add(subscription, core)
            #expect(core.events.isListening)
            #expect(subscription.isEmpty)
        }
        _ = client
    }

    @Test("S2, S6: the slowest consumer's backlog counts, until it is gone")
    func weight() throws {
        let (client, core) = try core()
        let subscriptions = (0..<2).map { _ in Subscription<ClientEvent>() }
        world.executor.perform {
            for subscription in subscriptions { core.events.add(subscription, core) }
            core.events.append(Generation(1), .text("12345"))
            core.events.append(Generation(1), of: .binary([1]))
            var batch = BatchQueue<ClientEvent>()
            subscriptions[0].take(into: &batch)
            subscriptions[0].cameBack()
            #expect(batch.count == 2)
            #expect(core.events.weight == 69 + 65)
            core.events.remove(subscriptions[1])
        }
        world.executor.runUntilIdle()
        world.executor.perform {
            #expect(core.events.weight == 0)
            #expect(core.events.consumers == 1)
            core.events.remove(subscriptions[0])
        }
        world.executor.runUntilIdle()
        #expect(!world.executor.perform { core.events.isListening })
        _ = client
    }

    @Test("S6: at the end each consumer ends behind what it has; for good, later ones end at once")
    func finishing() throws {
        let (client, core) = try core()
        let first = Subscription<ClientEvent>()
        let second = Subscription<ClientEvent>()
        let third = Subscription<ClientEvent>()
        world.executor.perform {
            core.events.add(first, core)
            core.events.append(Generation(1), .text("a"))
            core.events.finish()
            #expect(first.isFinished)
            #expect(first.queue.count == 1)
            core.events.add(second, core)
            #expect(!second.isFinished)
            core.events.finish(forGood: true)
            #expect(second.isFinished)
        }
        core.events.add(third, core)
        world.executor.runUntilIdle()
        #expect(third.isFinished)
        #expect(!world.executor.perform { core.events.isListening })
        _ = client
    }
}
