import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

/// The whole client but for the system: what a message costs between the bytes of a read and the app, and back.
enum Clients {
    static let all = [
        Micro(name: "client-64", bytes: 64, reference: "steps") { echoing(64) },
        Micro(name: "client-1k", bytes: 1_024, reference: "steps") { echoing(1_024) },
    ]

    /// Messages that one read brings.
    static let burst = 256

    /// Binary messages of this size, each of which a consumer in the client's domain sends back.
    private static func echoing(_ size: Int) -> (Int) -> Void {
        let executor = LoneExecutor()
        let connector = PeerConnector(executor, size)
        let client: WebSocketClient
        do {
            client = try WebSocketClient("ws://peer.test/") {
                $0.transport = SocketTransportFactory(connector: connector) { Counter() }
                $0.heartbeat = nil
                $0.compression = .off
            }
        } catch {
            fatalError("\(error)")
        }
        Task(executorPreference: executor.taskExecutor) {
            await client.connect()
            try await client.waitUntilOpen()
            try await echo(client, .binary([UInt8](repeating: 0x78, count: size)))
        }
        executor.run()
        return { count in
            connector.peer.send(count)
            executor.run()
            precondition(connector.peer.hasEverythingBack)
        }
    }

    private static func echo(_ client: WebSocketClient, _ message: Message) async throws {
        var messages = client.messages.makeAsyncIterator()
        while await messages.next() != nil { try await client.send(message) }
    }
}

/// Makes the one connection there is.
private final class PeerConnector: ChannelConnector, @unchecked Sendable {
    let executor: any SessionExecutor
    let peer: EchoingPeer

    init(_ executor: LoneExecutor, _ size: Int) {
        self.executor = executor
        peer = EchoingPeer(executor, size)
    }

    func connect(to url: WebSocketURL, handler: any ByteChannelHandler) -> any ByteChannel {
        peer.handler = handler
        executor.execute { [peer] in peer.handler?.channelConnected() }
        return peer
    }
}

/// A server in memory: it completes the handshake, then sends the same frames over and over, and counts what comes back.
private final class EchoingPeer: ByteChannel, @unchecked Sendable {
    let executor: any SessionExecutor
    @exclusivity(unchecked) var handler: (any ByteChannelHandler)?
    @exclusivity(unchecked) private var left = 0
    @exclusivity(unchecked) private var underWay = 0
    private let frames: UnsafeRawBufferPointer
    private let frameBytes: Int
    private var isOpen = false

    init(_ executor: any SessionExecutor, _ size: Int) {
        self.executor = executor
        let length = size < 126 ? [UInt8(size)] : [126, UInt8(size >> 8), UInt8(size & 0xFF)]
        let frame = [0x82] + length + [UInt8](repeating: 0x78, count: size)
        frameBytes = frame.count
        frames = lastingBytes((0..<Clients.burst).flatMap { _ in frame })
    }

    var hasEverythingBack: Bool { left == 0 && underWay == 0 }

    /// Sends so many messages, a burst of them at a time.
    func send(_ count: Int) {
        left = count
        executor.execute { self.sendNext() }
    }

    private func sendNext() {
        underWay = min(left, Clients.burst)
        left -= underWay
        handler?.channelReceived(
            UnsafeRawBufferPointer(rebasing: frames.prefix(underWay * frameBytes)))
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard isOpen else {
            open(bytes)
            return bytes.count
        }
        // A client's frames have a key besides.
        underWay -= bytes.count / (frameBytes + 4)
        if underWay == 0, left > 0 { executor.execute { self.sendNext() } }
        return bytes.count
    }

    private func open(_ request: UnsafeRawBufferPointer) {
        var engine = ConnectionEngine(accepting: Limits(), random: Counter())
        engine.receive(request.bindMemory(to: UInt8.self).span)
        guard case .requestReceived? = engine.nextEvent() else {
            fatalError("the client's request is whole and lawful")
        }
        engine.accept()
        let answer = engine.withOutgoing { [UInt8]($0) }
        isOpen = true
        executor.execute { answer.withUnsafeBytes { self.handler?.channelReceived($0) } }
    }

    func setReading(_ isReading: Bool) {}
    func finish() {}
    func finishWriting() {}
    func abort(reset: Bool) {}
}

/// Numbers that cost nothing, in place of random ones, so that what is counted is the client's.
private final class Counter: RandomSource, @unchecked Sendable {
    @exclusivity(unchecked) private var number: UInt64 = 0

    func next() -> UInt64 {
        number &+= 0x9E37_79B9_7F4A_7C15
        return number
    }
}
