import HeartwireProtocol
import HeartwireSession
import Testing

/// One cause of each kind, with what it says.
let violation = ProtocolViolation(
    closeCode: 1002, clause: "5.1", expected: "no mask", seen: "a mask")

@Suite("CloseCause: why a connection ended")
struct CloseCauseTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let cause: CloseCause
        let kind: CloseCause.Kind
        let number: Int?
        let words: String
        var testDescription: String { words }

        init(_ cause: CloseCause, _ kind: CloseCause.Kind, _ number: Int?, _ words: String) {
            self.cause = cause
            self.kind = kind
            self.number = number
            self.words = words
        }
    }

    @Test("P3, P6: a failure of TLS or of a proxy speaks for itself, and has words without it")
    func particulars() {
        let tls = TLSFailure.notYetValid
        #expect("\(ConnectionFailure(tls))" == "\(tls)")
        #expect("\(ConnectionFailure(.tls))" == "TLS failed")
        #expect("\(ConnectionFailure(ProxyFailure.ended))" == "\(ProxyFailure.ended)")
        #expect("\(ConnectionFailure(.proxy))" == "the proxy opened no tunnel")
    }

    @Test("P6: a failure on the way to the proxy says so")
    func atProxy() {
        var refused = ConnectionFailure(.refused, systemCode: 111)
        #expect(!refused.isAtProxy)
        refused.isAtProxy = true
        #expect("\(refused)" == "at the proxy: connection refused (errno 111)")
        var unknown = ConnectionFailure(.resolution, systemCode: -2)
        unknown.isAtProxy = true
        #expect("\(unknown)" == "at the proxy: the host's name does not resolve (resolver code -2)")
        var lost = ConnectionFailure(.timedOut)
        lost.isAtProxy = true
        #expect("\(lost)" == "at the proxy: the network timed out")
    }

    static let samples = [
        Sample(
            .closedByApp(sent: 1000, answer: nil), .closedByApp, 1000,
            "closed by the app (1000), not confirmed by the peer"),
        Sample(
            .closedByApp(sent: nil, answer: nil), .closedByApp, nil,
            "closed by the app (no code), not confirmed by the peer"),
        Sample(
            .closedByApp(sent: 1000, answer: PeerClose(code: 4001, reason: "bye")), .closedByApp,
            4001, #"closed by the app (1000), the peer answered 4001 "bye""#),
        Sample(
            .closedByApp(sent: 1000, answer: PeerClose(code: nil)), .closedByApp, 1000,
            "closed by the app (1000), the peer answered no code"),
        Sample(
            .closedByPeer(PeerClose(code: 1001, reason: "a\u{7}\"")), .closedByPeer, 1001,
            #"closed by the peer: 1001 "a\u{07}\"""#),
        Sample(
            .closedByPeer(PeerClose(code: nil)), .closedByPeer, nil, "closed by the peer: no code"),
        Sample(.heartbeatTimeout, .heartbeatTimeout, nil, "no pong in time"),
        Sample(.connectTimeout(.tls), .connectTimeout, nil, "not open in time (tls)"),
        Sample(
            .connectFailed(ConnectionFailure(.refused, systemCode: 111)), .connectFailed, 111,
            "cannot connect: connection refused (errno 111)"),
        Sample(
            .connectFailed(ConnectionFailure(.status(407))), .connectFailed, 407,
            "cannot connect: the proxy wants credentials, or others than it was given (HTTP 407)"),
        Sample(
            .connectFailed(ConnectionFailure(.ended)), .connectFailed, nil,
            "cannot connect: the proxy ended the connection without an answer"),
        Sample(
            .connectFailed(ConnectionFailure(.timedOut)), .connectFailed, nil,
            "cannot connect: the network timed out"),
        Sample(
            .refused(Refusal(status: 403, reasonPhrase: "Forbidden")), .refused, 403,
            "the server answered HTTP 403 Forbidden"),
        Sample(
            .badHandshake(violation), .badHandshake, 1002,
            "bad opening handshake: RFC 6455 5.1: expected no mask, saw a mask"),
        Sample(
            .protocolViolation(violation), .protocolViolation, 1002,
            "the peer broke the protocol: RFC 6455 5.1: expected no mask, saw a mask"),
        Sample(
            .connectionLost(ConnectionFailure(.reset, systemCode: 104)), .connectionLost, 104,
            "connection lost: connection reset by the peer (errno 104)"),
        Sample(
            .requestFailed("TokenError"), .requestFailed, nil,
            "no request for the attempt: TokenError"),
    ]

    @Test("G4: each cause has its kind, its number and its words", arguments: samples)
    func sample(sample: Sample) {
        #expect(sample.cause.kind == sample.kind)
        #expect(sample.cause.number == sample.number)
        #expect("\(sample.cause)" == sample.words)
    }

    @Test("G4: the words name the close code and quote the reason")
    func closeWords() {
        let answered = CloseCause.closedByApp(
            sent: 1000, answer: PeerClose(code: 4001, reason: "bye"))
        #expect("\(answered)" == #"closed by the app (1000), the peer answered 4001 "bye""#)
        #expect("\(PeerClose(code: 1001))" == "1001")
        #expect("\(PeerClose(code: 1001, reason: "a\"b"))" == #"1001 "a\"b""#)
        #expect("\(PeerClose(code: nil, reason: ""))" == "no code")
    }

    @Test("G4: every kind has a sample here and a name of its own")
    func kinds() {
        #expect(Set(Self.samples.map(\.kind)) == Set(CloseCause.Kind.allCases))
        #expect(Set(CloseCause.Kind.allCases.map(\.rawValue)).count == 10)
        #expect(CloseCause.Kind.heartbeatTimeout.rawValue == "heartbeat-timeout")
    }

    @Test(
        "G4: each failure beneath the protocol has its words",
        arguments: [
            (.resolution, "the host's name does not resolve (resolver code -2)"),
            (.refused, "connection refused (errno -2)"),
            (.unreachable, "no route to the host (errno -2)"),
            (.reset, "connection reset by the peer (errno -2)"),
            (.endOfStream, "the peer ended the stream without a Close frame (errno -2)"),
            (.timedOut, "the network timed out (errno -2)"), (.tls, "TLS failed (errno -2)"),
            (
                .forbidden,
                "watchOS lets only apps connect that stream audio or hold a call (LowLevelNetworking)"
                    + " (errno -2)"
            ),
            (.system, "system error (errno -2)"),
        ] as [(ConnectionFailure.Kind, String)])
    func failures(kind: ConnectionFailure.Kind, words: String) {
        #expect("\(ConnectionFailure(kind, systemCode: -2))" == words)
        #expect(ConnectionFailure(kind).systemCode == 0)
        #expect(!"\(ConnectionFailure(kind))".contains("(errno"))
        #expect(!"\(ConnectionFailure(kind))".contains("(resolver"))
    }

    @Test(
        "an error of the system that somebody can mend is told in words, beside its number",
        arguments: [
            (1, "permit"), (13, "permit"), (12, "memory"), (22, "address"), (23, "in the system"),
            (24, "in the process"), (5, "system error"),
        ] as [(Int32, String)])
    func systemErrors(code: Int32, words: String) {
        let failure = ConnectionFailure(.system, systemCode: code)
        #expect("\(failure)".contains(words))
        #expect("\(failure)".hasSuffix("(errno \(code))"))
    }

    @Test("G4: the phases of connecting are told apart by name")
    func phases() {
        let names = ConnectPhase.allCases.map(\.rawValue)
        #expect(names == ["request", "resolving", "tcp", "proxy", "tls", "upgrade"])
    }
}
