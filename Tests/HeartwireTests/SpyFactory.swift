import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

/// Makes another factory's transports, and remembers for whom, so that a test can report in the
/// name of a connection that is long gone. Confined to its executor's domain.
final class SpyFactory: TransportFactory, @unchecked Sendable {
    /// One transport that was made.
    struct Made {
        let generation: Generation
        weak var observer: (any TransportObserver)?
        weak var transport: (any Transport)?
    }

    private let base: any TransportFactory
    private(set) var made: [Made] = []

    init(_ base: any TransportFactory) {
        self.base = base
    }

    var executor: any SessionExecutor { base.executor }

    /// How many of the transports have not been freed.
    var living: Int { made.count { $0.transport != nil } }

    func makeTransport(
        _ generation: Generation, request: ConnectionRequest, observer: any TransportObserver
    ) -> any Transport {
        let transport = base.makeTransport(generation, request: request, observer: observer)
        made.append(Made(generation: generation, observer: observer, transport: transport))
        return transport
    }

    /// Reports everything that a transport can report, all in the name of `generation`.
    func reportEverything(as generation: Generation) {
        guard let observer = made.last?.observer else { return }
        observer.transportProgressed(generation, .tls)
        observer.transportOpened(generation, OpenedConnection(subprotocol: "stale"))
        observer.transportReceived(generation, .text("stale"))
        observer.transportFinishedBatch(generation)
        observer.transportReceivedPing(generation, payload: [1])
        for id in 0..<8 { observer.transportReceivedPong(generation, PingID(UInt64(id))) }
        observer.transportBecameWritable(generation)
        observer.transportClosed(generation, .connectionLost(ConnectionFailure(.reset)))
        observer.transportReceived(generation, .binary([1]))
        observer.transportClosed(
            generation, .closedByPeer(PeerClose(code: 1008, reason: "stale")))
    }
}
