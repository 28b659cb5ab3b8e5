import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireCLI

private let confirmed = CloseCause.closedByApp(sent: 1000, answer: PeerClose(code: 1000))
private let unconfirmed = CloseCause.closedByApp(sent: 1000, answer: nil)
private let lost = CloseCause.connectionLost(ConnectionFailure(.reset, systemCode: 104))

extension LineLedger {
    /// So many lines are read and sent over the connection before which `ended` others had ended.
    fileprivate func send(_ count: Int, endedBefore ended: Int = 0) {
        noteRead(count)
        for _ in 0..<count { note(.sent(endedBefore: ended)) }
    }
}

@Suite("LineLedger")
struct LineLedgerTests {
    @Test("nothing is lost when all that was read was sent")
    func nothing() {
        let ledger = LineLedger()
        #expect(ledger.loss == nil)
        ledger.noteRead(2)
        ledger.note(.sent(endedBefore: 0))
        ledger.note(.sent(endedBefore: 0))
        #expect(ledger.loss == nil)
    }

    @Test("a line that was read and not sent is counted, also the one that met the end")
    func unsent() {
        let ledger = LineLedger()
        ledger.noteRead(3)
        ledger.note(.sent(endedBefore: 0))
        ledger.note(.ended)
        #expect(ledger.loss == "2 lines of the input could not be sent")
        ledger.note(.sent(endedBefore: 0))
        #expect(ledger.loss == "1 line of the input could not be sent")
    }

    @Test("where there is more than was counted, that is said")
    func cut() {
        let ledger = LineLedger()
        ledger.noteMore()
        #expect(ledger.loss == nil)
        ledger.noteRead(1)
        #expect(ledger.loss == "at least 1 line of the input could not be sent")
    }

    @Test("a line of which nobody knows is counted apart")
    func unsure() {
        let ledger = LineLedger()
        ledger.noteRead(1)
        ledger.note(.sent(endedBefore: 0))
        ledger.noteConnectionEnd(.broken)
        ledger.settle(lost)
        #expect(ledger.loss == "1 line may not have arrived")
        ledger.noteRead(1)
        #expect(
            ledger.loss == "1 line of the input could not be sent, 1 line may not have arrived")
    }

    @Test("K12-02: lines that were on their way when a connection broke may not have arrived")
    func onTheirWay() {
        let ledger = LineLedger()
        ledger.send(3)
        ledger.noteConnectionEnd(.broken)
        ledger.send(2, endedBefore: 1)
        ledger.noteConnectionEnd(.broken)
        ledger.settle(confirmed)
        #expect(ledger.loss == "3 lines may not have arrived")
    }

    @Test("K12-02: what the server answered a ping behind has arrived, and nothing else has")
    func pinged() {
        let ledger = LineLedger()
        ledger.send(3)
        ledger.notePing()
        ledger.send(2)
        ledger.notePong()
        // Not for lines that were sent behind the ping.
        ledger.notePong()
        ledger.noteConnectionEnd(.broken)
        ledger.settle(lost)
        #expect(ledger.loss == "2 lines may not have arrived")
    }

    @Test("a ping of a connection that ended tells nothing of the next one's lines")
    func pingOfYesterday() {
        let ledger = LineLedger()
        ledger.send(1)
        ledger.notePing()
        ledger.noteConnectionEnd(.broken)
        ledger.send(1, endedBefore: 1)
        ledger.notePong()
        ledger.noteConnectionEnd(.broken)
        ledger.settle(lost)
        #expect(ledger.loss == "2 lines may not have arrived")
    }

    @Test(
        "a line whose connection ended before that was noted shares that connection's fate")
    func lateNote() {
        let outcome = LineOutcome.sent(endedBefore: 0)
        for (end, cause, isLost) in [
            (.broken, confirmed, false), (.broken, lost, true), (.inOrder, confirmed, false),
        ] as [(LineLedger.End, CloseCause, Bool)] {
            let ledger = LineLedger()
            ledger.noteRead(1)
            #expect(ledger.endedConnections == 0)
            ledger.noteConnectionEnd(end)
            ledger.note(outcome)
            ledger.settle(cause)
            #expect(ledger.loss == (isLost ? "1 line may not have arrived" : nil))
        }
        // Nobody knows any more which one that was.
        let ledger = LineLedger()
        ledger.noteRead(1)
        ledger.noteConnectionEnd(.inOrder)
        ledger.noteConnectionEnd(.inOrder)
        ledger.note(outcome)
        ledger.settle(confirmed)
        #expect(ledger.loss == "1 line may not have arrived")
    }

    @Test("K12-01: a server that closes in order again and again has had each connection's lines")
    func oneEach() {
        let ledger = LineLedger()
        for number in 0..<3 {
            ledger.send(1, endedBefore: number)
            ledger.noteConnectionEnd(.inOrder)
        }
        ledger.settle(.closedByPeer(PeerClose(code: 1000)))
        #expect(ledger.loss == nil)
    }

    @Test(
        "the last connection's lines are cleared by its orderly end",
        arguments: [
            (confirmed, false), (unconfirmed, true), (lost, true), (.heartbeatTimeout, true),
            (.closedByPeer(PeerClose(code: 1000)), false),
            (.closedByPeer(PeerClose(code: nil)), false),
            (.closedByApp(sent: 1000, answer: PeerClose(code: 1011)), true),
            (.closedByApp(sent: 1000, answer: PeerClose(code: nil)), false),
            (.closedByApp(sent: 1000, answer: PeerClose(code: 1001)), false),
        ] as [(CloseCause, Bool)])
    func lastConnection(cause: CloseCause, isInDoubt: Bool) {
        let ledger = LineLedger()
        ledger.send(2)
        ledger.noteConnectionEnd(.broken)
        ledger.settle(cause)
        #expect(ledger.loss == (isInDoubt ? "2 lines may not have arrived" : nil))
    }

    @Test("an attempt that fails behind a lost connection clears nothing")
    func attemptBehind() {
        let ledger = LineLedger()
        ledger.send(2)
        ledger.noteConnectionEnd(.broken)
        ledger.noteConnectionEnd(.broken)
        ledger.settle(confirmed)
        #expect(ledger.loss == "2 lines may not have arrived")
    }

    @Test(
        "K12-02: a server that closes for a reason of its own may have passed over lines: that is told"
    )
    func passedOver() {
        let ledger = LineLedger()
        ledger.send(2)
        ledger.noteConnectionEnd(.closed)
        #expect(ledger.remark == nil)
        ledger.send(1, endedBefore: 1)
        ledger.noteConnectionEnd(.broken)
        ledger.settle(confirmed)
        #expect(ledger.loss == nil)
        let words = " without confirming that it had read them"
        #expect(ledger.remark == "the server closed behind 2 lines" + words)
        let last = LineLedger()
        last.send(1)
        last.noteConnectionEnd(.closed)
        last.settle(.closedByPeer(PeerClose(code: 1012)))
        #expect(last.loss == nil)
        #expect(last.remark == "the server closed behind 1 line" + words)
    }
}
