import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@Suite("Delivery: over connections")
struct DeliveryConnectionTests {
    private let world = DeliveryWorld()

    @Test(
        "K04-01: A, B and C that were taken in during an outage arrive once, in order, after the reconnect"
    )
    func outage() throws {
        let client = try world.client()
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            world.line?.lose()
            await world.pause()
            for text in ["A", "B", "C"] { _ = try await client.deliver(.text(text)) }
            #expect(world.sent == [])
            try await client.waitUntilOpen()
            await world.pause()
            #expect(world.texts == ["A", "B", "C"])
            #expect(Set(world.sent.map(\.generation)).count == 1)
            #expect(await client.outboxStatus.waiting == 0)
        }
    }

    @Test(
        "K04-02: a backlog of 25 goes out whole, and a send in the moment of the opening does not overtake it"
    )
    func backlog() throws {
        let client = try world.client()
        world.room = 10
        try world.run { world in
            for number in 1...25 { _ = try await client.deliver(.text("\(number)")) }
            let app = Task(executorPreference: world.executor) {
                try await client.waitUntilOpen()
                try await client.send(.text("26"))
            }
            await client.connect()
            await world.pause()
            #expect(world.texts.count == 10)
            for _ in 0..<3 {
                world.line?.drain()
                await world.pause()
            }
            try await app.value
            #expect(world.texts == (1...26).map { "\($0)" })
        }
    }

    @Test("K04-02: a send that waits behind a backlog fails when the connection ends")
    func backlogLost() throws {
        let client = try world.client()
        world.room = 1
        try world.run { world in
            for number in 1...3 { _ = try await client.deliver(.text("\(number)")) }
            await client.connect()
            try await client.waitUntilOpen()
            let app = Task(executorPreference: world.executor) {
                try await client.send(.text("4"))
            }
            await world.pause()
            world.line?.lose()
            await #expect(throws: SendError.connectionEnded) { try await app.value }
            #expect(world.texts == ["1"])
        }
    }

    @Test(
        "D5, K04-05: what was written and not confirmed goes out again with its id, flagged, ahead of newer ones"
    )
    func resend() throws {
        let client = try world.client(.memory().labelled())
        world.answersPings = false
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            let receipt = try await client.deliver(.text("a"))
            try await receipt.written()
            #expect(receipt.state == .written(Generation(1)))
            world.line?.lose()
            await world.pause()
            #expect(receipt.state == .stored)
            try await receipt.written()
            let newer = try await client.deliver(.text("b"))
            world.answersPings = true
            try await newer.confirmed()
            #expect(receipt.state == .confirmed)
            #expect(world.texts == ["1!a", "1?a", "2!b"])
            let generations = world.sent.map(\.generation)
            #expect(generations[0] < generations[1])
            #expect(generations[1] == generations[2])
            #expect(await client.outboxStatus.redelivered == 1)
        }
    }

    @Test(
        "D3, H3: one fence is out at a time, and the next one covers all that was written meanwhile"
    )
    func oneFence() throws {
        let client = try world.client()
        world.answersPings = false
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            let receipts = [
                try await client.deliver(.text("a")), try await client.deliver(.text("b")),
                try await client.deliver(.text("c")),
            ]
            await world.pause()
            let line = try #require(world.line)
            #expect(line.pings.count == 1)
            line.pong(line.pings[0])
            await world.pause()
            #expect(receipts[0].state == .confirmed)
            #expect(receipts[1].state == .written(line.generation))
            #expect(line.pings.count == 2)
            line.pong(line.pings[1])
            await world.pause()
            #expect(receipts.map(\.state) == [.confirmed, .confirmed, .confirmed])
            #expect(line.pings.count == 2, "nothing is left to be confirmed")
        }
    }

    @Test(
        "D2, D3: a backlog shrinks also where every connection dies before all of it was written")
    func shortLives() throws {
        let client = try world.client()
        world.room = 10
        try world.run { world in
            for number in 1...30 { _ = try await client.deliver(.text("\(number)")) }
            await client.connect()
            for waiting in [30, 29, 28] {
                try await client.waitUntilOpen()
                await world.pause()
                #expect(await client.outboxStatus.waiting == waiting)
                world.line?.lose()
                await world.pause()
            }
            let first = (1...10).map { "\($0)" }
            #expect(Array(world.texts.prefix(21)) == first + first + ["2"])
        }
    }

    @Test(
        "D3, K04-02: the ping behind the first message that goes out again holds up neither the others nor their order"
    )
    func firstFence() throws {
        let client = try world.client()
        world.answersPings = false
        try world.run { world in
            for text in ["a", "b", "c"] { _ = try await client.deliver(.text(text)) }
            await client.connect()
            await world.pause()
            #expect(world.line?.pingPlaces == [3])
            world.line?.lose()
            await world.pause()
            let app = Task(executorPreference: world.executor) {
                try await client.waitUntilOpen()
                try await client.send(.text("d"))
            }
            try await app.value
            await world.pause()
            let line = try #require(world.line)
            #expect(world.texts == ["a", "b", "c", "a", "b", "c", "d"])
            #expect(line.pingPlaces == [1])
            line.pong(line.pings[0])
            await world.pause()
            #expect(await client.outboxStatus.waiting == 2)
            #expect(line.pingPlaces == [1, 4])
        }
    }

    @Test(
        "D3: when there is room again a ping goes out before it is used up, and none while there is none"
    )
    func fenceAtRoom() throws {
        let client = try world.client()
        world.room = 2
        try world.run { world in
            for text in ["a", "b", "c", "d", "e"] { _ = try await client.deliver(.text(text)) }
            await client.connect()
            await world.pause()
            let line = try #require(world.line)
            #expect(line.pingPlaces == [])
            line.drain()
            await world.pause()
            #expect(line.pingPlaces == [2] && world.texts.count == 4)
            #expect(await client.outboxStatus.waiting == 3)
            line.drain()
            await world.pause()
            #expect(line.pingPlaces == [2, 4, 5])
            #expect(await client.outboxStatus.waiting == 0)
        }
    }

    @Test("D3, H3: a ping of the heartbeat is the fence for what was written before it")
    func heartbeatIsFence() throws {
        let client = try world.client {
            $0.heartbeat = .every(.milliseconds(100), timeout: .milliseconds(1_000))
        }
        world.answersPings = false
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            await world.pause(100)
            let line = try #require(world.line)
            #expect(line.pings == [PingID(1)])
            let receipt = try await client.deliver(.text("a"))
            await world.pause()
            #expect(line.pings == [PingID(1)], "the heartbeat's ping is out")
            line.pong(PingID(1))
            await world.pause()
            #expect(receipt.state == .written(line.generation))
            #expect(line.pings == [PingID(1), PingID(2)])
            line.pong(PingID(2))
            try await receipt.confirmed()
        }
    }

    @Test("D3, G1: a pong of a connection that is over confirms nothing")
    func stalePong() throws {
        let client = try world.client()
        world.answersPings = false
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            let receipt = try await client.deliver(.text("a"))
            await world.pause()
            let old = try #require(world.line)
            let observer = try #require(old.observer)
            old.lose()
            await world.pause()
            observer.transportReceivedPong(old.generation, old.pings[0])
            #expect(receipt.state == .stored)
            try await client.waitUntilOpen()
            await world.pause()
            observer.transportReceivedPong(old.generation, old.pings[0])
            #expect(receipt.state == .written(try #require(world.line).generation))
        }
    }

    @Test("D3: with confirmation by writing, a message is confirmed as it goes out")
    func byWriting() throws {
        let client = try world.client(.memory(confirmation: .written))
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            let receipt = try await client.deliver(.text("a"))
            #expect(receipt.state == .confirmed)
            await world.pause()
            #expect(world.line?.pings == [])
        }
    }

    @Test("D3: the app's acknowledgement confirms by the id in a message, in any order")
    func byAcknowledgement() throws {
        let reader: @Sendable (Message) -> [DeliveryID] = { message in
            guard case .text(let text) = message, text.hasPrefix("ack ") else { return [] }
            return text.dropFirst(4).split(separator: ",").compactMap { UInt64($0) }
                .map { DeliveryID($0) }
        }
        let client = try world.client(.memory(confirmation: .acknowledgement(reader)).labelled())
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            var receipts: [Receipt] = []
            for text in ["a", "b", "c"] { receipts.append(try await client.deliver(.text(text))) }
            world.line?.receive("ack 3,99")
            try await receipts[2].confirmed()
            #expect(receipts[0].state == .written(Generation(1)))
            #expect(world.line?.pings == [], "no fence is asked for")
            world.line?.receive("something else")
            world.line?.receive("ack 1,2")
            try await receipts[1].confirmed()
            #expect(receipts[0].state == .confirmed)
        }
    }

    @Test("K04-08: what is bound to the session is not sent on the next one, the rest is")
    func sessionBound() throws {
        let client = try world.client()
        world.room = 1
        world.answersPings = false
        try world.run { world in
            await #expect(throws: DeliveryError.refused(.noSession)) {
                try await client.deliver(.text("unsub 1"), sessionBound: true)
            }
            await client.connect()
            try await client.waitUntilOpen()
            _ = try await client.deliver(.text("a"))
            let bound = try await client.deliver(.text("unsub 7"), sessionBound: true)
            let free = try await client.deliver(.text("b"))
            #expect(world.texts == ["a"])
            world.line?.lose()
            await #expect(throws: DeliveryError.rejected(.sessionEnded)) {
                try await bound.confirmed()
            }
            world.room = .max
            world.answersPings = true
            try await free.confirmed()
            #expect(world.texts == ["a", "a", "b"])
            #expect(await client.outboxStatus.rejected == 1)
        }
    }

    @Test("D2: a message expires at its age, to the millisecond, and its receipt says so")
    func expiry() throws {
        let client = try world.client(.memory(age: .seconds(1)))
        try world.run { world in
            let old = try await client.deliver(.text("old"))
            await world.pause(500)
            let young = try await client.deliver(.text("young"))
            await world.pause(499)
            #expect(old.state == .stored)
            await world.pause(2)
            #expect(old.state == .expired)
            await #expect(throws: DeliveryError.expired) { try await old.confirmed() }
            await client.connect()
            try await young.confirmed()
            #expect(world.texts == ["young"])
            #expect(await client.outboxStatus.expired == 1)
        }
    }

    @Test("D2: what was restored grows old too, though nobody connects")
    func restoredExpires() throws {
        let store = ScriptedStore()
        store.contents = OutboxContents(
            entries: [OutboxEntry(id: DeliveryID(1), message: .text("a"))], lastID: DeliveryID(1))
        var outbox = OutboxConfiguration(store: store)
        outbox.bounds.age = .seconds(1)
        let client = try world.client(outbox)
        try world.run { world in
            await world.pause(999)
            #expect(store.removed == [])
            await world.pause(1)
            #expect(store.removed == [DeliveryID(1)])
            #expect(await client.outboxStatus.expired == 1)
        }
    }

    @Test(
        "D5: a transport that is ending takes nothing; the message goes out on the next connection")
    func endingTransport() throws {
        let client = try world.client(.memory().labelled())
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            world.line?.fault = .closed
            let receipt = try await client.deliver(.text("a"))
            #expect(receipt.state == .stored)
            world.line?.lose()
            try await receipt.confirmed()
            #expect(world.texts == ["1?a"])
        }
    }

    @Test("D2: a message that the protocol cannot carry is rejected and holds nothing up")
    func unsendable() throws {
        let client = try world.client()
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            world.line?.fault = .reasonWithoutCode
            let bad = try await client.deliver(.text("a"))
            #expect(bad.state == .rejected(.unsendable(.reasonWithoutCode)))
            try await client.deliver(.text("b")).confirmed()
            #expect(world.texts == ["b"])
        }
    }

    @Test("D2: after a disconnect nothing goes out; after the next connect it does")
    func disconnect() throws {
        let client = try world.client()
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            await client.disconnect()
            let receipt = try await client.deliver(.text("a"))
            await world.pause(10_000)
            #expect(world.sent == [])
            await client.connect()
            try await receipt.confirmed()
        }
    }

    @Test("D2: nothing waits for ever for a client that is gone")
    func abandoned() throws {
        let store = MemoryOutboxStore()
        try world.run { world in
            let receipt = try await {
                let client = try world.client(OutboxConfiguration(store: store))
                return try await client.deliver(.text("a"))
            }()
            await #expect(throws: DeliveryError.shutDown) { try await receipt.confirmed() }
            #expect(receipt.state == .stored)
            let heir = try world.client(OutboxConfiguration(store: store))
            await heir.connect()
            await world.pause()
            #expect(world.texts == ["a"])
            #expect(store.count == 0)
        }
    }
}
