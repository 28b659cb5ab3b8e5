public import HeartwireProtocol
public import HeartwireSession

/// A connection over a byte channel and the project's own protocol engine (promises T1, T2, T4).
///
/// Theory of operation. The channel hands over what one read yielded; the engine turns it into events; each
/// goes to the observer at once, in order. What is sent meanwhile collects in the engine's outgoing
/// buffer and leaves in one write at the end of the loop's turn. The first terminal signal decides the
/// cause (promise G4); it is reported once, then the transport only lingers, out of sight: it flushes what the
/// closing handshake still owes and waits for the server to close TCP first (RFC 6455 §7.1.1), a second at most.
final class SocketTransport: Transport, ByteChannelHandler, TurnFlushable {
    /// How long the stream is kept after the session was told of the end.
    static let lingerTimeout = Duration.seconds(1)

    private enum State {
        /// `open()` was not called. Next: connecting, ended.
        case fresh
        /// The channel is being made, or the opening handshake is under way. Next: open, lingering, ended.
        case connecting
        /// Messages flow. Next: lingering, ended.
        case open
        /// The end was reported; the stream is being wound up. Next: ended.
        case lingering
        /// Nothing is left. Final.
        case ended
    }

    private let generation: Generation
    private let request: ConnectionRequest
    private let connector: any ChannelConnector
    private let executor: any SessionExecutor
    /// Held until the end was reported or `abort()` was called.
    private var observer: (any TransportObserver)?
    /// Exclusive by confinement: the engine calls nobody but its random source.
    @exclusivity(unchecked) private var engine: ConnectionEngine
    private var channel: (any ByteChannel)?
    private var state = State.fresh
    private var isDirty = false
    private var isBlocked = false
    private var owesWritable = false
    private var isStreamUp = false
    private var awaited: PingID?
    private var lingerTimer: TimerID?

    init(
        _ generation: Generation, request: ConnectionRequest, connector: any ChannelConnector,
        random: any RandomSource, observer: any TransportObserver
    ) {
        self.generation = generation
        self.request = request
        self.connector = connector
        self.executor = connector.executor
        self.observer = observer
        engine = ConnectionEngine(
            connecting: request.opening, limits: request.limits, random: random)
    }

    // MARK: Transport

    func open() {
        guard state == .fresh else { return }
        state = .connecting
        channel = connector.connect(to: request.url, handler: self)
    }

    func send(_ message: Message) throws(SendError) -> Bool {
        // The engine does not hear of every end: not of an abort, nor of a reset.
        guard state == .open else { throw isEnding ? SendError.closed : SendError.notOpen }
        try engine.send(message)
        markDirty()
        if engine.outgoingCount <= request.limits.outgoingHighWater { return true }
        // A long backlog goes out now rather than at the end of the turn: it is warm in the cache.
        flushOutgoing()
        guard engine.outgoingCount > request.limits.outgoingHighWater else { return true }
        owesWritable = true
        return false
    }

    private var isEnding: Bool {
        switch state {
        case .fresh, .connecting, .open: false
        case .lingering, .ended: true
        }
    }

    func ping(_ id: PingID) {
        guard state == .open else { return }
        awaited = id
        try? engine.sendPing(Self.payload(of: id))
        markDirty()
    }

    func close(_ code: CloseCode?, reason: String) {
        guard state == .open else { return }
        try? engine.close(code, reason: reason)
        markDirty()
    }

    func abort() {
        observer = nil
        end(reset: false)
    }

    func setReading(_ isReading: Bool) {
        guard state == .open || state == .connecting else { return }
        channel?.setReading(isReading)
    }

    /// The id as eight bytes, most significant first: a pong names the ping that it answers.
    private static func payload(of id: PingID) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: id.number >> (56 - 8 * UInt64($0))) }
    }

    // MARK: Channel

    func channelConnected() {
        isStreamUp = true
        observer?.transportProgressed(generation, .upgrade)
        flushOutgoing()
    }

    func channelReceived(_ bytes: UnsafeRawBufferPointer) {
        engine.receive(bytes.bindMemory(to: UInt8.self).span)
        pump()
    }

    func channelReceivedEOF() {
        engine.receiveEOF()
        pump()
        if state == .lingering { windUp() }
    }

    func channelBecameWritable() {
        isBlocked = false
        flushOutgoing()
    }

    func channelFailed(_ failure: ConnectionFailure) {
        channel = nil
        switch state {
        case .connecting: report(.connectFailed(failure))
        case .open: report(.connectionLost(failure))
        case .fresh, .lingering, .ended: break
        }
        end(reset: false)
    }

    // MARK: Events

    private func pump() {
        while let event = engine.nextEvent() {
            handle(event)
            if state == .ended { return }
        }
        observer?.transportFinishedBatch(generation)
        if engine.outgoingCount > 0 { markDirty() }
    }

    private func handle(_ event: consuming EngineEvent) {
        switch event {
        case .message(let message): observer?.transportReceived(generation, message)
        case .opened(let result):
            state = .open
            observer?.transportOpened(
                generation, OpenedConnection(subprotocol: result.subprotocol))
        case .pingReceived(let payload):
            observer?.transportReceivedPing(generation, payload: payload)
        case .pongReceived(let payload): pongReceived(payload)
        case .closeReceived(let code, let reason):
            finish(.closedByPeer(PeerClose(code: code, reason: reason)))
        case .refused(let refusal): finish(.refused(refusal))
        case .failed(let violation):
            finish(state == .connecting ? .badHandshake(violation) : .protocolViolation(violation))
        case .ended: finish(.connectionLost(ConnectionFailure(.endOfStream)))
        case .requestReceived: break  // The server's role only.
        }
    }

    /// An unsolicited pong is lawful and means nothing (RFC 6455 §5.5.3).
    private func pongReceived(_ payload: [UInt8]) {
        guard let id = awaited, payload == Self.payload(of: id) else { return }
        awaited = nil
        // Once per heartbeat is often enough to leave an idle connection without buffers.
        if engine.outgoingCount == 0 { engine.releaseBuffers() }
        observer?.transportReceivedPong(generation, id)
    }

    // MARK: The end

    private func report(_ cause: CloseCause) {
        guard let observer else { return }
        self.observer = nil
        observer.transportFinishedBatch(generation)
        observer.transportClosed(generation, cause)
    }

    private func finish(_ cause: CloseCause) {
        guard state == .connecting || state == .open else { return }
        let wasOpen = state == .open
        state = .lingering
        report(cause)
        guard state == .lingering else { return }
        guard wasOpen else { return end(reset: false) }
        // Held by the timer while it lingers, for the session has let go by now.
        lingerTimer = executor.schedule(at: executor.now().advanced(by: Self.lingerTimeout)) {
            self.end(reset: false)
        }
        channel?.setReading(true)
        flushOutgoing()
    }

    /// Hands the stream back once nothing is owed to it any more.
    private func windUp() {
        guard engine.outgoingCount == 0 else { return }
        let channel = self.channel
        self.channel = nil
        channel?.finish()
        end(reset: false)
    }

    private func end(reset: Bool) {
        state = .ended
        if let lingerTimer { executor.cancel(lingerTimer) }
        lingerTimer = nil
        channel?.abort(reset: reset)
        channel = nil
    }

    // MARK: Output

    private func markDirty() {
        guard !isDirty, isStreamUp else { return }
        isDirty = true
        executor.flushAtEndOfTurn(self)
    }

    func flush() {
        isDirty = false
        flushOutgoing()
    }

    private func flushOutgoing() {
        guard isStreamUp, !isBlocked, let channel else { return }
        let waiting = engine.outgoingCount
        if waiting > 0 {
            let written = engine.withOutgoing { channel.write($0) }
            engine.didWrite(written)
            isBlocked = written < waiting
        }
        if owesWritable, engine.outgoingCount <= request.limits.outgoingLowWater {
            owesWritable = false
            observer?.transportBecameWritable(generation)
        }
    }
}

/// Makes socket transports: the project's protocol engine over the channels of a connector.
public struct SocketTransportFactory: TransportFactory {
    private let connector: any ChannelConnector
    private let makeRandom: @Sendable () -> any RandomSource

    /// Connects over TCP on `loop`, with masks from the system's CSPRNG.
    public init(loop: EventLoop = .shared) {
        connector = TCPConnector(loop: loop)
        makeRandom = { loop.random }
    }

    /// Connects over `connector`, with masks and nonces from what `random` gives for each connection.
    public init(
        connector: any ChannelConnector, random: @escaping @Sendable () -> any RandomSource
    ) {
        self.connector = connector
        makeRandom = random
    }

    public var executor: any SessionExecutor { connector.executor }

    public func makeTransport(
        _ generation: Generation, request: ConnectionRequest, observer: any TransportObserver
    ) -> any Transport {
        SocketTransport(
            generation, request: request, connector: connector, random: makeRandom(),
            observer: observer)
    }
}
