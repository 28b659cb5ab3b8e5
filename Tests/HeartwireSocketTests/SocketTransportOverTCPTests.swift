import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import HeartwireSocket

@Suite("The socket transport over TCP", .serialized, .timeLimit(.minutes(1)))
struct SocketTransportOverTCPTests {
    @Test(
        "K10-06: over TCP, real time: the Close counts that came ahead of RST, with 100 KiB unsent",
        arguments: PollerKind.allCases)
    func closeThenReset(_ kind: PollerKind) async throws {
        let loop = try kind.makeLoop()
        let server = try TestServer(loop: loop)
        let log = Log<String>()
        let observer = LoggingObserver(log)
        let request = try ConnectionRequest(url: server.url(), subprotocols: ["p"])
        let transport = try await on(loop) {
            let transport = SocketTransportFactory(loop: loop).makeTransport(
                Generation(1), request: request, observer: observer)
            transport.open()
            return OpenedTransport(value: transport)
        }
        await server.accepted.wait { !$0.isEmpty }
        let head = await server.handlers[0].log.wait {
            RecordingHandler.bytes($0).suffix(4) == [13, 10, 13, 10]
        }
        let bare = BareServer()
        bare.received = RecordingHandler.bytes(head)
        let answer = bare.acceptance
        _ = try await on(loop) { server.channels[0].write(answer) }
        #expect(await log.wait { !$0.isEmpty } == ["opened"])
        try await on(loop) {
            server.channels[0].setReading(false)
            // More than both kernels' buffers take, so our answer to the Close cannot go out.
            _ = try transport.value.send(.binary([UInt8](repeating: 1, count: 8 << 20)))
        }
        try await on(loop) {
            server.channels[0].write(Frames.close(1_008, "poly"))
            server.channels[0].abort(reset: true)
        }
        let reports = await log.wait { $0.contains { $0.hasPrefix("closed") } }
        #expect(reports.last == "closed by the peer: 1008 \"poly\"")
        server.stop()
        loop.shutdown()
    }

    @Test(
        "Long messages go out piece by piece and come in where they stay, masked, whole and in order",
        arguments: PollerKind.allCases)
    func longMessages(_ kind: PollerKind) async throws {
        let loop = try kind.makeLoop()
        let endpoint = Endpoint(executor: loop, random: SeededRandomSource(seed: 1))
        let listener = try await on(loop) {
            try TCPListener.listen(on: loop) { channel in
                endpoint.accept(channel)
                channel.start()
            }
        }
        let log = Log<String>()
        let observer = LoggingObserver(log)
        let request = try ConnectionRequest(url: WebSocketURL("ws://127.0.0.1:\(listener.port)/"))
        let transport = try await on(loop) {
            let transport = SocketTransportFactory(loop: loop).makeTransport(
                Generation(1), request: request, observer: observer)
            transport.open()
            return OpenedTransport(value: transport)
        }
        _ = await log.wait { $0 == ["opened"] }
        let sizes = [3_000_000, 5, 300_000, 262_144, 262_143, 0, 1_000_000]
        try await on(loop) {
            for size in sizes {
                _ = try transport.value.send(.binary(LoggingObserver.pattern(size)))
            }
        }
        let reports = await log.wait { $0.count == 1 + sizes.count }
        #expect(reports == ["opened"] + sizes.map { "\($0) bytes of the pattern" })
        loop.execute { listener.close() }
        loop.shutdown()
    }
}

/// A transport on its way between the loop and a test.
private struct OpenedTransport: @unchecked Sendable {
    let value: any Transport
}

private final class LoggingObserver: TransportObserver, @unchecked Sendable {
    private let log: Log<String>

    init(_ log: Log<String>) {
        self.log = log
    }

    func transportProgressed(_ generation: Generation, _ phase: ConnectPhase) {}
    func transportOpened(_ generation: Generation, _ opened: OpenedConnection) { log.add("opened") }
    func transportReceived(_ generation: Generation, _ message: Message) {
        guard case .binary(let bytes) = message, bytes == Self.pattern(bytes.count) else {
            return log.add("something else")
        }
        log.add("\(bytes.count) bytes of the pattern")
    }
    static func pattern(_ size: Int) -> [UInt8] {
        // The library writes the count, and that of nothing is one for the whole process, which is told of as a race.
        guard size > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: size) { room, count in
            for index in 0..<size {
                room[index] = UInt8(truncatingIfNeeded: index &* 31 ^ index >> 8)
            }
            count = size
        }
    }
    func transportFinishedBatch(_ generation: Generation) {}
    func transportReceivedPing(_ generation: Generation, payload: [UInt8]) {}
    func transportReceivedPong(_ generation: Generation, _ id: PingID) {}
    func transportBecameWritable(_ generation: Generation) {}
    func transportClosed(_ generation: Generation, _ cause: CloseCause) { log.add("\(cause)") }
}
