public import HeartwireProtocol
public import HeartwireSession

/// Makes the transports of another factory and keeps a handle on each, so that a test can have an old
/// connection report something again while a newer one is current (promises G1–G3).
///
/// Lives in the executor's domain; that is what makes `@unchecked Sendable` true.
public final class RecordingTransportFactory: TransportFactory, @unchecked Sendable {
    /// The domain of the transports.
    public let executor: any SessionExecutor
    /// Every transport that was made, in order. Read it in the domain.
    public private(set) var transports: [RecordedTransport] = []
    private let inner: any TransportFactory

    /// Stands in front of `inner`.
    public init(_ inner: any TransportFactory) {
        self.inner = inner
        executor = inner.executor
    }

    /// The transport that was made last for `generation`.
    public func transport(of generation: Generation) -> RecordedTransport? {
        transports.last { $0.generation == generation }
    }

    /// Makes a transport of the other factory and keeps a handle on it.
    public func makeTransport(
        _ generation: Generation, request: ConnectionRequest, observer: any TransportObserver
    ) -> any Transport {
        let recorded = RecordedTransport(generation, observer: observer)
        recorded.inner = inner.makeTransport(generation, request: request, observer: recorded)
        transports.append(recorded)
        return recorded
    }
}

/// What a transport can tell of its connection, as a value.
public enum TransportReport: Sendable, Hashable {
    /// See `TransportObserver.transportProgressed`.
    case progressed(ConnectPhase)
    /// See `TransportObserver.transportOpened`.
    case opened
    /// See `TransportObserver.transportReceived`.
    case message(Message)
    /// See `TransportObserver.transportReceivedPing`.
    case ping
    /// See `TransportObserver.transportReceivedPong`.
    case pong(PingID)
    /// See `TransportObserver.transportBecameWritable`.
    case writable
    /// See `TransportObserver.transportClosed`.
    case closed(CloseCause)
}

extension TransportReport {
    /// Reports this to `observer` as the transport of `generation` does.
    func tell(_ observer: any TransportObserver, as generation: Generation) {
        switch self {
        case .progressed(let phase): observer.transportProgressed(generation, phase)
        case .opened: observer.transportOpened(generation, OpenedConnection())
        case .message(let message):
            observer.transportReceived(generation, message)
            observer.transportFinishedBatch(generation)
        case .ping: observer.transportReceivedPing(generation, payload: [])
        case .pong(let id): observer.transportReceivedPong(generation, id)
        case .writable: observer.transportBecameWritable(generation)
        case .closed(let cause): observer.transportClosed(generation, cause)
        }
    }
}

/// The transport of one generation: what was asked of it, what it reported, and a way to make it report anything.
///
/// Lives in its executor's domain.
public final class RecordedTransport: Transport, TransportObserver {
    /// The connection that it was made for.
    public let generation: Generation
    /// The pings that it was asked to send.
    public private(set) var pings: [PingID] = []
    /// What it reported of its own accord, without the batches' ends.
    public private(set) var reports: [TransportReport] = []
    /// Whether it was dropped.
    public private(set) var isAborted = false
    fileprivate var inner: (any Transport)?
    private let observer: any TransportObserver

    fileprivate init(_ generation: Generation, observer: any TransportObserver) {
        self.generation = generation
        self.observer = observer
    }

    /// Has the transport report something that did not happen, or that happened long ago, under its own generation.
    public func replay(_ report: TransportReport) {
        report.tell(observer, as: generation)
    }

    // MARK: Transport

    /// What the inner transport says.
    public var pendingCause: CloseCause? { inner?.pendingCause }
    /// As the wrapped transport has it.
    public var unacknowledgedBytes: Int { inner?.unacknowledgedBytes ?? 0 }

    /// Begins to connect.
    public func open() {
        inner?.open()
    }

    /// Sends a message.
    ///
    /// - Throws: what the transport throws.
    public func send(_ message: Message) throws(SendError) -> Bool {
        guard let inner else { throw SendError.notOpen }
        return try inner.send(message)
    }

    /// Notes the ping and sends it.
    public func ping(_ id: PingID) {
        pings.append(id)
        inner?.ping(id)
    }

    /// Begins the closing handshake.
    public func close(_ code: CloseCode?, reason: String) {
        inner?.close(code, reason: reason)
    }

    /// Drops the connection.
    public func abort() {
        isAborted = true
        inner?.abort()
    }

    /// Stops or resumes reading.
    public func setReading(_ isReading: Bool) {
        inner?.setReading(isReading)
    }

    // MARK: TransportObserver

    /// Notes the report and passes it on.
    public func transportProgressed(_ generation: Generation, _ phase: ConnectPhase) {
        reports.append(.progressed(phase))
        observer.transportProgressed(generation, phase)
    }

    /// Notes the report and passes it on.
    public func transportOpened(_ generation: Generation, _ opened: OpenedConnection) {
        reports.append(.opened)
        observer.transportOpened(generation, opened)
    }

    /// Passes the message on; messages are not kept.
    public func transportReceived(_ generation: Generation, _ message: Message) {
        observer.transportReceived(generation, message)
    }

    /// Passes it on.
    public func transportFinishedBatch(_ generation: Generation) {
        observer.transportFinishedBatch(generation)
    }

    /// Notes the report and passes it on.
    public func transportReceivedPing(_ generation: Generation, payload: [UInt8]) {
        reports.append(.ping)
        observer.transportReceivedPing(generation, payload: payload)
    }

    /// Notes the report and passes it on.
    public func transportReceivedPong(_ generation: Generation, _ id: PingID) {
        reports.append(.pong(id))
        observer.transportReceivedPong(generation, id)
    }

    /// Notes the report and passes it on.
    public func transportBecameWritable(_ generation: Generation) {
        reports.append(.writable)
        observer.transportBecameWritable(generation)
    }

    /// Notes the report and passes it on.
    public func transportClosed(_ generation: Generation, _ cause: CloseCause) {
        reports.append(.closed(cause))
        observer.transportClosed(generation, cause)
    }
}
