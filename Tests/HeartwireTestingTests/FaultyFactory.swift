import HeartwireProtocol
import HeartwireSession
import HeartwireTesting

/// Makes transports with one fault each, to see the conformance suite find it.
struct FaultyFactory: TransportFactory {
    enum Fault: String, CaseIterable, Sendable {
        case openingWithinOpen, secondOpening, secondEnd, endlessEnd, lostMessage, doubledMessage
        case swappedMessages, pongForAnother, secondPong, noPong, deafAfterPing, reportAfterAbort
        case wrongGeneration, wrongCode, lostReason, everyLossIsAReset, silentLoss, takesAll
        case alwaysRoom, roomTwice, deafToPause, otherDomain, heldForEver, noSubprotocol
        case messageBeforeOpening

        /// The cases that find it.
        var cases: [TransportConformance.Case] {
            switch self {
            case .openingWithinOpen, .secondOpening: [.opening]
            case .secondEnd: [.endOfStream, .refusedPort, .peerClose]
            case .endlessEnd: [.endOfStream, .refusal, .garbage, .appClose, .reset]
            case .lostMessage: [.order, .sizes, .multiByteText, .backPressureIn]
            case .doubledMessage: [.order, .sizes]
            case .swappedMessages: [.order, .sizes]
            case .pongForAnother: [.pongs]
            case .secondPong: [.pongs]
            case .noPong: [.pongs, .doublePongs, .latePongs, .readsOn]
            case .deafAfterPing: [.missingPongs, .foreignPongs, .readsOn]
            case .reportAfterAbort: [.abortWhileOpen, .abortWhileConnecting, .abortWithinReports]
            case .wrongGeneration: [.sideBySide, .opening]
            case .wrongCode: [.peerCloseOwnCode, .appCloseOwnCode, .peerClose]
            case .lostReason: [.peerClose]
            case .everyLossIsAReset: [.endOfStream]
            case .silentLoss: [.reset, .endOfStream]
            case .takesAll: [.sendingOutsideOpen]
            case .alwaysRoom, .roomTwice: [.backPressureOut]
            case .deafToPause: [.backPressureIn]
            case .otherDomain: [.opening]
            case .heldForEver: [.lettingGo]
            case .noSubprotocol: [.subprotocol]
            case .messageBeforeOpening: [.order]
            }
        }

        /// What the finding says.
        var words: String {
            switch self {
            case .openingWithinOpen: "from within a call"
            case .secondOpening: "the opening was reported twice"
            case .secondEnd: "the end was reported after the end"
            case .endlessEnd, .silentLoss: "for the end"
            case .lostMessage, .noPong: "waited"
            case .doubledMessage, .swappedMessages: "as they went"
            case .pongForAnother: "the pong for"
            case .secondPong: "was reported twice"
            case .deafAfterPing: "waited"
            case .reportAfterAbort: "after abort()"
            case .wrongGeneration: "was reported for"
            case .wrongCode, .lostReason, .everyLossIsAReset: "expected"
            case .takesAll: "taken"
            case .alwaysRoom: "backlog is full"
            case .roomTwice: "one report of room"
            case .deafToPause: "reading was switched off"
            case .otherDomain: "outside of the domain"
            case .heldForEver: "hold the transport"
            case .noSubprotocol: "the subprotocol"
            case .messageBeforeOpening: "before the opening"
            }
        }
    }

    private let inner: any TransportFactory
    private let fault: Fault

    init(_ inner: any TransportFactory, fault: Fault) {
        self.inner = inner
        self.fault = fault
    }

    var executor: any SessionExecutor {
        fault == .otherDomain ? OtherDomain(inner.executor) : inner.executor
    }

    func makeTransport(
        _ generation: Generation, request: ConnectionRequest, observer: any TransportObserver
    ) -> any Transport {
        let transport = FaultyTransport(fault, generation, observer, inner.executor)
        transport.inner = inner.makeTransport(generation, request: request, observer: transport)
        return transport
    }
}

private final class FaultyTransport: Transport, TransportObserver {
    private let fault: FaultyFactory.Fault
    private let generation: Generation
    private let observer: any TransportObserver
    private let executor: any SessionExecutor
    private var cycle: FaultyTransport?
    private var held: Message?
    private var messages = 0
    private var isDeaf = false
    var inner: (any Transport)?

    init(
        _ fault: FaultyFactory.Fault, _ generation: Generation, _ observer: any TransportObserver,
        _ executor: any SessionExecutor
    ) {
        self.fault = fault
        self.generation = generation
        self.observer = observer
        self.executor = executor
        if fault == .heldForEver { cycle = self }
    }

    private var told: Generation { fault == .wrongGeneration ? Generation(99) : generation }

    func open() {
        if fault == .openingWithinOpen {
            observer.transportOpened(generation, OpenedConnection())
        }
        inner?.open()
    }

    func send(_ message: Message) throws(SendError) -> Bool {
        if fault == .takesAll { return (try? inner?.send(message)) ?? true }
        let hasRoom = try inner?.send(message) ?? true
        return hasRoom || fault == .alwaysRoom
    }

    func ping(_ id: PingID) {
        if fault == .deafAfterPing { isDeaf = true }
        inner?.ping(id)
    }

    func close(_ code: CloseCode?, reason: String) { inner?.close(code, reason: reason) }

    func abort() {
        inner?.abort()
        guard fault == .reportAfterAbort else { return }
        let observer = Report(observer: observer, generation: generation)
        executor.execute { observer.end() }
    }

    func setReading(_ isReading: Bool) {
        guard fault != .deafToPause else { return }
        inner?.setReading(isReading)
    }

    func transportProgressed(_ generation: Generation, _ phase: ConnectPhase) {}

    func transportOpened(_ generation: Generation, _ opened: OpenedConnection) {
        if fault == .messageBeforeOpening { observer.transportReceived(generation, .text("early")) }
        observer.transportOpened(told, fault == .noSubprotocol ? OpenedConnection() : opened)
        if fault == .secondOpening { observer.transportOpened(generation, opened) }
    }

    func transportReceived(_ generation: Generation, _ message: Message) {
        guard !isDeaf else { return }
        messages += 1
        if fault == .lostMessage, messages == 2 { return }
        if fault == .swappedMessages, messages == 2 { return held = message }
        observer.transportReceived(told, message)
        if fault == .doubledMessage, messages == 2 {
            observer.transportReceived(generation, message)
        }
        if let held {
            self.held = nil
            observer.transportReceived(generation, held)
        }
    }

    func transportFinishedBatch(_ generation: Generation) {
        observer.transportFinishedBatch(told)
    }

    func transportReceivedPing(_ generation: Generation, payload: [UInt8]) {
        observer.transportReceivedPing(generation, payload: payload)
    }

    func transportReceivedPong(_ generation: Generation, _ id: PingID) {
        guard fault != .noPong else { return }
        let told = fault == .pongForAnother ? PingID(id.number + 7) : id
        observer.transportReceivedPong(generation, told)
        if fault == .secondPong { observer.transportReceivedPong(generation, told) }
    }

    func transportBecameWritable(_ generation: Generation) {
        observer.transportBecameWritable(generation)
        if fault == .roomTwice { observer.transportBecameWritable(generation) }
    }

    func transportClosed(_ generation: Generation, _ cause: CloseCause) {
        var cause = cause
        switch fault {
        case .endlessEnd: return
        case .silentLoss:
            if case .connectionLost = cause { return }
        case .wrongCode:
            if case .closedByPeer(let close) = cause {
                cause = .closedByPeer(PeerClose(code: 1000, reason: close.reason))
            }
        case .lostReason:
            if case .closedByPeer(let close) = cause {
                cause = .closedByPeer(PeerClose(code: close.code))
            }
        case .everyLossIsAReset: cause = .connectionLost(ConnectionFailure(.reset))
        default: break
        }
        observer.transportClosed(told, cause)
        if fault == .secondEnd { observer.transportClosed(generation, cause) }
    }
}

/// A report on its way through the executor, in whose domain all of it is.
private struct Report: @unchecked Sendable {
    let observer: any TransportObserver
    let generation: Generation

    func end() {
        observer.transportClosed(generation, .connectionLost(ConnectionFailure(.reset)))
    }
}

/// The domain of another executor, from which nobody ever seems to call.
private final class OtherDomain: SessionExecutor {
    private let inner: any SessionExecutor

    init(_ inner: any SessionExecutor) {
        self.inner = inner
    }

    var taskExecutor: any TaskExecutor { inner.taskExecutor }
    var isCurrent: Bool { false }
    func now() -> MonotonicInstant { inner.now() }
    func enqueue(_ job: consuming ExecutorJob) { inner.enqueue(job) }
    func execute(_ work: @escaping @Sendable () -> Void) { inner.execute(work) }
    func schedule(at deadline: MonotonicInstant, _ action: @escaping () -> Void) -> TimerID {
        inner.schedule(at: deadline, action)
    }
    func cancel(_ timer: TimerID) { inner.cancel(timer) }
    func flushAtEndOfTurn(_ flushable: any TurnFlushable) { inner.flushAtEndOfTurn(flushable) }
}
