import HeartwireProtocol
import HeartwireSession

/// One run of one case: its connections, and the rules that hold for all of them.
///
/// Lives in the domain, which is what makes `@unchecked Sendable` true.
final class ConformanceRun: @unchecked Sendable {
    let factory: any TransportFactory
    let peer: TransportPeer
    let patience: TransportConformance.Patience
    private var connections: [ConformanceConnection] = []

    init(
        factory: any TransportFactory, peer: TransportPeer,
        patience: TransportConformance.Patience
    ) {
        self.factory = factory
        self.peer = peer
        self.patience = patience
    }

    /// Runs a case. Answers what does not hold; `nil` when it does.
    func fault(in aCase: TransportConformance.Case) async -> String? {
        var faults: [String] = []
        do {
            try await perform(aCase)
        } catch {
            faults.append("\(error)")
        }
        for connection in connections { connection.abort() }
        await connections.last?.pause()
        faults += connections.flatMap(\.observer.faults)
        return faults.isEmpty ? nil : faults.joined(separator: "; ")
    }

    /// A connection that has not begun, which the peer will treat as `query` says.
    func connection(
        _ query: String = "", subprotocols: [String] = [], limits: Limits = Limits()
    ) throws -> ConformanceConnection {
        try connection(url: try peer.url(query), subprotocols: subprotocols, limits: limits)
    }

    /// A connection that has not begun.
    func connection(
        url: WebSocketURL, subprotocols: [String] = [], limits: Limits = Limits()
    ) throws -> ConformanceConnection {
        let request = try ConnectionRequest(url: url, subprotocols: subprotocols, limits: limits)
        let generation = Generation(UInt64(connections.count) + 1)
        let connection = ConformanceConnection(generation, request, self)
        connections.append(connection)
        return connection
    }

    /// A connection that is open.
    func open(_ query: String = "", limits: Limits = Limits()) async throws
        -> ConformanceConnection
    {
        let connection = try connection(query, limits: limits)
        try await connection.open()
        return connection
    }

    /// Forgets a connection, so that nothing here holds it.
    func forget(_ connection: ConformanceConnection) {
        connections.removeAll { $0 === connection }
    }

    private func perform(_ aCase: TransportConformance.Case) async throws {
        switch aCase {
        case .opening: try await opening()
        case .subprotocol: try await subprotocol()
        case .order: try await order()
        case .sizes: try await sizes()
        case .longMessages: try await longMessages()
        case .multiByteText: try await multiByteText()
        case .readsOn: try await readsOn()
        case .pongs: try await pongs()
        case .doublePongs: try await doublePongs()
        case .foreignPongs: try await foreignPongs()
        case .missingPongs: try await missingPongs()
        case .latePongs: try await latePongs()
        case .peerClose: try await peerClose("1001:bye", PeerClose(code: 1001, reason: "bye"))
        case .peerCloseOwnCode:
            try await peerClose("4001:own", PeerClose(code: 4001, reason: "own"))
        case .peerCloseNoCode: try await peerClose("none", PeerClose(code: nil))
        case .messagesAheadOfClose: try await messagesAheadOfClose()
        case .appClose: try await appClose(1000, "done")
        case .appCloseOwnCode: try await appClose(4002, "own")
        case .appCloseNoCode: try await appClose(nil, "")
        case .closeBehindMessages: try await closeBehindMessages()
        case .crossingCloses: try await crossingCloses()
        case .endOfStream: try await lost("drop=fin@20") { $0 == .endOfStream }
        case .reset: try await lost("drop=rst@20") { $0 == .reset }
        case .halfOpen: try await halfOpen()
        case .refusedPort: try await refusedPort()
        case .refusal: try await refusal()
        case .garbage: try await badHandshake("refuse=garbage")
        case .wrongAccept: try await badHandshake("refuse=badaccept")
        case .resetBeforeOpening: try await resetBeforeOpening()
        case .silence: try await silence()
        case .abortBeforeOpening: try await abortBeforeOpening()
        case .abortWhileConnecting: try await abortWhileConnecting()
        case .abortWhileOpen: try await abortWhileOpen()
        case .abortWhileClosing: try await abortWhileClosing()
        case .abortWithinReports: try await abortWithinReports()
        case .sendingOutsideOpen: try await sendingOutsideOpen()
        case .afterTheEnd: try await afterTheEnd()
        case .backPressureOut: try await backPressureOut()
        case .backPressureIn: try await backPressureIn()
        case .sideBySide: try await sideBySide()
        case .lettingGo: try await lettingGo()
        }
    }
}
