import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireCLI

private func line(_ state: SessionState, _ opened: OpenedConnection? = nil) throws -> String? {
    StateLine.text(
        for: state, url: try WebSocketURL("ws://user:pass@h:9/p?token=1"), opened: opened)
}

@Suite("StateLine")
struct StateLineTests {
    @Test("J1: the URL is told without its password and query")
    func connecting() throws {
        #expect(
            try line(.connecting(Generation.none, attempt: 0)) == "connecting to ws://h:9/p?…")
        #expect(
            try line(.connecting(Generation.none, attempt: 3))
                == "connecting to ws://h:9/p?…, attempt 3")
    }

    @Test("the subprotocol is told where the server chose one")
    func open() throws {
        #expect(try line(.open(.none)) == "open")
        #expect(try line(.open(.none), OpenedConnection()) == "open")
        #expect(
            try line(.open(.none), OpenedConnection(subprotocol: "a")) == "open, subprotocol a")
    }

    @Test("K12-09: a wait tells the cause, the attempt and its delay")
    func waiting() throws {
        let cause = CloseCause.closedByPeer(PeerClose(code: 1012, reason: "restart"))
        #expect(
            try line(.waiting(attempt: 2, delay: .milliseconds(2_190), cause: cause))
                == "closed by the peer: 1012 \"restart\"; attempt 2 follows in 2.1 s")
        let refusal = Refusal(status: 503, reasonPhrase: "", headers: [:], body: [0x78])
        #expect(
            try line(.waiting(attempt: 1, delay: .zero, cause: .refused(refusal)))
                == "\(refusal); it says: x; attempt 1 follows in 0.0 s")
    }

    @Test("L1: a suspension tells the cause of the last end, where there was one")
    func suspended() throws {
        #expect(try line(.suspended(cause: nil)) == "suspended")
        #expect(try line(.suspended(cause: .heartbeatTimeout)) == "no pong in time; suspended")
    }

    @Test("the close is told, the rest states and the end are told elsewhere")
    func others() throws {
        #expect(try line(.closing(.none)) == "closing")
        #expect(try line(.idle) == nil)
        #expect(try line(.stopped(.disconnected(nil))) == nil)
    }

    @Test("K10-11: what broke during the close is told by its name and number")
    func symptom() {
        #expect(
            StateLine.text(forSymptom: .connectionLost, number: 104)
                == "during the close: connection-lost (104)")
        #expect(
            StateLine.text(forSymptom: .connectionLost, number: nil)
                == "during the close: connection-lost")
    }
}
