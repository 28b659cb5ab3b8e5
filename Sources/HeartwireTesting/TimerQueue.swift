import HeartwireSession

/// Timers in the order (deadline, order of scheduling): a binary heap beside a table of actions.
///
/// A cancelled timer loses its action at once and its place in the heap when it comes to the top,
/// or when most of the heap is such leftovers.
struct TimerQueue {
    private struct Entry {
        var deadline: MonotonicInstant
        var number: UInt64

        func isBefore(_ other: Entry) -> Bool {
            deadline == other.deadline ? number < other.number : deadline < other.deadline
        }
    }

    /// The heap is not rebuilt while it is smaller than this.
    private static let smallestRebuild = 64

    private var heap: [Entry] = []
    private var actions: [UInt64: () -> Void] = [:]
    private var lastNumber: UInt64 = 0

    /// How many timers have neither fired nor been cancelled.
    var count: Int { actions.count }

    /// When the next timer fires.
    var nextDeadline: MonotonicInstant? {
        mutating get {
            dropCancelled()
            return heap.first?.deadline
        }
    }

    mutating func schedule(
        at deadline: MonotonicInstant, _ action: @escaping () -> Void
    ) -> TimerID {
        lastNumber &+= 1
        actions[lastNumber] = action
        heap.append(Entry(deadline: deadline, number: lastNumber))
        siftUp(heap.count - 1)
        return TimerID(lastNumber)
    }

    mutating func cancel(_ timer: TimerID) {
        guard actions.removeValue(forKey: timer.number) != nil else { return }
        guard heap.count > Self.smallestRebuild, heap.count > actions.count * 2 else { return }
        heap.removeAll { actions[$0.number] == nil }
        // A sorted array is a heap.
        heap.sort { $0.isBefore($1) }
    }

    /// Takes out the action of the next timer that is due at `now`.
    mutating func popDue(at now: MonotonicInstant) -> (() -> Void)? {
        dropCancelled()
        guard let first = heap.first, first.deadline <= now else { return nil }
        removeFirst()
        return actions.removeValue(forKey: first.number)
    }

    private mutating func dropCancelled() {
        while let first = heap.first, actions[first.number] == nil {
            removeFirst()
        }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        siftDown()
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].isBefore(heap[smallest]) { smallest = child }
            }
            guard smallest != parent else { return }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
