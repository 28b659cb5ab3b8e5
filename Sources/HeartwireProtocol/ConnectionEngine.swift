/// One WebSocket connection without its network: bytes go in and come out, events come out, calls
/// go in. It reads no clock, does no I/O and knows no threads (RFC 6455, both roles).
///
/// Theory of operation
/// -------------------
/// The owner moves bytes: what the network gave goes to ``receive(_:)``, the end of the stream to
/// ``receiveEOF()``. After *any* call the owner calls ``nextEvent()`` until it gives `nil`, writes
/// what ``withOutgoing(_:)`` lends, and tells ``didWrite(_:)``. When
/// ``shouldCloseTransport`` is true and nothing is left to write, the owner closes TCP.
///
/// Receiving never throws. A rule that the peer broke becomes one ``EngineEvent/failed(_:)`` and, on
/// an open connection, a Close frame to write; whatever comes in afterwards is thrown away. A call
/// that the caller had no right to make throws a ``SendError``, and nothing was queued.
///
///     state        what                                        next state
///     ----------   -----------------------------------------   ----------
///     connecting   101 verified; request accepted              open
///                  refused, rejected, broken rule, fail, EOF   closed
///     open         our Close is sent                           closing
///                  the peer's Close (answered), broken rule,
///                  fail, EOF                                   closed
///     closing      the peer's Close, broken rule, fail, EOF    closed
///     closed       EOF (reported once)                         closed
///
/// While closing, messages that the peer had sent before its Close are still delivered and its pings
/// are answered: §5.5.2 frees an endpoint of the pong only once it has received a Close.
///
/// Memory: the engine holds what arrived of one unfinished message, the bytes that wait to be
/// written, and the events of the bytes that were given to it, all bounded by ``Limits``.
public struct ConnectionEngine: ~Copyable {
    /// Where the connection stands in its life; see the table above.
    public enum State: Sendable, Hashable {
        /// The opening handshake is not complete.
        case connecting
        /// Messages may be sent.
        case open
        /// Our Close frame was sent, the peer's has not arrived.
        case closing
        /// Both Close frames are there, or the connection failed or ended. No state follows.
        case closed
    }

    /// Which side of the connection this engine plays.
    public let role: Role
    /// Where the connection stands in its life.
    public internal(set) var state: State = .connecting
    /// What our Close frame held; `nil` before one was queued.
    public var closeSent: ClosePayload? { sentClose?.value }
    /// What the peer's Close frame held; `nil` before one arrived.
    public var closeReceived: ClosePayload? { receivedClose?.value }
    /// Whether pings are answered as soon as they are read; the default. An owner that turns it off owes a
    /// ``answerPing(_:)`` for each ``EngineEvent/pingReceived(_:)``; it can leave a ping unanswered, too,
    /// which is what a test's endpoint is for.
    public var answersPings = true
    /// Whether Close frames and broken rules are answered as soon as they are read; the default.
    ///
    /// An owner that turns it off answers in the order of the events: what came before a Close in one
    /// read can then still be sent back before the answer. It owes ``answerClose()`` for
    /// ``EngineEvent/closeReceived(_:reason:)`` and ``fail(_:reason:)`` for ``EngineEvent/failed(_:)``
    /// when either finds the engine open. Nothing more is read meanwhile.
    public var answersEndings = true
    /// Both ``answersPings`` and ``answersEndings``.
    public var answersAutomatically: Bool {
        get { answersPings && answersEndings }
        set {
            answersPings = newValue
            answersEndings = newValue
        }
    }

    /// Whether the peer's Close or fault was read and its answer is left to the owner.
    var isDeaf = false
    private var sawEOF = false
    var sentClose: Shared<ClosePayload>?
    var receivedClose: Shared<ClosePayload>?
    @usableFromInline let limits: Shared<Limits>
    package let random: any RandomSource
    /// The half of the last random word that has not become a masking key yet.
    var spareRandomness: UInt32?
    /// The opening handshake; `nil` once it is over.
    var opening: Opening?
    @usableFromInline var frames: FrameReader
    @usableFromInline var outgoing = OutgoingBuffer()
    var pongs: PongLedger
    /// What was agreed on compression; `nil` when that was none.
    @usableFromInline var agreement: DeflateAgreement?
    /// Compresses what is sent; `nil` before the first message that is long enough.
    var compressor: Compressor?
    var events = EventQueue()

    /// Begins as a client: the bytes of `request` wait to be written at once, with a fresh key.
    ///
    /// - Parameters:
    ///   - request: the opening request, valid by construction.
    ///   - limits: what the server may make this side hold.
    ///   - random: the source of the handshake's key and of every masking key.
    ///   - compression: what to offer (RFC 7692).
    ///   - codec: what compresses and inflates. Nothing is offered without one.
    public init(
        connecting request: OpeningRequest, limits: Limits = Limits(), random: any RandomSource,
        compression: Compression = .off, codec: (any DeflateCodec)? = nil
    ) {
        let key = OpeningRequest.makeKey(random: random)
        let options = compression.options(with: codec)
        self.init(
            role: .client, limits: limits, random: random,
            opening: Opening(
                ResponseReader(
                    key: key, offeredSubprotocols: request.subprotocols, deflate: options,
                    limits: limits),
                offered: options.flatMap { options in codec.map { (options, $0) } }))
        outgoing.append(request.bytes(key: key, extensions: options?.offer))
    }

    /// Begins as a server, which waits for the client's opening request.
    ///
    /// - Parameters:
    ///   - limits: what the client may make this side hold.
    ///   - random: unused by a server's framing, which has no keys; for symmetry.
    public init(accepting limits: Limits = Limits(), random: any RandomSource) {
        self.init(
            role: .server, limits: limits, random: random,
            opening: Opening(RequestReader(limits: limits)))
    }

    private init(
        role: Role, limits: Limits, random: any RandomSource, opening: Opening
    ) {
        self.role = role
        self.limits = limits.shared
        self.random = random
        self.opening = opening
        self.frames = FrameReader(sender: role.peer, limits: self.limits)
        self.pongs = PongLedger(limit: limits.pendingPongs)
    }

    /// Takes bytes that arrived, in any cut. Never throws and never traps; what follows a failure or
    /// the end of the closing handshake is thrown away.
    public mutating func receive(_ bytes: Span<UInt8>) {
        switch state {
        case .open, .closing:
            guard !isDeaf else { return }
            receiveFrames(bytes)
        case .connecting: receiveOpening(bytes)
        case .closed: break
        }
    }

    /// How many of the bytes that come next belong to the payload of one data frame and are kept as they come, so that
    /// ``receiveDirectly(atMost:from:)`` can put them where they stay. 0 wherever bytes are to be looked at first.
    @inlinable
    public var directBytes: Int {
        // No frame is under way before the connection is open, nor once nothing is read any more.
        frames.isInFrame ? frames.directBytes : 0
    }

    /// Takes bytes that arrived without a copy in between: `source` is called once with room for the next bytes of the
    /// payload, at most `limit` and at most ``directBytes``, and answers how many it has put there. It is
    /// not called where no room is to be had.
    ///
    /// - Returns: whether any have come.
    @discardableResult
    public mutating func receiveDirectly(
        atMost limit: Int, from source: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Bool {
        guard directBytes > 0 else { return false }
        var count = 0
        do throws(ProtocolViolation) {
            unsafe try frames.fill(atMost: limit, &events) { room in
                count = unsafe source(room)
                return count
            }
        } catch {
            failForPeer(error)
        }
        return count > 0
    }

    /// Takes the end of the peer's stream. Reports ``EngineEvent/ended`` once, however often called.
    ///
    /// A client that still waited for the answer to its request reports first how far that had come.
    public mutating func receiveEOF() {
        guard !sawEOF else { return }
        sawEOF = true
        if state == .connecting { receiveOpeningEOF() }
        become(.closed)
        events.append(.ended)
    }

    /// Whether compression was agreed on, so that few bytes may become many (RFC 7692).
    @inlinable
    public var inflates: Bool { agreement != nil }

    /// The oldest event not taken yet; `nil` when there is none. Constant time, no allocation.
    public mutating func nextEvent() -> EngineEvent? {
        events.popFirst()
    }

    /// Whether the owner should close TCP as soon as nothing is left to write: the closing handshake
    /// is complete, or the connection was refused, rejected or failed, or the stream ended.
    public var shouldCloseTransport: Bool { state == .closed }

    /// The bytes that the buffers for frames, events and what is to be written take.
    package var retainedBytes: Int {
        outgoing.allocated &+ frames.allocated
            &+ events.allocated &* MemoryLayout<EngineEvent>.stride
    }

    /// Frees the storage of empty buffers, so that an idle connection holds none.
    ///
    /// What compresses and inflates goes too where no message may refer to an earlier one
    /// (RFC 7692 §7.1.1); otherwise the windows are needed, and stay.
    public mutating func releaseBuffers() {
        compressor?.releaseStorage()
        outgoing.releaseStorage()
        events.releaseStorage()
        frames.releaseStorage()
    }

    /// Changes the state, and lets go of what the new one has no use for.
    mutating func become(_ next: State) {
        state = next
        switch next {
        case .connecting, .open, .closing: break
        case .closed:
            opening = nil
            frames.drop()
            pongs.reset()
            agreement = nil
            compressor = nil
        }
    }
}

// MARK: - Outgoing bytes

extension ConnectionEngine {
    /// The number of bytes that wait to be written.
    ///
    /// Inlinable like the other answers that a transport asks for with each message: a call would be
    /// given a copy of the whole engine.
    @inlinable
    public var outgoingCount: Int { outgoing.count }

    /// Whether more bytes wait to be written than ``Limits/outgoingHighWater``.
    @inlinable
    package var isOverHighWater: Bool {
        outgoing.count > max(0, limits.value.outgoingHighWater)
    }

    /// Whether no more bytes wait to be written than ``Limits/outgoingLowWater``.
    @inlinable
    package var isAtLowWater: Bool {
        outgoing.count <= max(0, limits.value.outgoingLowWater)
    }

    /// Lends all bytes that wait to be written, contiguous. They stay until ``didWrite(_:)``.
    @inlinable
    public mutating func withOutgoing<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        unsafe outgoing.withBytes(body)
    }

    /// Takes note that the first `count` of the waiting bytes were written. More than are waiting
    /// counts as all, less than zero as none. A ping that found no room may be answered now, so
    /// look at ``outgoingCount`` afterwards.
    public mutating func didWrite(_ count: Int) {
        outgoing.removeFirst(count)
        answerHeldPing()
    }

    /// Queues bytes as they are, past every rule, whatever the state.
    ///
    /// Only for an endpoint that plays a hostile peer in tests: it can make the stream unlawful.
    public mutating func queueRaw(_ bytes: [UInt8]) {
        outgoing.append(bytes)
    }
}
