import HeartwireSession
import Testing

@Suite("PathMonitor: the seam to the network's paths")
struct PathMonitorTests {
    private final class Count: @unchecked Sendable {
        var value = 0
    }

    @Test("L3: cancelling a subscription ends it where it was made")
    func cancel() {
        let count = Count()
        let subscription = PathSubscription { count.value += 1 }
        #expect(count.value == 0)
        subscription.cancel()
        #expect(count.value == 1)
    }
}
