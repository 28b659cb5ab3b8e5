import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import HeartwireSocket

/// A socket transport, a server of bare bytes, and what both saw, in virtual time.
final class TransportRig {
    static let port: UInt16 = 80
    static let generation = Generation(5)

    let executor = VirtualExecutor()
    let network: VirtualNetwork
    let observer = RecordingObserver()
    let server = BareServer()
    let connector: RecordingConnector
    let transport: SocketTransport

    init(limits: Limits = Limits(), port: UInt16 = TransportRig.port, listens: Bool = true) throws {
        network = VirtualNetwork(executor: executor)
        connector = RecordingConnector(network)
        let server = server
        if listens { network.listen(port: Self.port) { server.accept($0) } }
        let request = try ConnectionRequest(
            url: WebSocketURL("ws://server.test:\(port)/"), subprotocols: ["p"], limits: limits)
        let factory = SocketTransportFactory(
            connector: connector, random: { SeededRandomSource(seed: 3) })
        transport = SocketTransport(
            Self.generation, request: request, factory: factory,
            random: SeededRandomSource(seed: 3), observer: observer)
    }

    /// A rig whose transport is open, with nothing written down yet.
    static func open(limits: Limits = Limits()) throws -> TransportRig {
        let rig = try TransportRig(limits: limits)
        rig.open()
        rig.serve(rig.server.acceptance)
        #expect(rig.observer.reports.contains(.opened("p")))
        rig.observer.reports = []
        rig.channel?.writes = []
        rig.server.received = []
        return rig
    }

    var channel: RecordingChannel? { connector.channels.last }
    var milliseconds: Int64 { executor.now().nanoseconds / 1_000_000 }

    func open() {
        perform { $0.open() }
    }

    /// Does something to the transport in the domain, and lets happen what happens at once.
    func perform<Failure: Error>(_ body: (SocketTransport) throws(Failure) -> Void) throws(Failure)
    {
        try executor.perform { () throws(Failure) in try body(transport) }
        executor.runUntilIdle()
    }

    /// Has the server write, in one piece, and lets happen what happens at once.
    func serve(_ bytes: [UInt8]) {
        executor.perform { server.write(bytes) }
        executor.runUntilIdle()
    }

    /// Does something to the server's channel in the domain.
    func atServer(_ body: (VirtualChannel) -> Void) {
        executor.perform { if let channel = server.channel { body(channel) } }
        executor.runUntilIdle()
    }

    /// Nothing is reported any more, whatever comes, and nothing is left.
    func checkOver(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let known = observer.reports
        #expect(observer.closed.count <= 1, sourceLocation: sourceLocation)
        serve(Frames.text("late") + Frames.pong([0, 0, 0, 0, 0, 0, 0, 1]) + Frames.close(1_001))
        #expect(throws: SendError.self, sourceLocation: sourceLocation) {
            try executor.perform { _ = try transport.send(.text("late")) }
        }
        perform {
            $0.ping(PingID(9))
            $0.close(1_000, reason: "")
            $0.setReading(false)
            $0.open()
        }
        executor.advance(by: SocketTransport.lingerTimeout)
        atServer { $0.abort(reset: true) }
        executor.advance(by: .seconds(60))
        #expect(observer.reports == known, sourceLocation: sourceLocation)
        #expect(executor.pendingTimers == 0, sourceLocation: sourceLocation)
        // A channel lets go of its handler when it has ended.
        #expect(channel?.handler == nil, sourceLocation: sourceLocation)
    }
}

/// Frames as a server sends them, unmasked.
enum Frames {
    static func text(_ text: String) -> [UInt8] { frame(0x81, Array(text.utf8)) }
    static func ping(_ payload: [UInt8]) -> [UInt8] { frame(0x89, payload) }
    static func pong(_ payload: [UInt8]) -> [UInt8] { frame(0x8A, payload) }
    static func close(_ code: UInt16, _ reason: String = "") -> [UInt8] {
        frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
    }

    /// What a client's frames are, which are whole and shorter than 126 bytes.
    static func opcodes(ofClient bytes: [UInt8]) -> [UInt8] {
        var opcodes: [UInt8] = []
        var rest = bytes[...]
        while let first = rest.first, let second = rest.dropFirst().first {
            opcodes.append(first & 0xF)
            rest = rest.dropFirst(2 + 4 + Int(second & 0x7F))
        }
        return opcodes
    }

    private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [first, UInt8(payload.count)] + payload
    }
}

/// What a transport reported.
enum TransportReport: Equatable {
    case progressed(ConnectPhase)
    case opened(String?)
    case message(Message)
    case batch
    case ping([UInt8])
    case pong(PingID)
    case writable
    case closed(CloseCause)
}

final class RecordingObserver: TransportObserver {
    var reports: [TransportReport] = []
    /// Called with each report, for tests that act from within one.
    var onReport: ((TransportReport) -> Void)?

    /// The reports without the ends of batches.
    var events: [TransportReport] { reports.filter { $0 != .batch } }
    var closed: [CloseCause] {
        reports.compactMap { if case .closed(let cause) = $0 { cause } else { nil } }
    }
    var messages: [Message] {
        reports.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    private func note(_ generation: Generation, _ report: TransportReport) {
        #expect(generation == TransportRig.generation)
        reports.append(report)
        onReport?(report)
    }

    func transportProgressed(_ generation: Generation, _ phase: ConnectPhase) {
        note(generation, .progressed(phase))
    }
    func transportOpened(_ generation: Generation, _ opened: OpenedConnection) {
        note(generation, .opened(opened.subprotocol))
    }
    func transportReceived(_ generation: Generation, _ message: Message) {
        note(generation, .message(message))
    }
    func transportFinishedBatch(_ generation: Generation) { note(generation, .batch) }
    func transportReceivedPing(_ generation: Generation, payload: [UInt8]) {
        note(generation, .ping(payload))
    }
    func transportReceivedPong(_ generation: Generation, _ id: PingID) {
        note(generation, .pong(id))
    }
    func transportBecameWritable(_ generation: Generation) { note(generation, .writable) }
    func transportClosed(_ generation: Generation, _ cause: CloseCause) {
        note(generation, .closed(cause))
    }
}

/// The server's end: it keeps what comes and writes what a test wants.
final class BareServer: ByteChannelHandler {
    var received: [UInt8] = []
    private(set) var channel: VirtualChannel?
    private(set) var hasEOF = false
    private(set) var failure: ConnectionFailure.Kind?

    func accept(_ channel: VirtualChannel) {
        self.channel = channel
        channel.handler = self
    }

    /// The right answer to the opening request that came.
    var acceptance: [UInt8] {
        let request = String(decoding: received, as: UTF8.self)
        let line = request.split(separator: "\r\n").first {
            $0.lowercased().hasPrefix("sec-websocket-key:")
        }
        let key = line?.split(separator: " ").last.map(String.init) ?? ""
        return OpeningResponse.accept(key: key, subprotocol: "p", headers: [:])
    }

    func write(_ bytes: [UInt8]) {
        guard let channel else { return }
        let taken = bytes.withUnsafeBytes { channel.write($0) }
        #expect(taken == bytes.count)
    }

    func channelConnected() {}
    func channelReceived(_ bytes: UnsafeRawBufferPointer) { received += bytes }
    func channelReceivedEOF() { hasEOF = true }
    func channelBecameWritable() {}
    func channelFailed(_ failure: ConnectionFailure) { self.failure = failure.kind }
}

/// Wraps a network's channels to see what is asked of them.
final class RecordingConnector: ChannelConnector, @unchecked Sendable {
    private let network: VirtualNetwork
    private(set) var channels: [RecordingChannel] = []

    init(_ network: VirtualNetwork) {
        self.network = network
    }

    var executor: any SessionExecutor { network.executor }

    func connect(to url: WebSocketURL, handler: any ByteChannelHandler) -> any ByteChannel {
        let channel = RecordingChannel(network.connect(to: url, handler: handler))
        channels.append(channel)
        return channel
    }
}

final class RecordingChannel: ByteChannel {
    private let base: any ByteChannel
    /// The size of each write.
    var writes: [Int] = []
    private(set) var reading: [Bool] = []
    private(set) var hasEnded = false

    init(_ base: any ByteChannel) {
        self.base = base
    }

    var executor: any SessionExecutor { base.executor }
    var handler: (any ByteChannelHandler)? {
        get { base.handler }
        set { base.handler = newValue }
    }

    var unacknowledgedBytes: Int { base.unacknowledgedBytes }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        writes.append(bytes.count)
        return base.write(bytes)
    }
    func setReading(_ isReading: Bool) {
        reading.append(isReading)
        base.setReading(isReading)
    }
    func finish() {
        hasEnded = true
        base.finish()
    }
    func finishWriting() { base.finishWriting() }
    func abort(reset: Bool) {
        hasEnded = true
        base.abort(reset: reset)
    }
}
