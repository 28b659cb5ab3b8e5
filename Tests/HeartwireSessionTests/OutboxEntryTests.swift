import HeartwireProtocol
import HeartwireSession
import Testing

@Suite struct OutboxEntryTests {
    @Test("K04-05: an entry has its id, its message, and whether it may be a duplicate")
    func entry() {
        let fresh = OutboxEntry(id: DeliveryID(7), message: .text("x"))
        #expect(fresh.id == DeliveryID(7))
        #expect(fresh.message == .text("x"))
        #expect(!fresh.isPossibleDuplicate)
        let again = OutboxEntry(id: DeliveryID(7), message: .text("x"), isPossibleDuplicate: true)
        #expect(again.isPossibleDuplicate)
        #expect(again != fresh)
        #expect(again.id == fresh.id)
    }

    @Test("D4: an entry that was not read has its id and its length")
    func unread() {
        let unread = UnreadEntry(id: DeliveryID(7), byteCount: 3)
        #expect(unread.id == DeliveryID(7) && unread.byteCount == 3)
        #expect(unread != UnreadEntry(id: DeliveryID(7), byteCount: 4))
    }

    @Test("D6: an unsettled delivery tells whether the peer may have it")
    func unsettled() {
        let left = UnsettledDelivery(DeliveryID(3), mayHaveArrived: true)
        #expect(left.id == DeliveryID(3))
        #expect(left.mayHaveArrived)
        #expect(left != UnsettledDelivery(DeliveryID(3), mayHaveArrived: false))
    }

    @Test("D2: a settled delivery is its id and its outcome")
    func settled() {
        let one = SettledDelivery(DeliveryID(1), .confirmed)
        #expect(one.id == DeliveryID(1))
        #expect(one.outcome == .confirmed)
        #expect(one != SettledDelivery(DeliveryID(1), .expired))
        #expect(one != SettledDelivery(DeliveryID(2), .confirmed))
    }
}
