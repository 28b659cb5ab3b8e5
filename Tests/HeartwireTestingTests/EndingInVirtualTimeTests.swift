import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

/// What one read yields ahead of a Close or a fault is answered ahead of it, by who is in the loop's domain.
@Suite struct EndingInVirtualTimeTests {
    private let executor = VirtualExecutor()
    private let network: VirtualNetwork

    init() {
        network = VirtualNetwork(executor: executor, latency: .zero)
    }

    /// Runs an echoing client against a server that sends what `script` queues in one write.
    private func run(
        onMessage: @escaping @Sendable (WebSocketClient, Message) async -> Void = {
            try? await $0.send($1)
        },
        finishes: Bool = false, _ script: @escaping (inout ConnectionEngine) throws -> Void
    ) throws -> (server: Server, cause: StopCause?) {
        let server = Server(finishes: finishes, script)
        let network = network
        network.listen(port: 80) { server.accept($0) }
        let client = try WebSocketClient("ws://server.test/") { configuration in
            configuration.transport = SocketTransportFactory(
                connector: network, random: { SeededRandomSource(seed: 2) })
            configuration.reconnect = nil
            configuration.heartbeat = nil
        }
        let cause = try executor.runScript {
            var messages = client.messages.makeAsyncIterator()
            await client.connect()
            while let message = await messages.next(isolation: #isolation) {
                await onMessage(client, message)
            }
            guard case .stopped(let cause) = await client.state else { return StopCause?.none }
            return cause
        }
        executor.runUntilIdle()
        return (server, cause)
    }

    @Test("RFC 6455 5.5.1: messages ahead of a Close are echoed ahead of its answer")
    func close() throws {
        let (server, cause) = try run { engine in
            try engine.send(.text("a"))
            try engine.send(.binary([1]))
            try engine.close(1001, reason: "bye")
        }
        #expect(server.seen == ["text a", "binary [1]", "close 1001"])
        #expect(
            cause == .refusedToRetry(.closedByPeer(PeerClose(code: 1001, reason: "bye"))))
    }

    @Test("RFC 6455 7.1.7: messages ahead of a broken rule are echoed ahead of the Close for it")
    func fault() throws {
        let (server, cause) = try run { engine in
            try engine.send(.text("a"))
            engine.queueRaw([0x83, 0x00])
        }
        #expect(server.seen == ["text a", "close 1002"])
        guard case .refusedToRetry(.protocolViolation(let violation)) = cause else {
            Issue.record("another cause: \(String(describing: cause))")
            return
        }
        #expect(violation.closeCode == 1002)
    }

    @Test("A Close with nothing ahead of it is answered at once, and so is one without a code")
    func alone() throws {
        #expect(try run { try $0.close(1000) }.server.seen == ["close 1000"])
        #expect(try run { try $0.close(nil) }.server.seen == ["close none"])
    }

    @Test("G4: the peer's Close decides, though the app closes over a message ahead of it")
    func appClosesToo() throws {
        let (server, cause) = try run(
            onMessage: { client, _ in try? await client.disconnect(code: 4000) }
        ) { engine in
            try engine.send(.text("a"))
            try engine.close(1000)
        }
        #expect(server.seen == ["close 1000"])
        guard case .disconnected(let ended?) = cause else {
            Issue.record("another cause: \(String(describing: cause))")
            return
        }
        #expect("\(ended)".contains("1000"))
    }

    @Test("G4: a Close behind a message decides, though the end of the stream comes with it")
    func streamEnds() throws {
        let (_, cause) = try run(finishes: true) { engine in
            try engine.send(.text("a"))
            try engine.close(1000)
        }
        #expect(cause == .refusedToRetry(.closedByPeer(PeerClose(code: 1000))))
    }

    @Test("A pong does not wait: it goes out ahead of the echo of what came before the ping")
    func pong() throws {
        let (server, _) = try run { engine in
            try engine.send(.text("a"))
            try engine.sendPing([7])
            try engine.close(1000)
        }
        #expect(server.seen == ["pong [7]", "text a", "close 1000"])
    }
}

/// A server that answers the opening and sends one script behind it, in the same write.
private final class Server: ByteChannelHandler {
    private(set) var seen: [String] = []
    private let script: (inout ConnectionEngine) throws -> Void
    private let finishes: Bool
    private var engine = ConnectionEngine(accepting: Limits(), random: SeededRandomSource(seed: 3))
    private var channel: (any ByteChannel)?

    init(finishes: Bool, _ script: @escaping (inout ConnectionEngine) throws -> Void) {
        self.finishes = finishes
        self.script = script
    }

    func accept(_ channel: any ByteChannel) {
        self.channel = channel
        channel.handler = self
    }

    func channelConnected() {}
    func channelBecameWritable() {}
    func channelFailed(_ failure: ConnectionFailure) { channel = nil }

    func channelReceived(_ bytes: UnsafeRawBufferPointer) {
        engine.receive(bytes.bindMemory(to: UInt8.self).span)
        while let event = engine.nextEvent() { note(event) }
        write()
    }

    func channelReceivedEOF() {
        channel?.finish()
        channel = nil
    }

    private func note(_ event: EngineEvent) {
        switch event {
        case .requestReceived:
            engine.accept()
            do { try script(&engine) } catch { Issue.record("\(error)") }
        case .message(.text(let text)): seen.append("text \(text)")
        case .message(.binary(let bytes)): seen.append("binary \(bytes)")
        case .pongReceived(let payload): seen.append("pong \(payload)")
        case .closeReceived(let code, _):
            seen.append("close \(code.map { "\($0.rawValue)" } ?? "none")")
        case .failed(let violation): seen.append("failed \(violation)")
        case .pingReceived, .opened, .refused, .ended: seen.append("\(event)")
        }
    }

    private func write() {
        guard let channel else { return }
        let count = engine.withOutgoing { channel.write($0) }
        engine.didWrite(count)
        if finishes { channel.finishWriting() }
    }
}
