import HeartwireProtocol
import HeartwireSession

// How a connection ends, or comes to none.
extension ConformanceRun {
    func peerClose(_ behaviour: String, _ expected: PeerClose) async throws {
        let connection = try await open("close=\(behaviour)@20")
        let cause = try await connection.end()
        try connection.demand(
            cause == .closedByPeer(expected), "expected \(CloseCause.closedByPeer(expected))")
        try await connection.demandQuiet("the end")
    }

    func messagesAheadOfClose() async throws {
        let connection = try await open("hello=3x10&close=1000")
        let cause = try await connection.end()
        try connection.demand(
            cause == .closedByPeer(PeerClose(code: 1000)), "expected the peer's close")
        try connection.demand(
            connection.observer.messages == Array(repeating: .text("hhhhhhhhhh"), count: 3),
            "expected the three messages that came ahead of it")
    }

    func appClose(_ code: CloseCode?, _ reason: String) async throws {
        let connection = try await open()
        connection.call { $0.close(code, reason: reason) }
        let cause = try await connection.end()
        // The endpoint answers with the code that it was sent, and without a reason.
        let answer = CloseCause.closedByPeer(PeerClose(code: code))
        try connection.demand(cause == answer, "expected the endpoint's answer, \(answer)")
        try await connection.demandQuiet("the end")
    }

    func closeBehindMessages() async throws {
        let connection = try await open()
        let sent = (0..<100).map { Message.text("message \($0)") }
        try connection.send(sent)
        connection.call { $0.close(1000, reason: "") }
        _ = try await connection.end()
        try connection.demand(
            connection.observer.messages == sent, "expected the echoes of what went ahead")
    }

    func crossingCloses() async throws {
        let connection = try connection("close=1001")
        connection.observer.onReport = { [unowned connection] report in
            if report == .opened { connection.call { $0.close(1000, reason: "") } }
        }
        try await connection.open()
        let cause = try await connection.end()
        try connection.demand(cause.kind == .closedByPeer, "expected the peer's close")
        try await connection.demandQuiet("the end")
    }

    func lost(
        _ query: String, _ isRight: (ConnectionFailure.Kind) -> Bool
    ) async throws {
        let connection = try await open(query)
        let cause = try await connection.end()
        guard case .connectionLost(let failure) = cause, isRight(failure.kind) else {
            throw ConformanceFailure("expected the loss by its own kind, saw \(cause)")
        }
        try await connection.demandQuiet("the end")
    }

    func halfOpen() async throws {
        let connection = try await open("freeze@0")
        connection.call { $0.ping(PingID(1)) }
        try connection.send([.text("to nobody")])
        try await connection.demandQuiet("the peer fell silent")
        connection.abort()
        try await connection.demandQuiet("abort()")
    }

    // MARK: Before the opening

    func refusedPort() async throws {
        let connection = try connection(url: peer.refusing)
        connection.call { $0.open() }
        let cause = try await connection.end()
        guard case .connectFailed(let failure) = cause, failure.kind == .refused else {
            throw ConformanceFailure("expected a refused connection, saw \(cause)")
        }
        try await connection.demandQuiet("the end")
    }

    func refusal() async throws {
        let connection = try connection("refuse=503&retry-after=7")
        connection.call { $0.open() }
        let cause = try await connection.end()
        guard case .refused(let refusal) = cause, refusal.status == 503,
            refusal.retryAfterSeconds == 7
        else {
            throw ConformanceFailure("expected HTTP 503 with its Retry-After, saw \(cause)")
        }
        try await connection.demandQuiet("the end")
    }

    func badHandshake(_ query: String) async throws {
        let connection = try connection(query)
        connection.call { $0.open() }
        let cause = try await connection.end()
        try connection.demand(cause.kind == .badHandshake, "expected a bad handshake")
        try await connection.demandQuiet("the end")
    }

    func resetBeforeOpening() async throws {
        let connection = try connection("refuse=reset")
        connection.call { $0.open() }
        let cause = try await connection.end()
        try connection.demand(cause.kind == .connectFailed, "expected a failure to connect")
        try await connection.demandQuiet("the end")
    }

    func silence() async throws {
        let connection = try connection("refuse=silence")
        connection.call { $0.open() }
        try await connection.demandQuiet("a request without an answer")
        connection.abort()
        try await connection.demandQuiet("abort()")
    }
}
