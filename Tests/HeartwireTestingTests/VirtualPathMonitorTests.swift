import HeartwireSession
import HeartwireTesting
import Testing

@Suite("VirtualPathMonitor: a network that changes when the test says so")
struct VirtualPathMonitorTests {
    private final class Heard: @unchecked Sendable {
        var paths: [String] = []
    }

    @Test(
        "L3: everybody who listens hears of each change, in the order in which they came, until they leave"
    )
    func reports() {
        let executor = VirtualExecutor()
        let monitor = VirtualPathMonitor()
        let heard = Heard()
        monitor.change(to: .usable)
        let first = monitor.subscribe(in: executor) { heard.paths.append("1 \($0)") }
        let second = monitor.subscribe(in: executor) { heard.paths.append("2 \($0)") }
        #expect(monitor.subscriberCount == 2)
        #expect(heard.paths.isEmpty, "the present path is not reported")
        monitor.change(to: .unusable)
        first.cancel()
        monitor.change(to: .usable)
        #expect(heard.paths == ["1 unusable", "2 unusable", "2 usable"])
        second.cancel()
        second.cancel()
        monitor.change(to: .usable)
        #expect(heard.paths.count == 3)
        #expect(monitor.subscriberCount == 0)
    }

    @Test("L3: whoever is told may leave, and have others leave")
    func leaving() {
        let executor = VirtualExecutor()
        let monitor = VirtualPathMonitor()
        let heard = Heard()
        let subscriptions = Subscriptions()
        for number in 1...2 {
            subscriptions.all.append(
                monitor.subscribe(in: executor) { _ in
                    heard.paths.append("\(number)")
                    for subscription in subscriptions.all { subscription.cancel() }
                })
        }
        monitor.change(to: .usable)
        #expect(heard.paths == ["1"])
    }

    private final class Subscriptions: @unchecked Sendable {
        var all: [PathSubscription] = []
    }
}
