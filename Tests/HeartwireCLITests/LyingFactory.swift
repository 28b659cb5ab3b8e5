import Heartwire
import HeartwireProtocol
import HeartwireSession

/// Stands between a client and its transports and breaks one promise. Lives in its executor's domain.
final class LyingFactory: TransportFactory, @unchecked Sendable {
    enum Lie: Sendable {
        /// Every report carries the newest connection's generation, as if nobody had kept the right one.
        case mislabels
        /// Every ping is answered, whatever the peer does.
        case pongsAtOnce
        /// Every end is told as a lost connection.
        case alwaysLost
        /// After the peer's first ping no message is handed on.
        case deafAfterPing
        /// Messages change places in pairs.
        case swapsMessages
        /// There are two connections for one.
        case makesTwo
        /// An abort is not carried out.
        case neverAborts
    }

    let executor: any SessionExecutor
    private let inner: any TransportFactory
    private let lie: Lie
    fileprivate private(set) var newest = Generation.none
    private var spares: [any Transport] = []

    init(_ inner: any TransportFactory, _ lie: Lie) {
        self.inner = inner
        self.lie = lie
        executor = inner.executor
    }

    func makeTransport(
        _ generation: Generation, request: ConnectionRequest, observer: any TransportObserver
    ) -> any Transport {
        newest = generation
        let liar = Liar(self, lie, generation, observer)
        let transport = inner.makeTransport(generation, request: request, observer: liar)
        liar.inner = transport
        if lie == .makesTwo {
            let spare = inner.makeTransport(generation, request: request, observer: Nobody())
            spares.append(spare)
            spare.open()
        }
        return liar
    }
}

private final class Nobody: TransportObserver {
    func transportProgressed(_ generation: Generation, _ phase: ConnectPhase) {}
    func transportOpened(_ generation: Generation, _ opened: OpenedConnection) {}
    func transportReceived(_ generation: Generation, _ message: Message) {}
    func transportFinishedBatch(_ generation: Generation) {}
    func transportReceivedPing(_ generation: Generation, payload: [UInt8]) {}
    func transportReceivedPong(_ generation: Generation, _ id: PingID) {}
    func transportBecameWritable(_ generation: Generation) {}
    func transportClosed(_ generation: Generation, _ cause: CloseCause) {}
}

private final class Liar: Transport, TransportObserver {
    var inner: (any Transport)?
    private let factory: LyingFactory
    private let lie: LyingFactory.Lie
    private let own: Generation
    private let observer: any TransportObserver
    private var isDeaf = false
    private var held: Message?

    init(
        _ factory: LyingFactory, _ lie: LyingFactory.Lie, _ own: Generation,
        _ observer: any TransportObserver
    ) {
        self.factory = factory
        self.lie = lie
        self.own = own
        self.observer = observer
    }

    private var stamp: Generation { lie == .mislabels ? factory.newest : own }

    func open() { inner?.open() }

    func send(_ message: Message) throws(SendError) -> Bool {
        guard let inner else { throw SendError.notOpen }
        return try inner.send(message)
    }

    func ping(_ id: PingID) {
        inner?.ping(id)
        guard lie == .pongsAtOnce else { return }
        _ = factory.executor.schedule(at: factory.executor.now()) {
            self.observer.transportReceivedPong(self.own, id)
        }
    }

    func close(_ code: CloseCode?, reason: String) { inner?.close(code, reason: reason) }

    func abort() {
        if lie != .neverAborts { inner?.abort() }
    }

    func setReading(_ isReading: Bool) { inner?.setReading(isReading) }

    func transportProgressed(_ generation: Generation, _ phase: ConnectPhase) {
        observer.transportProgressed(stamp, phase)
    }

    func transportOpened(_ generation: Generation, _ opened: OpenedConnection) {
        observer.transportOpened(stamp, opened)
    }

    func transportReceived(_ generation: Generation, _ message: Message) {
        guard !isDeaf else { return }
        guard lie == .swapsMessages else { return observer.transportReceived(stamp, message) }
        guard let first = held.take() else { return held = message }
        observer.transportReceived(stamp, message)
        observer.transportReceived(stamp, first)
    }

    func transportFinishedBatch(_ generation: Generation) {
        observer.transportFinishedBatch(stamp)
    }

    func transportReceivedPing(_ generation: Generation, payload: [UInt8]) {
        if lie == .deafAfterPing { isDeaf = true }
        observer.transportReceivedPing(stamp, payload: payload)
    }

    func transportReceivedPong(_ generation: Generation, _ id: PingID) {
        observer.transportReceivedPong(stamp, id)
    }

    func transportBecameWritable(_ generation: Generation) {
        observer.transportBecameWritable(stamp)
    }

    func transportClosed(_ generation: Generation, _ cause: CloseCause) {
        let lost = CloseCause.connectionLost(ConnectionFailure(.system))
        observer.transportClosed(stamp, lie == .alwaysLost ? lost : cause)
    }
}
