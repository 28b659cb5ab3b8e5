import HeartwireProtocol
import HeartwireSession

/// A connection over a byte channel and the project's own protocol engine (promises T1, T2, T4).
///
/// Theory of operation. The channel hands over what one read yielded; the engine turns it into events; each
/// goes to the observer at once, in order. What is sent meanwhile collects in the engine's outgoing
/// buffer and leaves in one write at the end of the loop's turn. A Close frame or a broken rule that comes
/// behind messages of the same turn waits for its end, too: whoever takes messages in the loop's domain
/// answers them before the answer to the Close. The first terminal signal decides the
/// cause (promise G4); it is reported once, then the transport only lingers, out of sight: it flushes what the
/// closing handshake still owes and waits for the server to close TCP first (RFC 6455 §7.1.1), a second at most.
///
/// A redirect that is followed replaces channel and engine while `connecting`: the old channel is aborted,
/// after which it reports nothing, and the session's deadline goes on (docs/decisions/0010).
final class SocketTransport: Transport, TurnFlushable {
    /// How long the stream is kept after the session was told of the end.
    static let lingerTimeout = Duration.seconds(1)

    /// A backlog of this size does not wait for the end of the turn.
    static let warmBytes = 262_144

    enum State {
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
    indirect enum Ending {
        case close(PeerClose)
        case violation(ProtocolViolation)
    }

    let generation: Generation
    var request: ConnectionRequest
    let factory: SocketTransportFactory
    let executor: any SessionExecutor
    /// Held until the end was reported or `abort()` was called.
    var observer: (any TransportObserver)?
    /// Exclusive by confinement: the engine calls nobody but its random source and the channel's read and write,
    /// which report nothing from within.
    @exclusivity(unchecked) var engine: ConnectionEngine
    var channel: (any ByteChannel)?
    var state = State.fresh
    var isDirty = false
    var isBlocked = false
    var owesWritable = false
    /// Whether a message was reported in this turn.
    var hasDelivered = false
    var isStreamUp = false
    var isReading = true
    /// The peer's end that is to be answered and reported at the end of the turn at the latest.
    var ending: Ending?
    /// What came in one read with bytes that inflated past what consumers can hold; taken once they have room.
    var withheld = ByteQueue()
    var awaited: PingID?
    var lingerTimer: TimerID?
    /// Fires when the frame that has begun may have stood still for too long.
    var stallTimer: TimerID?
    /// When bytes came last while a frame was under way, and how long ago that may be.
    var stallWatch: FrameStallWatch
    /// Where the attempt has been, while it is under way and follows redirects.
    var trail: RedirectTrail?

    init(
        _ generation: Generation, request: ConnectionRequest, factory: SocketTransportFactory,
        random: any RandomSource, observer: any TransportObserver
    ) {
        self.generation = generation
        self.request = request
        self.factory = factory
        executor = factory.executor
        trail = request.redirects?.trail
        stallWatch = FrameStallWatch(limit: request.effectiveLimits.frameStall)
        self.observer = observer
        engine = Self.makeEngine(request, random)
    }

    static func makeEngine(
        _ request: ConnectionRequest, _ random: any RandomSource
    ) -> ConnectionEngine {
        var engine = ConnectionEngine(
            connecting: request.opening, limits: request.effectiveLimits, random: random,
            compression: request.effectiveCompression, codec: ZlibCodec())
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

    var unacknowledgedBytes: Int {
        state == .open ? engine.outgoingCount + (channel?.unacknowledgedBytes ?? 0) : 0
    }

    func send(_ message: Message) throws(SendError) -> Bool {
        // The engine does not hear of every end: not of an abort, nor of a reset.
        guard state == .open else { throw isEnding ? SendError.closed : SendError.notOpen }
        if case .binary(let bytes) = message, bytes.count >= ConnectionEngine.longMessageBytes,
            isStreamUp, !isBlocked, let channel
        {
            isBlocked = try !engine.send(message) { channel.write($0) }
        } else {
            try engine.send(message)
            // A long backlog goes out now rather than at the end of the turn: it is warm in the cache.
            if engine.outgoingCount > Self.warmBytes { flushOutgoing() }
        }
        if engine.outgoingCount > 0 { markDirty() }
        guard engine.isOverHighWater else { return true }
        owesWritable = true
        return false
    }

    var isEnding: Bool {
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
        self.isReading = isReading
        if isReading { noteProgress() }
        if isReading, !withheld.isEmpty {
            // Not from within: who asks may be in the middle of taking what came before.
            _ = executor.schedule(at: executor.now()) { self.takeWithheld() }
            return
        }
        channel?.setReading(isReading)
    }

    // MARK: Output

    func markDirty() {
        guard !isDirty, isStreamUp else { return }
        isDirty = true
        executor.flushAtEndOfTurn(self)
    }

    func flush() {
        isDirty = false
        hasDelivered = false
        settleEnding()
        flushOutgoing()
    }

    func flushOutgoing() {
        guard isStreamUp, !isBlocked, let channel else { return }
        // More than once where room has let a pong follow that was held back.
        while !isBlocked, engine.outgoingCount > 0 {
            let waiting = engine.outgoingCount
            let written = engine.withOutgoing { channel.write($0) }
            engine.didWrite(written)
            isBlocked = written < waiting
        }
        if owesWritable, engine.isAtLowWater {
            owesWritable = false
            observer?.transportBecameWritable(generation)
        }
        // At once, for a process that ends with its session does not linger.
        if state == .lingering, engine.outgoingCount == 0 { channel.announceEnd() }
    }
}
