import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

/// Real time: the endpoint behind the system's TCP, for what the virtual network only imitates.
@Suite(.serialized, .timeLimit(.minutes(1))) struct EndpointOverTCPTests {
    private let loop = EventLoop(name: "endpoint-tests")
    private let listener: TCPListener
    private let endpoint: Endpoint

    init() throws {
        let endpoint = Endpoint(executor: loop, random: SeededRandomSource(seed: 1))
        self.endpoint = endpoint
        listener = try TCPListener.listen(on: loop) { channel in
            endpoint.accept(channel)
            channel.start()
        }
    }

    private func client(_ target: String) throws -> WebSocketClient {
        let loop = loop
        return try WebSocketClient("ws://127.0.0.1:\(listener.port)\(target)") { configuration in
            configuration.transport = SocketTransportFactory(loop: loop)
            configuration.reconnect = nil
        }
    }

    /// Connects and waits for the session to stop; gives its cause.
    private func stop(_ target: String) async throws -> StopCause? {
        let client = try client(target)
        return await Task(executorPreference: loop) {
            await client.connect()
            for await state in client.states {
                if case .stopped(let cause) = state { return cause }
            }
            return nil
        }.value
    }

    private func closeCause(_ target: String) async throws -> CloseCause? {
        switch try await stop(target) {
        case .refusedToRetry(let cause)?, .attemptsExhausted(let cause)?: cause
        case .disconnected?, nil: nil
        }
    }

    @Test("Real time: a thousand messages and one of 3 MiB come back unchanged")
    func echo() async throws {
        let client = try client("/")
        let large = Message.binary([UInt8](repeating: 0x5A, count: 3 << 20))
        let echoed = try await Task(executorPreference: loop) {
            var iterator = client.messages.makeAsyncIterator()
            await client.connect()
            try await client.waitUntilOpen()
            for number in 0..<1_000 { try await client.send(.text("message \(number)")) }
            try await client.send(large)
            var echoed: [Message?] = []
            for _ in 0...1_000 { echoed.append(await iterator.next()) }
            await client.disconnect()
            return echoed
        }.value
        #expect(echoed == (0..<1_000).map { .text("message \($0)") } + [large])
        #expect(endpoint.counters.messages == 1_001)
        #expect(endpoint.counters.living == 0)
        loop.shutdown()
    }

    @Test("Real time: a Close, FIN, RST and the refusals come over TCP as they were asked for")
    func endings() async throws {
        let closed = try await closeCause("/?close=4002:bye")
        #expect(closed == .closedByPeer(PeerClose(code: 4002, reason: "bye")))
        let finished = try await closeCause("/?drop=fin@5")
        #expect(finished?.kind == .connectionLost)
        let reset = try await closeCause("/?drop=rst@5")
        #expect(reset?.kind == .connectionLost)
        #expect(reset.map { "\($0)" }?.contains("reset") == true)
        let refused = try await closeCause("/?refuse=418")
        #expect(refused?.kind == .refused)
        let bad = try await closeCause("/?refuse=badaccept")
        #expect(bad?.kind == .badHandshake)
        let garbage = try await closeCause("/?refuse=garbage")
        #expect(garbage?.kind == .badHandshake)
        let cut = try await closeCause("/?refuse=reset")
        #expect(cut != nil)
        loop.shutdown()
    }
}
