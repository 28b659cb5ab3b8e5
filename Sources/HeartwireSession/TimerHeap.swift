/// The timers of one executor: a binary heap by deadline, in order of scheduling where deadlines are equal.
///
/// A cancelled timer's action is dropped at once; its place in the heap goes when it comes to the top, or
/// when cancelled places outnumber the living, so the heap stays within twice the living timers.
package struct TimerHeap {
    private struct Entry {
        let deadline: MonotonicInstant
        let number: UInt64
    }

    private var heap: [Entry] = []
    private var actions: [UInt64: () -> Void] = [:]
    private var lastNumber: UInt64 = 0

    /// No timers.
    package init() {}

    /// How many timers are to fire.
    package var count: Int { actions.count }

    /// When the next timer is to fire.
    package var nextDeadline: MonotonicInstant? { heap.first?.deadline }

    /// Takes in a timer that is to fire at `deadline`.
    package mutating func add(_ deadline: MonotonicInstant, _ action: @escaping () -> Void)
        -> TimerID
    {
        lastNumber += 1
        actions[lastNumber] = action
        heap.append(Entry(deadline: deadline, number: lastNumber))
        siftUp(heap.count - 1)
        return TimerID(lastNumber)
    }

    /// Drops a timer's action; nothing happens when it has fired.
    package mutating func cancel(_ timer: TimerID) {
        guard actions.removeValue(forKey: timer.number) != nil else { return }
        if heap.count > 64, heap.count > 2 * actions.count {
            heap = heap.filter { actions[$0.number] != nil }
            for index in stride(from: heap.count / 2, through: 0, by: -1) { siftDown(index) }
        }
        dropCancelledTop()
    }

    /// Takes out the action of the next timer that is due at `now`.
    package mutating func popDue(_ now: MonotonicInstant) -> (() -> Void)? {
        dropCancelledTop()
        guard let top = heap.first, top.deadline <= now else { return nil }
        removeTop()
        let action = actions.removeValue(forKey: top.number)
        dropCancelledTop()
        return action
    }

    private mutating func dropCancelledTop() {
        while let top = heap.first, actions[top.number] == nil { removeTop() }
    }

    private mutating func removeTop() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        siftDown(0)
    }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        heap[left].deadline == heap[right].deadline
            ? heap[left].number < heap[right].number : heap[left].deadline < heap[right].deadline
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard precedes(child, parent) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && precedes(child, least) {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
