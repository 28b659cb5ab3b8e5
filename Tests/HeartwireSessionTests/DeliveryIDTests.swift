import HeartwireSession
import Testing

@Suite struct DeliveryIDTests {
    @Test("D4: ids are strictly increasing, beginning behind none")
    func order() {
        let first = DeliveryID.none.next
        #expect(first == DeliveryID(1))
        #expect(DeliveryID.none < first)
        #expect(first < first.next)
        #expect(first.next == DeliveryID(2))
        #expect(!(first < first))
    }

    @Test("D4: ids read delivery1, delivery2, …")
    func words() {
        #expect("\(DeliveryID(1))" == "delivery1")
        #expect("\(DeliveryID(.max))" == "delivery18446744073709551615")
    }

    @Test("D4: behind the greatest id the numbers wrap instead of trapping")
    func wraps() {
        #expect(DeliveryID(.max).next == .none)
    }
}
