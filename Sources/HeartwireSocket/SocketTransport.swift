import HeartwireProtocol
import HeartwireSession

/// A connection over a byte channel and the project's own protocol engine (promises T1, T2, T4).
///
/// Theory of operation. The channel hands over what one read yielded; the engine turns it into events; each
/// goes to the observer at once, in order. What is sent meanwhile collects in the engine's outgoing
/// buffer and leaves in one write at the end of the loop's turn. A Close frame or a broken rule that one read
/// yields behind messages waits for the end of the turn, too: whoever takes messages in the loop's domain
/// answers them before the answer to the Close. The first terminal signal decides the
/// cause (promise G4); it is reported once, then the transport only lingers, out of sight: it flushes what the
/// closing handshake still owes and waits for the server to close TCP first (RFC 6455 §7.1.1), a second at most.
///
/// A redirect that is followed replaces channel and engine while `connecting`: the old channel is aborted,
/// after which it reports nothing, and the session's deadline goes on (docs/decisions/0010).
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

    /// What the peer ended an open connection with.
    private enum Ending {
        case close(PeerClose)
        case violation(ProtocolViolation)
    }

    private let generation: Generation
    private var request: ConnectionRequest
    private let factory: SocketTransportFactory
    private let random: any RandomSource
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
    /// The peer's end that is to be answered and reported at the end of the turn at the latest.
    private var ending: Ending?
    /// Whether the present read has yielded a message.
    private var hasDelivered = false
    private var isStreamUp = false
    private var awaited: PingID?
    private var lingerTimer: TimerID?
    /// Where the attempt has been, while it is under way and follows redirects.
    private var trail: RedirectTrail?

    init(
        _ generation: Generation, request: ConnectionRequest, factory: SocketTransportFactory,
        random: any RandomSource, observer: any TransportObserver
    ) {
        self.generation = generation
        self.request = request
        self.factory = factory
        self.random = random
        executor = factory.executor
        trail = request.redirects?.trail
        self.observer = observer
        engine = Self.makeEngine(request, random)
    }

    private static func makeEngine(
        _ request: ConnectionRequest, _ random: any RandomSource
    ) -> ConnectionEngine {
        var engine = ConnectionEngine(
            connecting: request.opening, limits: request.limits, random: random,
            compression: request.compression, codec: ZlibCodec())
        engine.answersEndings = false
        return engine
    }

    // MARK: Transport

    func open() {
        guard state == .fresh else { return }
        state = .connecting
        channel = factory.connector(for: request).connect(to: request.url, handler: self)
    }

    var pendingCause: CloseCause? { engine.pendingRefusal.map { .refused($0) } }

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
        try? engine.sendPing(id.payload)
        markDirty()
    }

    func close(_ code: CloseCode?, reason: String) {
        settleEnding()
        guard state == .open else { return }
        try? engine.close(code, reason: reason)
        markDirty()
    }

    func abort() {
        observer = nil
        ending = nil
        end(reset: false)
    }

    func setReading(_ isReading: Bool) {
        guard state == .open || state == .connecting else { return }
        channel?.setReading(isReading)
    }

    // MARK: Channel

    func channelProgressed(_ phase: ConnectPhase) {
        observer?.transportProgressed(generation, phase)
    }

    func channelConnected() {
        isStreamUp = true
        observer?.transportProgressed(generation, .upgrade)
        flushOutgoing()
    }

    func channelReceived(_ bytes: UnsafeRawBufferPointer) {
        engine.receive(bytes.bindMemory(to: UInt8.self).span)
        pump()
        // A redirect's body says nothing more than its head, and may never end.
        if state == .connecting, trail != nil, let refusal = engine.pendingRefusal,
            RedirectTrail.isRedirect(refusal.status)
        {
            refused(refusal)
        }
    }

    func channelReceivedEOF() {
        settleEnding()
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
        settleEnding()
        switch state {
        case .connecting:
            if let refusal = refusal() { return refused(refusal) }
            report(.connectFailed(failure))
        case .open: report(.connectionLost(failure))
        case .fresh, .lingering, .ended: break
        }
        end(reset: false)
    }

    /// A server that said no and then broke the stream said no.
    private func refusal() -> Refusal? {
        engine.receiveEOF()
        while let event = engine.nextEvent() {
            if case .refused(let refusal) = event { return refusal }
        }
        return nil
    }

    // MARK: Events

    private func pump() {
        hasDelivered = false
        while let event = engine.nextEvent() {
            handle(event)
            if state == .ended { return }
        }
        if ending != nil {
            guard hasDelivered else { return settleEnding() }
            markDirty()
        }
        observer?.transportFinishedBatch(generation)
        if engine.outgoingCount > 0 { markDirty() }
    }

    private func handle(_ event: consuming EngineEvent) {
        switch event {
        case .message(let message):
            hasDelivered = true
            observer?.transportReceived(generation, message)
        case .opened(let result):
            state = .open
            trail = nil
            observer?.transportOpened(
                generation, OpenedConnection(subprotocol: result.subprotocol))
        case .pingReceived(let payload):
            observer?.transportReceivedPing(generation, payload: payload)
        case .pongReceived(let payload): pongReceived(payload)
        case .closeReceived(let code, let reason):
            ending = .close(PeerClose(code: code, reason: reason))
        case .refused(let refusal): refused(refusal)
        case .failed(let violation):
            if state == .connecting { return finish(.badHandshake(violation)) }
            ending = .violation(violation)
        case .ended: finish(.connectionLost(ConnectionFailure(.endOfStream)))
        case .requestReceived: break  // The server's role only.
        }
    }

    /// An unsolicited pong is lawful and means nothing (RFC 6455 §5.5.3).
    private func pongReceived(_ payload: [UInt8]) {
        guard let id = awaited, payload == id.payload else { return }
        awaited = nil
        // Once per heartbeat is often enough to leave an idle connection without buffers.
        if engine.outgoingCount == 0 { engine.releaseBuffers() }
        observer?.transportReceivedPong(generation, id)
    }

    // MARK: Redirects

    /// Goes where a redirect leads, or ends with what the server said.
    private func refused(_ refusal: consuming Refusal) {
        if var trail, RedirectTrail.isRedirect(refusal.status) {
            do throws(RedirectFault) {
                let next = try trail.follow(refusal, from: request.opening)
                self.trail = trail
                return restart(request.redirected(to: next))
            } catch {
                refusal.redirectFault = error
            }
        }
        finish(.refused(refusal))
    }

    private func restart(_ next: ConnectionRequest) {
        channel?.abort(reset: false)
        channel = nil
        request = next
        engine = Self.makeEngine(next, random)
        (isStreamUp, isBlocked) = (false, false)
        observer?.transportProgressed(generation, .resolving)
        guard state == .connecting else { return }
        channel = factory.connector(for: next).connect(to: next.url, handler: self)
    }

    // MARK: The end

    /// Answers the peer's end, if the closing handshake still wants that, and reports it.
    private func settleEnding() {
        guard let ending = ending.take() else { return }
        switch ending {
        case .close(let close):
            engine.answerClose()
            finish(.closedByPeer(close))
        case .violation(let violation):
            engine.fail(violation.closeCode, reason: violation.description)
            finish(.protocolViolation(violation))
        }
    }

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
        settleEnding()
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
