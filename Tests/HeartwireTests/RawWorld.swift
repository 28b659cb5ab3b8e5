import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting

/// Clients in virtual time that meet servers whose every byte a test decides.
final class RawWorld: @unchecked Sendable {
    let executor = VirtualExecutor()
    let network: VirtualNetwork
    /// Every connection that was accepted, in order.
    private(set) var connections: [RawConnection] = []

    init() {
        network = VirtualNetwork(executor: executor)
    }

    /// Virtual milliseconds since the beginning.
    var milliseconds: Int64 { executor.now().nanoseconds / 1_000_000 }

    /// The heads that arrived, in order, as text.
    var heads: [String] { connections.compactMap(\.head) }

    /// Has `answer` called with each connection to `port` once, as soon as its HTTP head is complete.
    func serve(port: UInt16 = 80, _ answer: @escaping (RawConnection) -> Void) {
        accept(port: port) { connection in connection.onHead = answer }
    }

    /// Has `begin` called with each connection to `port` as soon as it is there.
    func accept(port: UInt16, _ begin: @escaping (RawConnection) -> Void) {
        network.listen(port: port) { channel in
            let connection = RawConnection(channel, self.executor)
            self.connections.append(connection)
            begin(connection)
        }
    }

    /// A proxy at `port` that answers CONNECT with `head` and then leads to the port that was asked for.
    func proxy(port: UInt16, answering head: String = "HTTP/1.1 200 OK\r\n\r\n") {
        serve(port: port) { connection in
            connection.write(head)
            connection.tunnel(self.network)
        }
    }

    func client(
        _ url: String, configure: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> WatchedClient {
        let random = Seeded()
        let factory = SocketTransportFactory(connector: network, random: { random.source })
        return try WatchedClient(
            try WebSocketURL(url), transport: factory,
            configure: { configuration in
                configuration.seed = 5
                configuration.reconnect = nil
                configuration.connectTimeout = .seconds(10)
                configure(&configuration)
            })
    }

    /// What came of a client that was connected once.
    struct Result: Sendable {
        var stop: StopCause?
        var messages: [Message]
        var journal: [JournalEvent]
        /// When it stopped, or when nothing more happened.
        var milliseconds: Int64

        var cause: CloseCause? {
            switch stop {
            case .refusedToRetry(let cause), .attemptsExhausted(let cause): cause
            case .disconnected(let cause): cause
            case nil: nil
            }
        }

        var refusal: Refusal? {
            if case .refused(let refusal)? = cause { refusal } else { nil }
        }

        var failure: ConnectionFailure? {
            if case .connectFailed(let failure)? = cause { failure } else { nil }
        }
    }

    /// Connects a client and waits until its session has stopped, or has been open with `messages` messages.
    func run(
        _ url: String, messages: Int = .max,
        configure: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> Result {
        let watched = try client(url, configure: configure)
        return try executor.runScript {
            await watched.client.connect()
            _ = await watched.log.wait(.seconds(3_600)) { log in
                log.messages.count >= messages || log.isStopped
            }
            var result = Result(
                stop: watched.log.stop, messages: watched.log.messages,
                journal: watched.log.journal, milliseconds: self.milliseconds)
            await watched.client.disconnect()
            result.messages = watched.log.messages
            watched.stopWatching()
            return result
        }
    }

    /// One source for every connection of a world; used in its domain only.
    private struct Seeded: @unchecked Sendable {
        let source = SeededRandomSource(seed: 9)
    }
}

extension ClientLog {
    /// Why the session stopped, if it has.
    var stop: StopCause? {
        guard case .stopped(let cause)? = states.last?.state else { return nil }
        return cause
    }

    var isStopped: Bool { stop != nil }
}

/// A server's end of one connection.
final class RawConnection: ByteChannelHandler, @unchecked Sendable {
    let channel: VirtualChannel
    let executor: VirtualExecutor
    private(set) var received: [UInt8] = []
    private(set) var hasEnded = false
    var onHead: ((RawConnection) -> Void)?
    var onBytes: ((RawConnection) -> Void)?
    private var other: (any ByteChannel)?
    /// What waits until the tunnel's far end is up.
    private var waiting: [UInt8]?

    init(_ channel: VirtualChannel, _ executor: VirtualExecutor) {
        self.channel = channel
        self.executor = executor
        channel.handler = self
    }

    /// The HTTP head that arrived, up to its blank line.
    var head: String? {
        let text = String(decoding: received, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        return String(text[..<end.lowerBound])
    }

    /// What arrived behind the head.
    var body: [UInt8] {
        let mark = Array("\r\n\r\n".utf8)
        let end = received.indices.first { received[$0...].starts(with: mark) }
        return end.map { Array(received[($0 + 4)...]) } ?? []
    }

    /// The value of a field of the head.
    func field(_ name: String) -> String? {
        let lines = (head ?? "").split(separator: "\r\n")
        let line = lines.first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
        return line.map { String($0.dropFirst(name.count + 2)) }
    }

    /// The 101 that answers the head.
    var switching: String {
        let accept = OpeningRequest.acceptValue(for: field("Sec-WebSocket-Key") ?? "")
        return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(accept)\r\n\r\n"
    }

    func write(_ text: String) {
        write(Array(text.utf8))
    }

    func write(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { channel.write($0) }
    }

    /// Does something later, in virtual time.
    func after(_ delay: Duration, _ action: @escaping () -> Void) {
        _ = executor.schedule(at: executor.now().advanced(by: delay), action)
    }

    /// Leads from now on to the port that the head's CONNECT asks for.
    func tunnel(_ network: VirtualNetwork) {
        let target = (head ?? "").split(separator: " ").dropFirst().first ?? ""
        let port = target.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        join(network, port: port)
    }

    func join(_ network: VirtualNetwork, port: UInt16) {
        let far = FarEnd(self)
        waiting = []
        other = network.connect(port: port, handler: far)
    }

    fileprivate func joined() {
        let bytes = waiting ?? []
        waiting = nil
        _ = bytes.withUnsafeBytes { other?.write($0) }
    }

    func channelConnected() {}

    func channelReceived(_ bytes: UnsafeRawBufferPointer) {
        if waiting != nil {
            waiting? += bytes
            return
        }
        if let other {
            _ = other.write(bytes)
            return
        }
        received += bytes
        onBytes?(self)
        guard let onHead, head != nil else { return }
        self.onHead = nil
        onHead(self)
    }

    func channelReceivedEOF() {
        hasEnded = true
        channel.finish()
        other?.finish()
    }

    func channelBecameWritable() {}

    func channelFailed(_ failure: ConnectionFailure) {
        hasEnded = true
        other?.abort(reset: true)
    }

    /// The proxy's end of its connection to the server.
    private final class FarEnd: ByteChannelHandler {
        let near: RawConnection

        init(_ near: RawConnection) {
            self.near = near
        }

        func channelConnected() { near.joined() }
        func channelReceived(_ bytes: UnsafeRawBufferPointer) { near.write(Array(bytes)) }
        func channelReceivedEOF() { near.channel.finish() }
        func channelBecameWritable() {}
        func channelFailed(_ failure: ConnectionFailure) { near.channel.abort(reset: true) }
    }
}
