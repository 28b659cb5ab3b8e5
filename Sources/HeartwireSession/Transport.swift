public import HeartwireProtocol

/// One connection, made for one generation and used for no other (promise T1).
///
/// A transport lives in its executor's isolation domain: each method is called there and each report
/// is made there. The lifetime is `open` → at most one `transportOpened` → any number of
/// messages and pongs → exactly one `transportClosed`, and nothing after it.
public protocol Transport: AnyObject {
    /// Begins to connect. Reports `transportOpened` or `transportClosed` later, never from within.
    func open()

    /// Queues a message behind what was queued before it.
    ///
    /// - Returns: whether there is room for more; when `false`, `transportBecameWritable` is
    ///   reported once the backlog has gone down to the low-water mark.
    /// - Throws: `SendError` when the connection is not open or the message is unlawful; nothing
    ///   was queued then.
    func send(_ message: Message) throws(SendError) -> Bool

    /// Asks the peer's WebSocket layer for a sign of life. The matching pong is reported with the
    /// same id, at most once.
    func ping(_ id: PingID)

    /// Begins the closing handshake (RFC 6455 §7.1.2) behind what is queued. The session bounds it.
    func close(_ code: CloseCode?, reason: String)

    /// What the connection would have to be said to have ended for, if its time were up now: a server that has
    /// refused and does not come to the end of its words has refused. `nil` unless there is such a cause.
    var pendingCause: CloseCause? { get }

    /// How many bytes of what was sent the peer's system has not acknowledged yet, as far as this side can tell.
    var unacknowledgedBytes: Int { get }

    /// Drops the connection at once: no close frame, no waiting, and no report afterwards.
    func abort()

    /// Stops or resumes reading from the network, for back-pressure.
    func setReading(_ isReading: Bool)
}

extension Transport {
    /// None.
    public var pendingCause: CloseCause? { nil }

    /// 0, where there is no way to tell.
    public var unacknowledgedBytes: Int { 0 }
}

/// Who hears what a ``Transport`` reports. Each report carries the generation the transport was made for.
public protocol TransportObserver: AnyObject {
    /// The attempt to connect has come to `phase`.
    func transportProgressed(_ generation: Generation, _ phase: ConnectPhase)
    /// The opening handshake succeeded.
    func transportOpened(_ generation: Generation, _ opened: OpenedConnection)
    /// A whole message arrived.
    func transportReceived(_ generation: Generation, _ message: consuming Message)
    /// Everything that one read yielded was reported: a good moment to wake consumers.
    func transportFinishedBatch(_ generation: Generation)
    /// The peer pinged; the transport has answered already.
    func transportReceivedPing(_ generation: Generation, payload: [UInt8])
    /// The pong for `id` arrived.
    func transportReceivedPong(_ generation: Generation, _ id: PingID)
    /// The backlog went down to the low-water mark after `send` had answered `false`.
    func transportBecameWritable(_ generation: Generation)
    /// The connection is over, for this one reason. Nothing follows.
    func transportClosed(_ generation: Generation, _ cause: CloseCause)
}

/// What the opening handshake settled.
public struct OpenedConnection: Sendable, Hashable {
    /// The subprotocol that the server chose, if any (RFC 6455 §1.9).
    public var subprotocol: String?

    /// States what was settled.
    public init(subprotocol: String? = nil) {
        self.subprotocol = subprotocol
    }
}

/// Makes the transport of one generation.
public protocol TransportFactory: Sendable {
    /// The domain in which the transports that this factory makes live.
    var executor: any SessionExecutor { get }

    /// What tells of the network's paths in that domain; `nil` where nothing does.
    var pathMonitor: (any PathMonitor)? { get }

    /// Makes a transport for `generation` that has not begun to connect. Called in the domain.
    /// The observer is held until the transport has reported `transportClosed` or was aborted.
    func makeTransport(
        _ generation: Generation, request: ConnectionRequest, observer: any TransportObserver
    ) -> any Transport
}

extension TransportFactory {
    /// None.
    public var pathMonitor: (any PathMonitor)? { nil }
}
