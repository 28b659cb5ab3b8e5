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

    @Test("A timer that is over is not taken for the one that has its place now")
    func reusedPlaces() {
        var heap = TimerHeap()
        let first = heap.add(instant(1)) {}
        heap.cancel(first)
        var hasFired = false
        let second = heap.add(instant(2)) { hasFired = true }
        #expect(second != first)
        heap.cancel(first)
        heap.cancel(TimerID(7))
        #expect(heap.count == 1)
        heap.popDue(instant(2))?()
        #expect(hasFired)
        heap.cancel(second)
        #expect(heap.count == 0)
    }

    @Test("Whatever is scheduled, cancelled and fired in between, the order stays")
    func walk() {
        var heap = TimerHeap()
        var generator = SplitMix64(seed: 11)
        var living: [(deadline: Int, number: Int, timer: TimerID)] = []
        var fired: [Int] = []
        for number in 0..<5_000 {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0...2:
                let deadline = Int.random(in: 0..<500, using: &generator)
                let timer = heap.add(instant(deadline)) { fired.append(number) }
                living.append((deadline, number, timer))
            case 3:
                guard let index = living.indices.randomElement(using: &generator) else { continue }
                heap.cancel(living.remove(at: index).timer)
            default:
                let now = Int.random(in: 0..<500, using: &generator)
                let due = living.filter { $0.deadline <= now }.min {
                    ($0.deadline, $0.number) < ($1.deadline, $1.number)
                }
                fired = []
                heap.popDue(instant(now))?()
                #expect(fired == (due.map { [$0.number] } ?? []))
                living.removeAll { $0.number == due?.number }
            }
            #expect(heap.count == living.count)
            #expect(heap.nextDeadline == living.map(\.deadline).min().map { instant($0) })
        }
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
