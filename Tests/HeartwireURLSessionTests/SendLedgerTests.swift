import Testing

@testable import HeartwireURLSession

@Suite("Messages on their way")
struct SendLedgerTests {
    @Test(
        "T4: there is room up to the high-water mark, and again at the low-water mark, to the byte")
    func marks() {
        var ledger = SendLedger(highWater: 100, lowWater: 10)
        let (first, hasRoom) = ledger.add(bytes: 100)
        #expect(hasRoom)
        let (second, stillHasRoom) = ledger.add(bytes: 1)
        #expect(!stillHasRoom)
        let (third, _) = ledger.add(bytes: 10)
        #expect(ledger.outstandingBytes == 111)
        #expect(ledger.settle(first) == (true, false))
        #expect(ledger.outstandingBytes == 11)
        #expect(ledger.settle(second) == (true, true))
        #expect(ledger.settle(third) == (true, false))
        #expect(ledger.isEmpty)
    }

    @Test("T4: room is told only where it was missed")
    func noDebt() {
        var ledger = SendLedger(highWater: 100, lowWater: 100)
        let (slot, _) = ledger.add(bytes: 100)
        #expect(ledger.settle(slot) == (true, false))
    }

    @Test("T4, P4: marks below zero count as zero")
    func marksBelowZero() {
        var ledger = SendLedger(highWater: -5, lowWater: -1)
        let (empty, hasRoom) = ledger.add(bytes: 0)
        #expect(hasRoom)
        let (slot, stillHasRoom) = ledger.add(bytes: 1)
        #expect(!stillHasRoom)
        #expect(ledger.settle(empty) == (true, false))
        #expect(ledger.settle(slot) == (true, true))
    }

    @Test("T1: a slot counts once, also that of an empty message")
    func once() {
        var ledger = SendLedger(highWater: 0, lowWater: 0)
        let (empty, hasRoom) = ledger.add(bytes: 0)
        #expect(hasRoom)
        #expect(!ledger.isEmpty)
        #expect(ledger.settle(empty) == (true, false))
        #expect(ledger.settle(empty) == (false, false))
        let (slot, _) = ledger.add(bytes: 1)
        #expect(ledger.settle(slot) == (true, true))
        #expect(ledger.settle(slot) == (false, false))
        #expect(ledger.outstandingBytes == 0)
    }
}
