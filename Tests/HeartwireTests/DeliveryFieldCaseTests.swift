import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

/// The real transport against the real endpoint on a virtual network of a stated speed.
///
/// `@unchecked Sendable`: everything happens in the virtual domain.
private final class NetworkWorld: @unchecked Sendable {
    let executor = VirtualExecutor()
    let network: VirtualNetwork
    let endpoint: Endpoint
    private(set) var channels: [VirtualChannel] = []
    private let book = Book()

    var journal: [EndpointEvent.Kind] { book.events.map(\.kind) }
    var bytesReceived: [Int] {
        journal.compactMap { if case .message(_, let bytes) = $0 { bytes } else { nil } }
    }

    init(_ script: EndpointScript, latency: Duration = .zero, capacity: Int = 256 << 10) {
        let book = book
        let endpoint = Endpoint(
            executor: executor, random: SeededRandomSource(seed: 1), behaviour: script,
            journal: { book.events.append($0) })
        self.endpoint = endpoint
        network = VirtualNetwork(executor: executor, latency: latency)
        network.pipeCapacity = capacity
        network.listen(port: 80) { [unowned self] channel in
            channels.append(channel)
            endpoint.accept(channel)
        }
    }

    func client(
        _ outbox: OutboxConfiguration?,
        _ configure: @Sendable (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> WebSocketClient {
        try WebSocketClient("ws://endpoint.test/") { configuration in
            configuration.transport = SocketTransportFactory(
                connector: network, random: { SeededRandomSource(seed: 2) })
            configuration.seed = 1
            configuration.outbox = outbox
            // The network's speed is counted in the bytes of the messages.
            configuration.compression = .off
            configure(&configuration)
        }
    }

    func pause(_ duration: Duration) async {
        await withCheckedContinuation { continuation in
            let deadline = executor.now().advanced(by: duration)
            _ = executor.schedule(at: deadline) { continuation.resume() }
        }
    }

    private final class Book {
        var events: [EndpointEvent] = []
    }
}

@Suite("Delivery: field cases against the endpoint")
struct DeliveryFieldCaseTests {
    private static func mute() -> EndpointBehaviour {
        var behaviour = EndpointBehaviour()
        behaviour.echoes = false
        return behaviour
    }

    @Test(
        "K04-04: into a socket that is dying, what is guaranteed arrives on the next one and what is not ends at once"
    )
    func dyingSocket() throws {
        var dying = Self.mute()
        dying.drop = EndpointBehaviour.Drop(.rst, after: .milliseconds(10))
        let world = NetworkWorld(
            .sequence([dying], then: .always(Self.mute())), latency: .milliseconds(20))
        let client = try world.client(.memory)
        try world.executor.runScript {
            await client.connect()
            try await client.waitUntilOpen()
            // The reset is under way and not noticed yet.
            let guaranteed = try await client.deliver(.text("guaranteed"))
            let bestEffort = Task(executorPreference: world.executor) {
                try await client.send(.text("best effort"))
            }
            #expect(guaranteed.state == .written(Generation(1)))
            try await bestEffort.value
            try await guaranteed.confirmed()
            #expect(world.endpoint.counters.opened == 2)
            #expect(world.bytesReceived == [10], "only the guaranteed one, once")
            #expect(await client.outboxStatus.redelivered == 1)
        }
    }

    @Test(
        "K04-10: a hundred messages and the Close behind them leave in this order, within the grace"
    )
    func drainInOrder() throws {
        // 64 KiB each 62.5 ms: 1 MiB a second.
        let world = NetworkWorld(
            .always(Self.mute()), latency: .microseconds(31_250), capacity: 64 << 10)
        let client = try world.client(.memory)
        try world.executor.runScript {
            await client.connect()
            try await client.waitUntilOpen()
            let payload = Message.binary([UInt8](repeating: 1, count: 64 << 10))
            for _ in 0..<100 { _ = try await client.deliver(payload) }
            let report = await client.shutdown(grace: .seconds(30))
            #expect(report.isDrained)
            await world.pause(.seconds(1))
            #expect(world.bytesReceived == [Int](repeating: 64 << 10, count: 100))
            let closes = world.journal.enumerated().filter { _, kind in
                if case .closeReceived = kind { true } else { false }
            }
            let last = world.journal.lastIndex { kind in
                if case .message = kind { true } else { false }
            }
            #expect(closes.count == 1)
            #expect(try #require(closes.first).offset > (try #require(last)))
        }
    }

    @Test("K04-10: when the grace is too short, each message that was not sent is reported as such")
    func drainTooShort() throws {
        let world = NetworkWorld(
            .always(Self.mute()), latency: .microseconds(31_250), capacity: 64 << 10)
        let client = try world.client(.memory)
        try world.executor.runScript {
            await client.connect()
            try await client.waitUntilOpen()
            let payload = Message.binary([UInt8](repeating: 1, count: 64 << 10))
            for _ in 0..<100 { _ = try await client.deliver(payload) }
            let report = await client.shutdown(grace: .seconds(2))
            let arrived = world.bytesReceived.count
            #expect((30..<100).contains(arrived))
            let unsent = report.left.filter { !$0.mayHaveArrived }
            #expect(!unsent.isEmpty)
            #expect(unsent.map(\.id) == (1...100).suffix(unsent.count).map { DeliveryID($0) })
            #expect(arrived <= 100 - unsent.count, "what arrived is not reported as unsent")
        }
    }

    @Test(
        "K04-11: a server that stops reading makes callers wait; the session lives, and all arrives afterwards"
    )
    func backPressure() throws {
        let world = NetworkWorld(.always(Self.mute()))
        var outbox = OutboxConfiguration.memory
        outbox.bounds.bytes = 16 << 20
        outbox.bounds.overflow = .suspend
        let client = try world.client(outbox) { $0.heartbeat = nil }
        try world.executor.runScript {
            await client.connect()
            try await client.waitUntilOpen()
            let server = try #require(world.channels.last)
            server.setReading(false)
            let app = Task(executorPreference: world.executor) {
                let payload = Message.binary([UInt8](repeating: 1, count: 64 << 10))
                for _ in 0..<400 { _ = try await client.deliver(payload) }
            }
            await world.pause(.seconds(60))
            let status = await client.outboxStatus
            #expect(status.accepted == 255, "16 MiB of 64 KiB and 64 bytes each")
            #expect(await client.state == .open(Generation(1)))
            server.setReading(true)
            try await app.value
            #expect(await client.shutdown().isDrained)
            #expect(world.bytesReceived.count == 400)
            #expect(world.endpoint.counters.opened == 1)
        }
    }

    @Test("D2: what waits for a connection goes out once, in order, on the next one")
    func dropBeforeFlush() throws {
        var dying = Self.mute()
        dying.drop = EndpointBehaviour.Drop(.fin, after: .milliseconds(50))
        let world = NetworkWorld(.sequence([dying], then: .always(Self.mute())))
        let client = try world.client(.memory)
        try world.executor.runScript {
            await client.connect()
            try await client.waitUntilOpen()
            await world.pause(.milliseconds(60))
            _ = try await client.deliver(.text("a"))
            let last = try await client.deliver(.text("bb"))
            try await last.confirmed()
            #expect(world.bytesReceived == [1, 2])
        }
    }
}
