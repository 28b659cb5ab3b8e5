import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireCLI

@Suite("ConnectionEnd")
struct ConnectionEndTests {
    @Test(
        "K12-01: a confirmed close of ours, and a close by the server with 1000 or without a code, go well"
    )
    func clean() {
        #expect(CommandEnd(.closedByApp(sent: 1000, answer: PeerClose(code: 1000))) == .done)
        #expect(CommandEnd(.closedByApp(sent: 4001, answer: PeerClose(code: 4001))) == .done)
        #expect(CommandEnd(.closedByApp(sent: 1001, answer: PeerClose(code: 1000))) == .done)
        #expect(CommandEnd(.closedByApp(sent: 1000, answer: PeerClose(code: nil))) == .done)
        #expect(CommandEnd(.closedByApp(sent: 1000, answer: PeerClose(code: 1001))) == .done)
        #expect(CommandEnd(.closedByPeer(PeerClose(code: 1000, reason: "bye"))) == .done)
        #expect(CommandEnd(.closedByPeer(PeerClose(code: nil))) == .done)
    }

    @Test(
        "K12-01: every other end is a failure with its cause in words",
        arguments: [
            (
                CloseCause.closedByApp(sent: 1000, answer: nil),
                HeartwireCLI.ExitStatus.closedAbnormally
            ),
            (
                .closedByApp(sent: 1000, answer: PeerClose(code: 1011, reason: "boom")),
                .closedAbnormally
            ),
            (.closedByPeer(PeerClose(code: 1001)), .closedAbnormally),
            (.connectionLost(ConnectionFailure(.endOfStream)), .closedAbnormally),
            (.heartbeatTimeout, .timedOut), (.connectTimeout(.tcp), .timedOut),
            (.connectFailed(ConnectionFailure(.timedOut)), .timedOut),
            (.connectFailed(ConnectionFailure(.refused, systemCode: 111)), .failure),
            (.connectFailed(ConnectionFailure(.resolution)), .failure),
            (.connectFailed(ConnectionFailure(.nameMismatch)), .insecure),
            (.requestFailed("no token"), .failure),
        ])
    func failed(cause: CloseCause, status: HeartwireCLI.ExitStatus) {
        #expect(CommandEnd(cause) == .failed(cause.description, as: status))
        #expect(exitStatus(for: CommandEnd(cause)) == status)
    }

    @Test("K12-01: a broken rule names the rule, in the handshake and after it")
    func violations() {
        let violation = ProtocolViolation(
            closeCode: 1002, clause: "5.1", expected: "an unmasked frame", seen: "a masked one")
        for cause in [CloseCause.badHandshake(violation), .protocolViolation(violation)] {
            #expect(CommandEnd(cause) == .failed("\(cause)", as: .protocolBroken))
            #expect("\(cause)".contains("5.1"))
        }
    }

    @Test("K12-09: the code, the reason and who closed are told")
    func peerClose() {
        let end = CommandEnd(.closedByPeer(PeerClose(code: 4400, reason: "bad json")))
        #expect(end == .failed("closed by the peer: 4400 \"bad json\"", as: .closedAbnormally))
    }

    @Test("K12-01, K12-09: a refusal tells its status, what helps, and the beginning of its body")
    func refusal() {
        let refusal = Refusal(
            status: 429, reasonPhrase: "Too Many Requests",
            headers: ["Server": "x", "Retry-After": "7", "Set-Cookie": "secret"],
            body: Array("slow \u{1B}[31mdown".utf8))
        let line = ConnectionEnd.line(for: refusal)
        #expect(
            line == "the server answered HTTP 429 Too Many Requests; Retry-After: 7; "
                + "it says: slow \u{1B}[31mdown")
        #expect(CommandEnd(.refused(refusal)) == .failed(line, as: .refused))
        #expect(displaySafe(line).contains("\u{1B}") == false)
    }

    @Test(
        "K05-18: where a redirect leads is told without credentials and query",
        arguments: [
            ("ws://u:pw@h/a?t=secret", "ws://h/a?…"), ("//u@h:81/?x", "//h:81/?…"),
            ("https://h/a@b#part", "https://h/a@b"), ("/a?b@c", "/a?…"), ("a", "a"), ("", ""),
            ("ws://u:p@w@h", "ws://h"), ("ws://u:p/w@h", "ws://u:p/w@h"),
        ])
    func redirect(location: String, shown: String) {
        #expect(ConnectionEnd.withoutSecrets(location) == shown)
        let refusal = Refusal(
            status: 302, reasonPhrase: "Found", headers: ["Location": location], body: [])
        #expect(ConnectionEnd.line(for: refusal).hasSuffix("; Location: \(shown)"))
    }

    @Test("RFC 9110 11.6.1: every way to log in that a server offers is told")
    func challenges() {
        var headers: HeaderFields = ["WWW-Authenticate": "Negotiate"]
        headers.append("www-authenticate", "Bearer error=\"invalid_token\"")
        let refusal = Refusal(status: 401, reasonPhrase: "", headers: headers, body: [])
        #expect(
            ConnectionEnd.line(for: refusal).hasSuffix(
                "; WWW-Authenticate: Negotiate, Bearer error=\"invalid_token\""))
    }

    @Test("RFC 6455 4.4: the version that a server would have is told")
    func version() {
        let refusal = Refusal(
            status: 426, reasonPhrase: "", headers: ["Sec-WebSocket-Version": "8, 7"], body: [])
        #expect(ConnectionEnd.line(for: refusal).hasSuffix("; Sec-WebSocket-Version: 8, 7"))
    }

    @Test("K12-09: a long body is cut, an empty one is not mentioned")
    func body() {
        let long = Refusal(
            status: 200, reasonPhrase: "", headers: [:], body: [UInt8](repeating: 0x78, count: 301))
        let line = ConnectionEnd.line(for: long)
        #expect(line.hasSuffix(String(repeating: "x", count: 300) + "…"))
        let empty = Refusal(status: 200, reasonPhrase: "OK", headers: [:], body: [])
        #expect(ConnectionEnd.line(for: empty) == "the server answered HTTP 200 OK")
    }

    @Test("K12-09: the line's end behind a body is left out, one within it is not")
    func bodyEnd() {
        let refusal = Refusal(
            status: 404, reasonPhrase: "Not Found", headers: [:], body: Array("no\nhere\r\n".utf8))
        #expect(
            ConnectionEnd.line(for: refusal)
                == "the server answered HTTP 404 Not Found; it says: no\nhere")
    }

    @Test("every other cause is told in its own words")
    func otherCauses() {
        #expect(ConnectionEnd.line(for: .heartbeatTimeout) == "no pong in time")
        let refusal = Refusal(status: 500, reasonPhrase: "", headers: [:], body: [0x78])
        #expect(ConnectionEnd.line(for: .refused(refusal)).hasSuffix("it says: x"))
    }
}
