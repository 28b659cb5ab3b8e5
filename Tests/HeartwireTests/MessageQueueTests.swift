import Foundation
import HeartwireProtocol
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire
@testable import HeartwireSession

@Suite("The queue: sending")
struct MessageQueueTests {
    private let world = DeliveryWorld()

    @Test("S3: what is enqueued goes out in order, and gives its place back")
    func order() throws {
        let (client, _) = try world.openClient()
        let queue = try client.makeQueue()
        for number in 0..<3 { try queue.enqueue(.text("\(number)")) }
        #expect(queue.status.waiting == 3)
        #expect(queue.status.waitingBytes == 3 * 65)
        #expect(world.texts.isEmpty, "enqueue returns at once and does nothing itself")
        world.settle()
        #expect(world.texts == ["0", "1", "2"])
        var status = OutgoingStatus()
        status.sent = 3
        #expect(queue.status == status)
    }

    @Test("S3: one more than fits is refused at once, visibly, and changes nothing")
    func bounds() throws {
        let (client, _) = try world.openClient()
        let queue = try client.makeQueue(.route(.send, BufferBounds(count: 3, bytes: 200)))
        for number in 0..<3 { try queue.enqueue(.text("\(number)")) }
        #expect(throws: QueueError.full) { try queue.enqueue(.text("3")) }
        #expect(queue.status.refused == 1)
        world.settle()
        // 64 for its place: at the bound, and one beyond it.
        try queue.enqueue(.binary([UInt8](repeating: 0, count: 136)))
        #expect(throws: QueueError.full) { try queue.enqueue(.text("")) }
        #expect(throws: QueueError.tooLarge(bytes: 201, limit: 200)) {
            try queue.enqueue(.binary([UInt8](repeating: 0, count: 137)))
        }
        world.settle()
        #expect(world.sent.count == 4)
        #expect(queue.status.refused == 3)
        #expect(queue.status.waiting == 0)
    }

    @Test("S3, S2: while the transport has no room messages wait here, then go on in order")
    func backPressure() throws {
        let (client, returned) = try world.openClient()
        world.room = 2
        let queue = try client.makeQueue(.route(.send, BufferBounds(count: 5), returned))
        for number in 0..<5 { try queue.enqueue(.text("\(number)")) }
        world.settle()
        #expect(world.texts == ["0", "1"])
        #expect(queue.status.waiting == 3)
        for number in 5..<7 { try queue.enqueue(.text("\(number)")) }
        #expect(throws: QueueError.full) { try queue.enqueue(.text("7")) }
        for _ in 0..<3 {
            world.atLine { $0.drain() }
        }
        #expect(world.texts == (0..<7).map { "\($0)" })
        #expect(returned.all.isEmpty)
    }

    @Test("S2, K09-01: a queue that is never quite empty keeps no places of what went out long ago")
    func placesGivenBack() throws {
        let (client, _) = try world.openClient()
        world.room = 10
        let queue = try client.makeQueue(.route(.send, BufferBounds(count: 30)))
        for _ in 0..<20 { try queue.enqueue(.text("")) }
        world.settle()
        for _ in 0..<1_000 {
            for _ in 0..<10 { try queue.enqueue(.text("")) }
            world.atLine { $0.drain() }
            #expect(queue.outgoing.parcels.count == 10)
        }
        #expect(world.sent.count == 10_010)
        #expect(queue.outgoing.parcels.slots.count < 300)
    }

    @Test("S3: without an open connection a message comes back with the reason, as `send` fails")
    func notOpen() throws {
        let client = try world.client(nil)
        let returned = DeliveryWorld.Returned()
        let queue = try client.makeQueue(.route(.send, BufferBounds(), returned))
        let silent = try client.makeQueue()
        for number in 0..<2 { try queue.enqueue(.text("\(number)")) }
        try silent.enqueue(.text("x"))
        world.settle()
        #expect(returned.texts == [["0"], ["1"]])
        #expect(returned.causes == [.send(.notOpen), .send(.notOpen)])
        #expect(queue.status.unsent == 2)
        #expect(silent.status.unsent == 1)
        #expect(queue.status.waiting == 0)
    }

    @Test("S3, G2: what waits for room when the connection ends comes back, and goes on no other")
    func connectionEnds() throws {
        let (client, returned) = try world.openClient()
        world.room = 1
        let queue = try client.makeQueue(.route(.send, BufferBounds(), returned))
        for number in 0..<3 { try queue.enqueue(.text("\(number)")) }
        world.settle()
        world.atLine { $0.lose() }
        #expect(returned.texts == [["1"], ["2"]])
        world.room = .max
        world.virtual.advance(by: .seconds(2))
        #expect(world.lines.count == 2)
        try queue.enqueue(.text("3"))
        world.settle()
        #expect(
            world.sent == [
                .init(Generation(1), .text("0")), .init(Generation(2), .text("3")),
            ])
        _ = client
    }

    @Test("S3: by the route `deliver` what is enqueued offline is stored and goes out when open")
    func delivers() throws {
        let client = try world.client(.memory)
        let queue = try client.makeQueue(.route(.deliver))
        for number in 0..<3 { try queue.enqueue(.text("\(number)")) }
        world.settle()
        #expect(queue.status.stored == 3)
        #expect(try world.run { _ in await client.outboxStatus.waiting } == 3)
        try world.run { world in
            await client.connect()
            await world.pause()
        }
        #expect(world.texts == ["0", "1", "2"])
        #expect(try world.run { _ in await client.outboxStatus.confirmed } == 3)
    }

    @Test("S3: a place is held until the store has answered; what it cannot take comes back")
    func storeAnswers() throws {
        let store = ScriptedStore()
        let client = try world.client(OutboxConfiguration(store: store))
        let returned = DeliveryWorld.Returned()
        let queue = try client.makeQueue(.route(.deliver, BufferBounds(count: 2), returned))
        for number in 0..<2 { try queue.enqueue(.text("\(number)")) }
        world.settle()
        #expect(throws: QueueError.full) { try queue.enqueue(.text("2")) }
        world.virtual.perform {
            store.answer(.stored([DeliveryID(1)]))
            store.answer(.failed([DeliveryID(2)], OutboxStoreError(.full)))
        }
        world.settle()
        #expect(returned.texts == [["1"]])
        #expect(returned.causes == [.delivery(.store(OutboxStoreError(.full)))])
        #expect(queue.status.stored == 1)
        #expect(queue.status.waiting == 0)
    }

    @Test("S3, D4: an outbox that is full gives back, or has the queue wait for room")
    func outboxFull() throws {
        for overflow in [OutboxBounds.Overflow.rejectNew, .suspend] {
            let world = DeliveryWorld()
            let client = try world.client(.memory(count: 1, overflow))
            let returned = DeliveryWorld.Returned()
            let queue = try client.makeQueue(.route(.deliver, BufferBounds(), returned))
            for number in 0..<2 { try queue.enqueue(.text("\(number)")) }
            world.settle()
            switch overflow {
            case .rejectNew, .dropOldest:
                #expect(returned.causes == [.delivery(.refused(.full))])
            case .suspend:
                #expect(returned.all.isEmpty)
                #expect(queue.status.waiting == 1)
                try world.run { world in
                    await client.connect()
                    await world.pause()
                }
                #expect(world.texts == ["0", "1"])
                #expect(queue.status.waiting == 0)
            }
        }
    }

    @Test("S3, D6: who waits for the outbox's room when the client shuts down is told so")
    func shutDownWhileWaiting() throws {
        let client = try world.client(.memory(count: 1, .suspend))
        let returned = DeliveryWorld.Returned()
        let queue = try client.makeQueue(.route(.deliver, BufferBounds(), returned))
        for number in 0..<2 { try queue.enqueue(.text("\(number)")) }
        world.settle()
        _ = try world.run { _ in await client.shutdown() }
        #expect(returned.texts == [["1"]])
        #expect(returned.causes == [.delivery(.shutDown)])
        #expect(throws: QueueError.closed) { try queue.enqueue(.text("2")) }
    }

    @Test("K04-02, S3: what is stored goes out ahead of what is enqueued to be sent")
    func storedFirst() throws {
        let (client, returned) = try world.openClient(.memory)
        world.room = 1
        let queue = try client.makeQueue(.route(.send, BufferBounds(), returned))
        try world.run { _ in
            for text in ["a", "b"] { _ = try await client.deliver(.text(text)) }
        }
        try queue.enqueue(.text("c"))
        world.settle()
        #expect(world.texts == ["a"])
        for _ in 0..<3 {
            world.atLine { $0.drain() }
        }
        #expect(world.texts == ["a", "b", "c"])
        #expect(returned.all.isEmpty)
    }

    @Test("S3: the route `deliver` needs an outbox, and says so when the queue is made")
    func noOutbox() throws {
        let client = try world.client(nil)
        #expect(throws: DeliveryError.noOutbox) { try client.makeQueue(.route(.deliver)) }
        #expect(throws: DeliveryError.noOutbox) {
            try client.makeBatch(.newline, .route(.deliver))
        }
        _ = try client.makeQueue(.route(.sendOrDeliver))
    }

    @Test("S3: letting go of the queue lets go out what was enqueued, and forgets the queue")
    func letGo() throws {
        let (client, returned) = try world.openClient()
        world.room = 1
        do {
            let queue = try client.makeQueue(.route(.send, BufferBounds(), returned))
            for number in 0..<3 { try queue.enqueue(.text("\(number)")) }
        }
        world.settle()
        #expect(world.virtual.perform { client.core.outgoing.count } == 1, "something is left")
        for _ in 0..<3 {
            world.atLine { $0.drain() }
        }
        #expect(world.texts == ["0", "1", "2"])
        #expect(world.virtual.perform { client.core.outgoing.isEmpty })
    }

    @Test("S3, K09-07: a queue keeps no client; what is enqueued goes ahead of the last Close")
    func clientGone() throws {
        var client: WebSocketClient?
        let returned: DeliveryWorld.Returned
        (client, returned) = try world.openClient()
        weak let observed = client
        let queue = try #require(try client?.makeQueue(.route(.send, BufferBounds(), returned)))
        try queue.enqueue(.text("a"))
        client = nil
        world.settle()
        #expect(observed == nil)
        #expect(world.texts == ["a"])
        #expect(world.line?.closes == [1001])
        #expect(throws: QueueError.closed) { try queue.enqueue(.text("b")) }
        #expect(queue.status.refused == 1)
        #expect(queue.dequeueAll().isEmpty)
        world.settle()
    }

    @Test("S3: what is enqueued from where a message comes back waits for its turn")
    func reentrant() throws {
        let client = try world.client(nil)
        let box = Box<MessageQueue?>(nil)
        let returned = DeliveryWorld.Returned()
        var configuration = OutgoingConfiguration(.send)
        configuration.unsent = { unsent in
            returned.all.append(unsent)
            if returned.all.count < 3 { try? box.value?.enqueue(unsent.messages[0]) }
        }
        box.value = try client.makeQueue(configuration)
        try box.value?.enqueue(.text("a"))
        world.settle()
        #expect(returned.texts == [["a"], ["a"], ["a"]])
        #expect(box.value?.status.waiting == 0)
        box.value = nil
    }
}

@Suite("The queue: receiving")
struct MessageInboxTests {
    private let world = World()

    private func send(_ range: Range<Int>) throws {
        try world.atEndpoint { for number in range { try $0.send(text: "\(number)") } }
    }

    private func texts(_ queue: MessageQueue) -> [String] {
        defer { world.executor.runUntilIdle() }
        return queue.dequeueAll().map(\.shown)
    }

    @Test("S3: from the first call on each call gives what came since the last, in order")
    func polls() throws {
        let client = try world.openClient()
        let queue = try client.makeQueue()
        try send(0..<2)
        #expect(texts(queue) == [], "the first call begins to listen")
        #expect(texts(queue) == ["0", "1"], "what nobody had read")
        #expect(texts(queue) == [])
        try send(2..<5)
        #expect(texts(queue) == ["2", "3", "4"])
        #expect(try world.run { await client.streamStatus.messageConsumers } == 1)
        #expect(queue.dropped == 0)
    }

    @Test("S3: a queue is one consumer beside others")
    func besides() throws {
        let client = try world.openClient()
        let seen = Box(0)
        world.start { for await _ in client.messages { seen.value += 1 } }
        let queue = try client.makeQueue()
        _ = texts(queue)
        try send(0..<3)
        #expect(seen.value == 3)
        #expect(texts(queue) == ["0", "1", "2"])
    }

    @Test("S3, S2: a queue that nobody polls suspends reading, and polling resumes it")
    func suspends() throws {
        let client = try world.openClient("/?hello=3000x1024") {
            $0.receiveBufferBytes = 1 << 18
            $0.heartbeat = .every(.seconds(2), timeout: .seconds(2))
        }
        let queue = try client.makeQueue()
        _ = queue.dequeueAll()
        world.executor.advance(by: .seconds(20))
        #expect(world.journal.count { $0.kind == .readingPaused } == 1)
        #expect(try world.state(client) == .open(Generation(1)))
        var count = 0
        for _ in 0..<100 {
            count += queue.dequeueAll().count
            world.executor.advance(by: .milliseconds(10))
        }
        #expect(count == 3_000)
        #expect(try world.run { await client.streamStatus.backlogBytes } == 0)
    }

    @Test("S3, S2: a queue that drops keeps the newest, in bounded memory, and counts the others")
    func drops() throws {
        let client = try world.openClient()
        let bounds = BufferBounds(count: 3)
        let queue = try client.makeQueue(receiving: .dropOldest(bounds))
        _ = texts(queue)
        for round in 0..<5 { try send(round * 2..<round * 2 + 2) }
        #expect(queue.dropped == 7)
        #expect(texts(queue) == ["7", "8", "9"])
        #expect(try world.run { await client.streamStatus.droppedMessages } == 7)
    }

    @Test("S3: the queue goes on over reconnects and over a stop")
    func goesOn() throws {
        let client = try world.openClient()
        let queue = try client.makeQueue()
        _ = texts(queue)
        try send(0..<1)
        try world.atEndpoint { $0.drop(.rst) }
        world.executor.advance(by: .seconds(2))
        try send(1..<2)
        try world.run { await client.disconnect() }
        #expect(texts(queue) == ["0", "1"], "the end takes nothing away")
        try world.run {
            await client.connect()
            try await client.waitUntilOpen()
        }
        try send(2..<3)
        #expect(texts(queue) == ["2"])
    }

    @Test("S3: a queue that is let go listens no more, and another takes over")
    func letGo() throws {
        let client = try world.openClient()
        do {
            let queue = try client.makeQueue()
            _ = texts(queue)
            try send(0..<1)
        }
        world.executor.runUntilIdle()
        #expect(try world.run { await client.streamStatus.messageConsumers } == 0)
        try send(1..<2)
        let second = try client.makeQueue()
        _ = texts(second)
        #expect(texts(second) == ["1"])
        weak let core = client.core
        try world.run { await client.disconnect() }
        #expect(core != nil)
    }

    @Test("S3, K09-07: a client and a queue that polls free each other")
    func freed() throws {
        var client: WebSocketClient? = try world.openClient()
        weak let core = client?.core
        var queue = try client?.makeQueue()
        _ = queue?.dequeueAll()
        world.executor.runUntilIdle()
        client = nil
        world.executor.advance(by: .seconds(10))
        _ = queue?.dequeueAll()
        _ = queue?.dequeueAll()
        world.executor.runUntilIdle()
        queue = nil
        world.executor.runUntilIdle()
        #expect(core == nil)
        #expect(world.transports.living == 0)
    }
}

/// Threads that know nothing of tasks: real ones.
@Suite("The queue, from other threads", .serialized, .timeLimit(.minutes(1)))
struct MessageQueueThreadTests {
    @Test("S3: from many threads nothing is lost, and the order of each thread is kept, to and fro")
    func threads() async throws {
        let world = try TCPWorld()
        let client = try world.client()
        await client.connect()
        try await client.waitUntilOpen()
        var configuration = OutgoingConfiguration(.send)
        configuration.bounds = BufferBounds(count: 50)
        let queue = try client.makeQueue(configuration)
        _ = queue.dequeueAll()
        let (threads, each) = (4, 500)
        for thread in 0..<threads {
            Thread.detachNewThread {
                for number in 0..<each {
                    // Refused when full: the caller sees it and comes again.
                    while (try? queue.enqueue(.text("\(thread) \(number)"))) == nil {
                        sched_yield()
                    }
                }
            }
        }
        var seen = [[Int]](repeating: [], count: threads)
        while seen.reduce(0, { $0 + $1.count }) < threads * each {
            for case .text(let text) in queue.dequeueAll() {
                let parts = text.split(separator: " ").compactMap { Int($0) }
                seen[parts[0]].append(parts[1])
            }
            await Task.yield()
        }
        for one in seen { #expect(one == Array(0..<each)) }
        #expect(queue.status.sent == threads * each)
        await client.disconnect()
        await world.shutdown()
    }
}
