import HeartwireProtocol
import HeartwireSession
import Testing

@Suite("Timers of an executor")
struct TimerHeapTests {
    private func instant(_ number: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: Int64(number))
    }

    @Test("Timers fire in the order of their deadlines, whatever the order of scheduling")
    func order() {
        var heap = TimerHeap()
        var fired: [Int] = []
        var deadlines = Array(0..<200)
        var generator = SplitMix64(seed: 7)
        deadlines.shuffle(using: &generator)
        for deadline in deadlines { _ = heap.add(instant(deadline)) { fired.append(deadline) } }
        while let action = heap.popDue(instant(1_000)) { action() }
        #expect(fired == Array(0..<200))
        #expect(heap.count == 0)
        #expect(heap.nextDeadline == nil)
    }

    @Test("Timers with one deadline fire in the order of scheduling")
    func ties() {
        var heap = TimerHeap()
        var fired: [Int] = []
        for number in 0..<50 { _ = heap.add(instant(5)) { fired.append(number) } }
        while let action = heap.popDue(instant(5)) { action() }
        #expect(fired == Array(0..<50))
    }

    @Test("A timer is due at its deadline and not one nanosecond before")
    func boundary() {
        var heap = TimerHeap()
        _ = heap.add(instant(100)) {}
        #expect(heap.popDue(instant(99)) == nil)
        #expect(heap.popDue(instant(100)) != nil)
        #expect(heap.popDue(instant(101)) == nil)
    }

    @Test("A cancelled timer does not fire and its deadline is not waited for")
    func cancel() {
        var heap = TimerHeap()
        let first = heap.add(instant(1)) { Issue.record("a cancelled timer fired") }
        _ = heap.add(instant(2)) {}
        heap.cancel(first)
        #expect(heap.nextDeadline == instant(2))
        #expect(heap.count == 1)
        heap.cancel(first)
        #expect(heap.count == 1)
        #expect(heap.popDue(instant(5)) != nil)
        #expect(heap.popDue(instant(5)) == nil)
    }

    @Test("Many cancelled timers leave no pile behind, and the living keep their order")
    func cancelMany() {
        var heap = TimerHeap()
        var fired: [Int] = []
        var timers: [TimerID] = []
        for number in 0..<1_000 {
            timers.append(heap.add(instant(1_000 - number)) { fired.append(1_000 - number) })
        }
        for (index, timer) in timers.enumerated() where index % 10 != 0 { heap.cancel(timer) }
        #expect(heap.count == 100)
        while let action = heap.popDue(instant(2_000)) { action() }
        #expect(fired == (1...1_000).filter { $0 % 10 == 0 })
    }
}
