import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("The sequence of messages")
struct MessagesTests {
    private let world = World()

    @Test("S1: the first consumer gets what came before it, in order, typed")
    func early() throws {
        let client = try world.openClient("/?hello=3x2")
        try world.atEndpoint { try $0.send(binary: [7]) }
        let received = try world.run {
            await Self.take(4, from: client)
        }
        #expect(received.count == 4)
        #expect(received.last == .binary([7]))
        #expect(received.allSatisfy { $0.byteCount > 0 })
    }

    @Test("S1: several consumers each get every message from their creation on")
    func several() throws {
        let client = try world.openClient()
        let first = world.start { _ = await Self.take(2, from: client) }
        let counts = Box<[Int]>([0, 0])
        for index in 0..<2 {
            world.start {
                for await _ in client.messages { counts.value[index] += 1 }
            }
        }
        for number in 0..<5 { try world.atEndpoint { try $0.send(text: "\(number)") } }
        #expect(counts.value == [5, 5])
        try world.run {
            await first.value
            await client.disconnect()
        }
        try world.checkNothingLeft(client)
    }

    @Test("S1: what the last consumer left unread is inherited by the next")
    func inherited() throws {
        let client = try world.openClient()
        try world.atEndpoint { for number in 0..<6 { try $0.send(text: "\(number)") } }
        let first = try world.run { await Self.take(1, from: client) }
        // What the first consumer had taken ahead of its need comes back, too.
        try world.atEndpoint { for number in 6..<9 { try $0.send(text: "\(number)") } }
        let second = try world.run { await Self.take(8, from: client) }
        #expect(first == [.text("0")])
        #expect(second == (1..<9).map { .text("\($0)") })
    }

    @Test("S1, K04-01: a loop goes on where the one before it was left, in the same instant too")
    func loops() throws {
        let client = try world.openClient()
        try world.atEndpoint { for number in 0..<6 { try $0.send(text: "\(number)") } }
        let world = world
        let all = try world.run {
            var all: [Message] = []
            for end in [2, 4, 6] {
                for await message in client.messages {
                    all.append(message)
                    if all.count == end { break }
                }
                if end == 4 { try await world.sleep(.milliseconds(1)) }
            }
            return all
        }
        #expect(all == (0..<6).map { .text("\($0)") })
    }

    @Test("S1, K11-04: a consumer that is cancelled in the middle of a batch leaves the rest of it")
    func cancelledInABatch() throws {
        let client = try world.openClient()
        let world = world
        let first = Box<[Message]>([])
        let reader = world.start {
            for await message in client.messages {
                first.value.append(message)
                try? await world.sleep(.seconds(1))
                if Task.isCancelled { break }
            }
        }
        try world.atEndpoint { for number in 0..<6 { try $0.send(text: "\(number)") } }
        world.executor.advance(by: .milliseconds(1_500))
        reader.cancel()
        world.executor.runUntilIdle()
        #expect(first.value.count == 2)
        let rest = try world.run { await Self.take(4, from: client) }
        #expect(first.value + rest == (0..<6).map { .text("\($0)") })
    }

    @Test("S1: a consumer that waits with nothing read leaves everything to the next")
    func inheritedWhole() throws {
        let client = try world.openClient()
        do {
            let iterator = client.messages.makeAsyncIterator()
            try world.atEndpoint { for number in 0..<4 { try $0.send(text: "\(number)") } }
            _ = iterator
        }
        world.executor.runUntilIdle()
        let received = try world.run { await Self.take(4, from: client) }
        #expect(received == (0..<4).map { .text("\($0)") })
    }

    @Test("S1: the sequence goes on over a reconnect and ends when the session stops")
    func acrossConnections() throws {
        let client = try world.openClient("/?hello=1x4")
        let count = Box(0)
        let consumer = world.start {
            for await _ in client.messages { count.value += 1 }
        }
        let world = world
        try world.atEndpoint { $0.drop(.rst) }
        try world.run { try await world.sleep(.seconds(2)) }
        #expect(count.value == 2)
        try world.run {
            await client.disconnect()
            await consumer.value
        }
        #expect(world.causes == [.connectionLost, .closedByApp])
        try world.checkNothingLeft(client)
    }

    @Test("S1: after a stop a new consumer waits for the next session")
    func afterStop() throws {
        let client = try world.openClient()
        try world.run { await client.disconnect() }
        let received = Box<[Message]>([])
        world.start { received.value = await Self.take(1, from: client) }
        try world.run {
            await client.connect()
            try await client.waitUntilOpen()
            try await client.send(.text("again"))
        }
        world.executor.runUntilIdle()
        #expect(received.value == [.text("again")])
    }

    @Test(
        "K11-04: the loop ends within the instant when the session stops, or the task is cancelled")
    func endsAtOnce() throws {
        let client = try world.openClient()
        let world = world
        let cancelled = world.start { for await _ in client.messages {} }
        let stopped = world.start { for await _ in client.messages {} }
        let ends = try world.run {
            cancelled.cancel()
            await cancelled.value
            let first = world.milliseconds
            await client.disconnect()
            await stopped.value
            return [first, world.milliseconds]
        }
        #expect(ends == [0, 0])
        try world.checkNothingLeft(client)
    }

    @Test("K11-04: a consumer whose task is cancelled already gets nil, and takes nothing with it")
    func cancelledBefore() throws {
        let client = try world.openClient("/?hello=2x1")
        let world = world
        try world.run {
            let task = Task(executorPreference: world.executor) {
                withUnsafeCurrentTask { $0?.cancel() }
                return await Self.take(1, from: client)
            }
            #expect(await task.value.isEmpty)
            try await world.sleep(.zero)
            #expect(await Self.take(2, from: client).count == 2)
        }
    }

    @Test(
        "K11-05: a consumer whose connection dropped for good gets nil, once and again, and no more"
    )
    func endsOnce() throws {
        let client = try world.openClient { $0.reconnect = nil }
        let iterations = Box(0)
        let consumer = world.start {
            var iterator = client.messages.makeAsyncIterator()
            while await iterator.next() != nil { iterations.value += 1 }
            for _ in 0..<100 where await iterator.next() != nil { iterations.value += 1 }
        }
        try world.atEndpoint { $0.drop(.rst) }
        try world.run { await consumer.value }
        #expect(iterations.value == 0)
        #expect(world.causes == [.connectionLost])
        try world.checkNothingLeft(client)
    }

    @Test("S1: two tasks on one iterator share its messages, and both come to the end")
    func sharedIterator() throws {
        let client = try world.openClient()
        nonisolated(unsafe) let iterator = client.messages.makeAsyncIterator()
        let seen = Box<[Message]>([])
        let world = world
        let tasks = (0..<2).map { _ in
            world.start {
                var own = iterator
                while let message = await own.next() { seen.value.append(message) }
            }
        }
        for number in 0..<4 { try world.atEndpoint { try $0.send(text: "\(number)") } }
        try world.run {
            await client.disconnect()
            for task in tasks { await task.value }
        }
        #expect(Set(seen.value).count == 4)
        #expect(seen.value.count == 4)
    }

    @Test(
        "K10-08: messages ahead of the server's Close are delivered before the end, to a slow reader too"
    )
    func aheadOfClose() throws {
        let client = try world.client("/?hello=1000x1&close=1000") { $0.reconnect = nil }
        let world = world
        let received = try world.run {
            await client.connect()
            var count = 0
            for await _ in client.messages {
                count += 1
                try await world.sleep(.milliseconds(1))
            }
            return count
        }
        #expect(received == 1_000)
        #expect(world.causes == [.closedByPeer])
        try world.checkNothingLeft(client)
    }

    @Test(
        "K01-08, K05-01: messages in the same segment as the 101 reach a consumer that comes later")
    func withTheHandshake() throws {
        let client = try world.openClient("/?hello=3x5")
        world.executor.advance(by: .milliseconds(1))
        let received = try world.run { await Self.take(3, from: client) }
        #expect(received.count == 3)
    }

    @Test("S1: a sequence that outlives its client ends, whenever it is asked")
    func outlives() throws {
        var client: WebSocketClient? = try world.openClient("/?hello=1x1")
        let messages = try #require(client?.messages)
        client = nil
        world.executor.advance(by: .seconds(10))
        let received = try world.run(limit: .seconds(10)) {
            var all: [Message] = []
            for await message in messages { all.append(message) }
            for await message in messages { all.append(message) }
            return all
        }
        #expect(received.count == 1)
    }

    @Test("S1: next(isolation:) gives the same messages without leaving the caller")
    func isolated() throws {
        let client = try world.openClient("/?hello=2x1")
        let received = try world.run {
            var iterator = client.messages.makeAsyncIterator()
            var all: [Message?] = []
            for _ in 0..<2 { all.append(await iterator.next(isolation: #isolation)) }
            await client.disconnect()
            all.append(await iterator.next(isolation: #isolation))
            return all
        }
        #expect(received.count { $0 != nil } == 2)
        #expect(received.last == .some(nil))
    }

    /// The first `count` messages of a consumer of its own.
    static func take(_ count: Int, from client: WebSocketClient) async -> [Message] {
        var iterator = client.messages.makeAsyncIterator()
        var all: [Message] = []
        while all.count < count, let message = await iterator.next() { all.append(message) }
        return all
    }
}
