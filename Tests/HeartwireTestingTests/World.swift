import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting

/// An endpoint, and clients on the engine, on one virtual network.
final class World {
    static let port: UInt16 = 9_001

    let executor = VirtualExecutor()
    let network: VirtualNetwork
    let endpoint: Endpoint
    private let book = Book()

    var journal: [EndpointEvent] { book.events }

    init(
        _ script: EndpointScript = .byQuery, latency: Duration = .zero, seed: UInt64 = 1,
        limits: Limits = Limits(), compression: Compression = .deflate(), keepsJournal: Bool = true
    ) {
        let book = book
        let endpoint = Endpoint(
            executor: executor, random: SeededRandomSource(seed: seed), behaviour: script,
            limits: limits, compression: compression,
            journal: keepsJournal ? { book.events.append($0) } : nil)
        self.endpoint = endpoint
        network = VirtualNetwork(executor: executor, latency: latency)
        network.listen(port: Self.port) { endpoint.accept($0) }
    }

    /// Virtual milliseconds since the beginning.
    var milliseconds: Int64 { executor.now().nanoseconds / 1_000_000 }

    /// The names in the journal, in order.
    var journalNames: [String] { journal.map(\.kind.name) }

    /// Connects a client that asks for `target` as soon as the channel is up.
    func connect(
        _ target: String = "/", subprotocols: [String] = [], limits: Limits = Limits(),
        compression: Compression = .off
    ) throws -> Peer {
        let url = try WebSocketURL("ws://endpoint.test:\(Self.port)\(target)")
        let request = try OpeningRequest(url: url, subprotocols: subprotocols)
        let peer = Peer(self, request, limits, compression)
        executor.perform { peer.dial(network, Self.port) }
        return peer
    }

    /// Connects a client and lets everything happen that happens at once.
    func open(
        _ target: String = "/", subprotocols: [String] = [], compression: Compression = .off
    ) throws -> Peer {
        let peer = try connect(target, subprotocols: subprotocols, compression: compression)
        executor.runUntilIdle()
        return peer
    }

    private final class Book {
        var events: [EndpointEvent] = []
    }
}

/// A client: the engine in the client's role on a channel, with everything it saw written down.
final class Peer: ByteChannelHandler {
    /// How the stream ended.
    enum End: Equatable {
        case finished
        case failed(ConnectionFailure.Kind)
    }

    private(set) var events: [EngineEvent] = []
    /// When each of `events` came, in virtual milliseconds.
    private(set) var times: [Int64] = []
    /// The sizes of the reads.
    private(set) var reads: [Int] = []
    private(set) var received: [UInt8] = []
    private(set) var end: End?
    private(set) var endTime: Int64?
    private(set) var channel: VirtualChannel?
    var engine: ConnectionEngine
    private let world: World

    init(
        _ world: World, _ request: OpeningRequest, _ limits: Limits, _ compression: Compression
    ) {
        self.world = world
        engine = ConnectionEngine(
            connecting: request, limits: limits, random: SeededRandomSource(seed: 99),
            compression: compression, codec: ZlibCodec())
    }

    func dial(_ network: VirtualNetwork, _ port: UInt16) {
        channel = network.connect(port: port, handler: self)
    }

    /// Whether the opening handshake succeeded.
    var isOpen: Bool {
        events.contains {
            if case .opened = $0 { true } else { false }
        }
    }

    var opened: OpeningResult? {
        for case .opened(let result) in events { return result }
        return nil
    }

    var refusal: Refusal? {
        for case .refused(let refusal) in events { return refusal }
        return nil
    }

    var violation: ProtocolViolation? {
        for case .failed(let violation) in events { return violation }
        return nil
    }

    var messages: [Message] {
        events.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    var pongs: [[UInt8]] {
        events.compactMap { if case .pongReceived(let payload) = $0 { payload } else { nil } }
    }

    var close: ClosePayload? {
        for case .closeReceived(let code, let reason) in events {
            return ClosePayload(code: code, reason: reason)
        }
        return nil
    }

    /// When the first event came that `matches`.
    func time(where matches: (EngineEvent) -> Bool) -> Int64? {
        events.firstIndex(where: matches).map { times[$0] }
    }

    /// Does something in the domain, writes what it queued, and lets happen what happens at once.
    func act(_ body: (inout ConnectionEngine) throws(SendError) -> Void) throws(SendError) {
        try world.executor.perform { () throws(SendError) in
            try body(&engine)
            write()
        }
        world.executor.runUntilIdle()
    }

    func send(_ messages: Message...) throws {
        try act { engine throws(SendError) in
            for message in messages { try engine.send(message) }
        }
    }

    func channelConnected() {
        write()
    }

    func channelReceived(_ bytes: UnsafeRawBufferPointer) {
        reads.append(bytes.count)
        received += bytes
        engine.receive(bytes.bindMemory(to: UInt8.self).span)
        takeEvents()
        write()
    }

    func channelReceivedEOF() {
        engine.receiveEOF()
        takeEvents()
        note(.finished)
        write()
        channel?.finish()
    }

    func channelBecameWritable() {
        write()
    }

    func channelFailed(_ failure: ConnectionFailure) {
        note(.failed(failure.kind))
    }

    func write() {
        guard let channel else { return }
        let taken = engine.withOutgoing { channel.write($0) }
        engine.didWrite(taken)
    }

    private func takeEvents() {
        while let event = engine.nextEvent() {
            events.append(event)
            times.append(world.milliseconds)
        }
    }

    private func note(_ end: End) {
        self.end = end
        endTime = world.milliseconds
    }
}
