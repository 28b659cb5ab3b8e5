import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("The core: streams")
struct ClientCoreStreamsTests {
    private let world = World()

    @Test("S2: the status tells who reads, what the slowest is behind by, and what was dropped")
    func status() throws {
        let client = try world.openClient()
        #expect(try world.run { await client.streamStatus } == StreamStatus())
        let slow = client.messages.makeAsyncIterator()
        let events = client.events.makeAsyncIterator()
        let one = client.events.droppingOldest(beyond: BufferBounds(count: 1)).makeAsyncIterator()
        let two = client.messages.droppingOldest(beyond: BufferBounds(count: 1)).makeAsyncIterator()
        world.executor.runUntilIdle()
        try world.atEndpoint {
            for _ in 0..<3 { try $0.send(text: "12345678") }
            try $0.ping([1])
        }
        var expected = StreamStatus()
        expected.messageConsumers = 2
        expected.eventConsumers = 2
        expected.backlogBytes = 3 * 72 + 65
        expected.droppedMessages = 2
        expected.droppedEvents = 3
        #expect(try world.run { await client.streamStatus } == expected)
        _ = (slow, events, one, two)
    }

    @Test("S2: a consumer of events and one of messages both set the pace, the slower one first")
    func slower() throws {
        let client = try world.openClient("/?hello=1000x1024") { $0.receiveBufferBytes = 1 << 16 }
        let seen = Box(0)
        let events = client.events.makeAsyncIterator()
        world.start { for await _ in client.messages { seen.value += 1 } }
        world.executor.advance(by: .seconds(5))
        let behind = seen.value
        #expect(behind < 600)
        world.executor.advance(by: .seconds(5))
        #expect(seen.value == behind)
        nonisolated(unsafe) let slow = events
        world.start {
            var own = slow
            while await own.next() != nil {}
        }
        world.executor.advance(by: .seconds(5))
        #expect(seen.value > 900)
    }

    @Test("S3, S5: a queue or batch that is made when the client is gone takes nothing")
    func madeTooLate() throws {
        var client: WebSocketClient? = try world.openClient()
        let core = try #require(client?.core)
        client = nil
        world.executor.advance(by: .seconds(10))
        let returned = DeliveryWorld.Returned()
        let outgoing = Outgoing(core, .route(.send, BufferBounds(), returned))
        core.remember(outgoing)
        try outgoing.enqueue(.text("a"))
        world.executor.runUntilIdle()
        #expect(returned.texts == [["a"]])
        #expect(throws: QueueError.closed) { try outgoing.enqueue(.text("b")) }
        world.executor.perform { outgoing.retire() }
        #expect(world.executor.perform { core.outgoing.isEmpty })
    }

    @Test("S6: pings that come while the app is closing and nobody has room are not kept")
    func pingsWhileClosing() throws {
        let client = try world.openClient { $0.receiveBufferBytes = 100 }
        let events = client.events.makeAsyncIterator()
        world.executor.runUntilIdle()
        let core = client.core
        world.executor.perform {
            core.stopPausing()
            for _ in 0..<10 { core.transportReceivedPing(Generation(1), payload: [1, 2]) }
            #expect(core.events.weight == 2 * 66)
            core.transportReceived(Generation(1), .text("a"))
            #expect(core.events.weight == 2 * 66)
        }
        #expect(try world.run { await client.streamStatus.droppedMessages } == 1)
        _ = events
    }

    @Test("S2, S6: what comes while the app is closing is kept up to the buffer, to the byte")
    func keptWhileClosing() throws {
        let client = try world.openClient { $0.receiveBufferBytes = 100 }
        let core = client.core
        let half = [UInt8](repeating: 1, count: 36)
        world.executor.perform {
            core.stopPausing()
            for weight in [100, 164, 164] {
                core.transportReceived(Generation(1), core.backlog == 0 ? .binary(half) : .text(""))
                #expect(core.messages.weight == weight)
            }
        }
        let events = client.events.makeAsyncIterator()
        world.executor.runUntilIdle()
        world.executor.perform {
            #expect(core.backlog == 0, "nobody listens to messages alone")
            for weight in [100, 164, 164] {
                core.transportReceivedPing(Generation(1), payload: core.backlog == 0 ? half : [])
                #expect(core.events.weight == weight)
            }
        }
        _ = events
    }

    @Test("S2, S6: what was read before the reading stopped is kept, beyond the buffer too")
    func keptWhileOpen() throws {
        let client = try world.openClient { $0.receiveBufferBytes = 100 }
        let events = client.events.makeAsyncIterator()
        world.executor.runUntilIdle()
        let core = client.core
        world.executor.perform {
            for weight in [101, 202, 303] {
                core.transportReceivedPing(
                    Generation(1), payload: [UInt8](repeating: 1, count: 37))
                #expect(core.events.weight == weight)
            }
            core.transportReceived(Generation(1), .text(""))
            #expect(core.events.weight == 367)
        }
        #expect(try world.run { await client.streamStatus.droppedMessages } == 0)
        _ = events
    }
}
