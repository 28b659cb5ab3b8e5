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
    @Test("T3: over Foundation's task the contract holds, but for the platform's known faults")
    func conformance() async throws {
        let place = try FoundationPlace()
        let report = await TransportConformance.run(
            place.factory, against: place.peer, excluding: PlatformFaults.known)
        place.stop()
        print(report)
        #expect(report.faults.isEmpty, "\(report)")
    }
}

/// An endpoint behind a port of 127.0.0.1, and transports over Foundation's task.
struct FoundationPlace {
    let factory = URLSessionTransportFactory(executor: DispatchExecutor(label: "conformance"))
    let peer: TransportPeer
    private let loop = EventLoop(name: "endpoint")
    private let endpoint: Endpoint
    private let listener: TCPListener

    init() throws {
        let endpoint = Endpoint(executor: loop, random: SeededRandomSource(seed: 1))
        self.endpoint = endpoint
        listener = try TCPListener.listen(on: loop) { channel in
            endpoint.accept(channel)
            channel.start()
        }
        peer = try TransportPeer(endpoint: WebSocketURL("ws://127.0.0.1:\(listener.port)/"))
    }

    func stop() {
        loop.execute { [loop, listener, endpoint] in
            listener.close()
            endpoint.dropAll()
            loop.shutdown()
        }
    }
}
