import Heartwire
import HeartwireSession
import Testing

@Suite struct ShutdownReportTests {
    @Test("D6: a report tells what was left, one by one, and why the session is stopped")
    func report() {
        let left = [
            UnsettledDelivery(DeliveryID(1), mayHaveArrived: true),
            UnsettledDelivery(DeliveryID(2), mayHaveArrived: false),
        ]
        let report = ShutdownReport(left: left, cause: .disconnected(nil))
        #expect(report.left == left)
        #expect(report.cause == .disconnected(nil))
        #expect(!report.isDrained)
        #expect(ShutdownReport(left: [], cause: nil).isDrained)
    }
}
