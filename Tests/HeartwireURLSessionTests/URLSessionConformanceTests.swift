import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import HeartwireURLSession
import Testing

/// Runs over the system's own task, where that speaks WebSocket: on Apple, and on Linux with `make test-urlsession`.
@Suite(
    "The URLSession transport over Foundation's task", .serialized, .timeLimit(.minutes(5)),
    .enabled(if: URLSessionTransportFactory.isSupported))
struct URLSessionConformanceTests {
    @Test(
        "T3: over Foundation's task each case of the contract holds, or is known not to",
        arguments: TransportConformance.Case.allCases.filter { !PlatformFaults.fatal.contains($0) })
    func conformance(_ aCase: TransportConformance.Case) async throws {
        let place = try FoundationPlace()
        let report = await place.run(aCase)
        place.stop()
        #expect(report.faults.isEmpty, "\(report)")
    }
}

/// An endpoint behind a port of 127.0.0.1, and transports over Foundation's task.
struct FoundationPlace {
    let factory = URLSessionTransportFactory(executor: DispatchExecutor(label: "conformance"))
    let peer: TransportPeer
    /// What happened at the endpoint.
    let events: AsyncStream<EndpointEvent.Kind>
    private let loop = EventLoop(name: "endpoint")
    private let endpoint: Endpoint
    private let listener: TCPListener

    init() throws {
        let (events, journal) = AsyncStream.makeStream(of: EndpointEvent.Kind.self)
        self.events = events
        let endpoint = Endpoint(
            executor: loop, random: SeededRandomSource(seed: 1),
            journal: { journal.yield($0.kind) })
        self.endpoint = endpoint
        listener = try TCPListener.listen(on: loop) { channel in
            endpoint.accept(channel)
            channel.start()
        }
        peer = try TransportPeer(endpoint: WebSocketURL("ws://127.0.0.1:\(listener.port)/"))
    }

    func run(_ aCase: TransportConformance.Case) async -> TransportConformanceReport {
        await TransportConformance.run(
            factory, against: peer, excluding: PlatformFaults.known, cases: [aCase])
    }

    /// The Close frames of the first connection, as the endpoint saw them, once it is over.
    func closes() async -> [EndpointEvent.Kind] {
        var closes: [EndpointEvent.Kind] = []
        for await event in events {
            switch event {
            case .closeReceived, .closeSent: closes.append(event)
            case .ended: return closes
            case .accepted, .requested, .opened, .refused, .message, .ping, .pong, .dropped,
                .frozen:
                continue
            }
        }
        return closes
    }

    /// What comes back for a message.
    func echo(_ message: Message) async throws -> Message? {
        let client = try WebSocketClient(try peer.url("")) {
            $0.transport = factory
            $0.reconnect = nil
        }
        await client.connect()
        try await client.waitUntilOpen()
        try await client.send(message)
        for await message in client.messages { return message }
        return nil
    }

    func stop() {
        loop.execute { [loop, listener, endpoint] in
            listener.close()
            endpoint.dropAll()
            loop.shutdown()
        }
    }
}
