import Testing

@testable import HeartwireProtocol

@Suite("5.5.3: a flood of pings cannot fill the outgoing buffer")
struct PongLedgerTests {
    @Test("Room ends at the limit and comes back with what is written")
    func room() {
        var ledger = PongLedger(limit: 2)
        #expect(ledger.hasRoom(written: 0) == true)
        ledger.noteQueued(end: 10)
        #expect(ledger.hasRoom(written: 0) == true)
        ledger.noteQueued(end: 20)
        #expect(ledger.hasRoom(written: 9) == false)
        #expect(ledger.hasRoom(written: 10) == true)
        ledger.noteQueued(end: 30)
        #expect(ledger.hasRoom(written: 19) == false)
        #expect(ledger.hasRoom(written: 30) == true)
    }

    @Test("Of the pings that find no room only the newest is kept")
    func newest() {
        var ledger = PongLedger(limit: 1)
        #expect(ledger.takeHeld() == nil)
        ledger.hold([1])
        ledger.hold([2])
        #expect(ledger.held == [2])
        #expect(ledger.takeHeld() == [2])
        #expect(ledger.takeHeld() == nil)
    }

    @Test(
        "A limit below one counts as one, lest a ping be held for ever",
        arguments: [0, -1, Int.min])
    func atLeastOne(_ limit: Int) {
        var ledger = PongLedger(limit: limit)
        #expect(ledger.hasRoom(written: 0) == true)
        ledger.noteQueued(end: 5)
        #expect(ledger.hasRoom(written: 4) == false)
        #expect(ledger.hasRoom(written: 5) == true)
    }

    @Test("Reset forgets everything")
    func reset() {
        var ledger = PongLedger(limit: 1)
        ledger.noteQueued(end: 5)
        ledger.hold([1])
        ledger.reset()
        #expect(ledger.held == nil)
        #expect(ledger.hasRoom(written: 0) == true)
    }
}
