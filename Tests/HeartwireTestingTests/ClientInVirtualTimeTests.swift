import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

/// The whole of the house in virtual time: the client, its transport, and the endpoint.
@Suite struct ClientInVirtualTimeTests {
    private let world = World()

    private func client(
        _ target: String, configure: @Sendable (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> WebSocketClient {
        let network = world.network
        return try WebSocketClient("ws://endpoint.test:\(World.port)\(target)") { configuration in
            configuration.transport = SocketTransportFactory(
                connector: network, random: { SeededRandomSource(seed: 2) })
            configuration.seed = 4
            configure(&configuration)
        }
    }

    @Test("A4: opening, echo and closing take no time at all")
    func echo() throws {
        let client = try client("/")
        let messages = try world.executor.runScript {
            var iterator = client.messages.makeAsyncIterator()
            await client.connect()
            try await client.waitUntilOpen()
            try await client.send(.text("hello"))
            try await client.send(.binary([1, 2, 3]))
            let first = await iterator.next()
            let second = await iterator.next()
            await client.disconnect()
            return [first, second]
        }
        #expect(messages == [.text("hello"), .binary([1, 2, 3])])
        #expect(world.milliseconds == 0)
        #expect(world.endpoint.counters.closed == 1)
        #expect(
            world.journal.suffix(3).map(\.kind) == [
                .closeReceived(1000), .closeSent(1000), .ended,
            ])
    }

    @Test(
        "H15: an endpoint that answers no ping is left one interval and one timeout after the opening"
    )
    func heartbeat() throws {
        let client = try client("/?pong=off") {
            $0.heartbeat = .every(.milliseconds(100), timeout: .milliseconds(1_000))
            $0.reconnect = nil
        }
        let executor = world.executor
        let stop = try executor.runScript {
            await client.connect()
            for await state in client.states {
                guard case .stopped(let cause) = state else { continue }
                return "\(cause)"
            }
            return "no end"
        }
        #expect(world.milliseconds == 1_100)
        #expect(stop.contains("heartbeat") || stop.contains("no pong"))
        #expect(world.endpoint.counters.pings == 1)
    }

    @Test("R1: a server that refuses is asked again after the back-off, in virtual seconds")
    func reconnect() throws {
        var refusing = EndpointBehaviour()
        refusing.refusal = .status(503, retryAfterSeconds: nil)
        world.endpoint.script = .sequence([refusing, refusing], then: .byQuery)
        let client = try client("/")
        try world.executor.runScript {
            await client.connect()
            try await client.waitUntilOpen()
        }
        #expect(world.endpoint.counters.accepted == 3)
        #expect((3_000...4_000).contains(world.milliseconds))
    }
}
