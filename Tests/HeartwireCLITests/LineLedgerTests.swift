import Testing

@testable import HeartwireCLI

@Suite("LineLedger")
struct LineLedgerTests {
    @Test("nothing is lost when all that was read was sent")
    func nothing() {
        let ledger = LineLedger()
        #expect(ledger.loss == nil)
        ledger.noteRead(2)
        ledger.note(.sent)
        ledger.note(.sent)
        #expect(ledger.loss == nil)
    }

    @Test("a line that was read and not sent is counted, also the one that met the end")
    func unsent() {
        let ledger = LineLedger()
        ledger.noteRead(3)
        ledger.note(.sent)
        ledger.note(.ended)
        #expect(ledger.loss == "2 lines of the input could not be sent")
        ledger.note(.sent)
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
        ledger.note(.unsure)
        #expect(ledger.loss == "1 line may not have arrived")
        ledger.noteRead(1)
        #expect(
            ledger.loss == "1 line of the input could not be sent, 1 line may not have arrived")
    }
}
