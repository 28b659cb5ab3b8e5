import HeartwireSession
import Testing

@testable import HeartwireTesting

@Suite struct TimerQueueTests {
    private final class Log {
        var lines: [String] = []
    }

    private let log = Log()

    private func instant(_ nanoseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: nanoseconds)
    }

    private func schedule(_ queue: inout TimerQueue, _ deadline: Int64, _ name: String) -> TimerID {
        queue.schedule(at: instant(deadline)) { [log] in log.lines.append(name) }
    }

    /// Fires what is due at `now` and gives the names, in order.
    private func fire(_ queue: inout TimerQueue, at now: Int64) -> [String] {
        log.lines = []
        while let action = queue.popDue(at: instant(now)) { action() }
        return log.lines
    }

    @Test("Timers fire in the order of their deadlines, whatever the order of scheduling")
    func deadlineOrder() {
        var queue = TimerQueue()
        for deadline: Int64 in [5, 1, 4, 2, 3] {
            _ = schedule(&queue, deadline, "\(deadline)")
        }
        #expect(fire(&queue, at: 9) == ["1", "2", "3", "4", "5"])
        #expect(queue.count == 0)
    }

    @Test("Timers with one deadline fire in the order of scheduling")
    func schedulingOrder() {
        var queue = TimerQueue()
        for name in ["a", "b", "c", "d", "e", "f", "g"] {
            _ = schedule(&queue, 7, name)
        }
        #expect(fire(&queue, at: 7) == ["a", "b", "c", "d", "e", "f", "g"])
    }

    @Test("A timer is due at its deadline and not a nanosecond before")
    func boundary() {
        var queue = TimerQueue()
        _ = schedule(&queue, 100, "x")
        #expect(fire(&queue, at: 99).isEmpty)
        #expect(queue.nextDeadline == instant(100))
        #expect(fire(&queue, at: 100) == ["x"])
        #expect(queue.nextDeadline == nil)
    }

    @Test("A cancelled timer neither fires nor counts nor holds the next deadline")
    func cancelled() {
        var queue = TimerQueue()
        let first = schedule(&queue, 1, "first")
        _ = schedule(&queue, 2, "second")
        queue.cancel(first)
        queue.cancel(first)
        #expect(queue.count == 1)
        #expect(queue.nextDeadline == instant(2))
        #expect(fire(&queue, at: 5) == ["second"])
    }

    @Test("Taking back a timer that has fired changes nothing, for ids are never reused")
    func cancelledLate() {
        var queue = TimerQueue()
        let first = schedule(&queue, 1, "first")
        #expect(fire(&queue, at: 1) == ["first"])
        let second = schedule(&queue, 1, "second")
        #expect(first != second)
        queue.cancel(first)
        #expect(fire(&queue, at: 1) == ["second"])
    }

    @Test("Ten thousand cancelled timers leave the order of the rest as it was")
    func rebuild() {
        var queue = TimerQueue()
        var expected: [String] = []
        for round in 0..<10_000 {
            let deadline = Int64((round * 7_919) % 10_007)
            let timer = schedule(&queue, deadline, "\(deadline)")
            if round % 100 == 0 {
                expected.append("\(deadline)")
            } else {
                queue.cancel(timer)
            }
        }
        expected.sort { (Int($0) ?? 0) < (Int($1) ?? 0) }
        #expect(queue.count == 100)
        #expect(fire(&queue, at: 20_000) == expected)
    }

    @Test("A seeded mix of scheduling, cancelling and firing agrees with a sorted list")
    func againstModel() {
        let random = SeededRandomSource(seed: 7)
        var queue = TimerQueue()
        var model: [(deadline: Int64, number: UInt64, name: String)] = []
        for round in 0..<3_000 {
            switch random.next() % 4 {
            case 0, 1:
                let deadline = Int64(random.next() % 500)
                let timer = schedule(&queue, deadline, "\(round)")
                model.append((deadline, timer.number, "\(round)"))
            case 2:
                guard !model.isEmpty else { continue }
                let victim = model.remove(at: Int(random.next() % UInt64(model.count)))
                queue.cancel(TimerID(victim.number))
            default:
                let now = Int64(random.next() % 500)
                let due = model.filter { $0.deadline <= now }
                    .sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }
                model.removeAll { $0.deadline <= now }
                #expect(fire(&queue, at: now) == due.map(\.name))
            }
            #expect(queue.count == model.count)
        }
    }
}
