import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("Texts and binary messages")
struct SelectedMessagesTests {
    private let world = World()

    private func sendBoth() throws {
        try world.atEndpoint {
            for number in 0..<3 as Range<UInt8> {
                try $0.send(text: "\(number)")
                try $0.send(binary: [number])
            }
        }
    }

    @Test("S1: a consumer of texts sees the texts in order, one of binary messages the others")
    func kinds() throws {
        let client = try world.openClient()
        let texts = Box<[String]>([])
        let binaries = Box<[[UInt8]]>([])
        world.start { for await text in client.messages.texts { texts.value.append(text) } }
        world.start { for await one in client.messages.binaries { binaries.value.append(one) } }
        try sendBoth()
        #expect(texts.value == ["0", "1", "2"])
        #expect(binaries.value == [[0], [1], [2]])
        try world.run { await client.disconnect() }
        try world.checkNothingLeft(client)
    }

    @Test("S1: what is passed over is consumed: it holds nobody up")
    func passedOver() throws {
        let client = try world.openClient("/?hello=2000x1024") { $0.receiveBufferBytes = 1 << 16 }
        let seen = Box(0)
        world.start { for await _ in client.messages.texts { seen.value += 1 } }
        world.executor.advance(by: .seconds(10))
        try world.atEndpoint { try $0.send(text: "last") }
        #expect(seen.value >= 1)
        #expect(try world.run { await client.streamStatus.backlogBytes } < 1 << 16)
    }

    @Test("S1: both ways to ask for the next give the same, and the end is the session's")
    func next() throws {
        let client = try world.openClient()
        let world = world
        let seen = try world.run {
            var iterator = client.messages.texts.makeAsyncIterator()
            for text in ["a", "b"] { try world.connectionInDomain?.send(text: text) }
            try await world.sleep(.milliseconds(1))
            var seen = [await iterator.next(), await iterator.next(isolation: #isolation)]
            await client.disconnect()
            seen.append(await iterator.next())
            return seen
        }
        #expect(seen == ["a", "b", nil])
    }

    @Test("S1, S2: a view keeps the bounds of what it is a view of")
    func bounded() throws {
        let client = try world.openClient()
        let latest = client.messages.droppingOldest(beyond: BufferBounds(count: 2))
        let failing = client.messages.failing(beyond: BufferBounds(count: 2)).texts
        let world = world
        let outcome = try world.run {
            var texts = latest.texts.makeAsyncIterator()
            var strict = failing.makeAsyncIterator()
            for number in 0..<4 { try world.connectionInDomain?.send(text: "\(number)") }
            try await world.sleep(.milliseconds(1))
            var outcome = [await texts.next() ?? "end", await texts.next() ?? "end"]
            do throws(BufferOverflow) {
                while let text = try await strict.next() { outcome.append(text) }
            } catch { outcome.append("overflow") }
            return outcome
        }
        #expect(outcome == ["2", "3", "0", "1", "overflow"])
        #expect(latest.dropped == 2)
    }
}

extension World {
    /// The endpoint's newest connection, for a script.
    var connectionInDomain: EndpointConnection? { endpoint.connections.last }
}
