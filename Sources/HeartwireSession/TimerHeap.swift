/// The timers of one executor: a heap by deadline, in order of scheduling where deadlines are equal.
///
/// Each timer has a place beside the heap that knows where in the heap it stands, so that it is taken back at once, without a
/// search. A node has four children: half as many levels as with two, for children that lie side by side.
package struct TimerHeap {
    /// What a timer runs. Wrapped: a function that stands in an array by itself costs one more allocation.
    private struct Action {
        let run: () -> Void
    }

    private struct Entry {
        let deadline: MonotonicInstant
        let order: UInt64
        let place: UInt32

        func precedes(_ other: Entry) -> Bool {
            deadline == other.deadline ? order < other.order : deadline < other.deadline
        }
    }

    private struct Place {
        /// `nil` while the place is free.
        var action: Action?
        /// Counts who has had the place, so that a timer that is over is not taken for another.
        var use: UInt32 = 0
        var position: UInt32 = 0
    }

    private var heap: [Entry] = []
    private var places: [Place] = []
    private var free: [UInt32] = []
    private var lastOrder: UInt64 = 0

    /// No timers.
    package init() {}

    /// How many timers are to fire.
    package var count: Int { heap.count }

    /// When the next timer is to fire.
    package var nextDeadline: MonotonicInstant? { heap.first?.deadline }

    /// Takes in a timer that is to fire at `deadline`.
    package mutating func add(_ deadline: MonotonicInstant, _ action: @escaping () -> Void)
        -> TimerID
    {
        let place = takePlace()
        lastOrder &+= 1
        places[Int(place)].action = Action(run: action)
        let entry = Entry(deadline: deadline, order: lastOrder, place: place)
        heap.append(entry)
        rise(entry, from: heap.count - 1)
        return TimerID(UInt64(places[Int(place)].use) << 32 | UInt64(place))
    }

    /// Takes a timer back, and drops its action; nothing happens when it has fired.
    package mutating func cancel(_ timer: TimerID) {
        let place = Int(timer.number & 0xFFFF_FFFF)
        guard place < places.count, places[place].use == UInt32(timer.number >> 32),
            places[place].action != nil
        else { return }
        _ = remove(at: Int(places[place].position))
    }

    /// Takes out the action of the next timer that is due at `now`.
    package mutating func popDue(_ now: MonotonicInstant) -> (() -> Void)? {
        guard let top = heap.first, top.deadline <= now else { return nil }
        return remove(at: 0)
    }

    private mutating func takePlace() -> UInt32 {
        if let place = free.popLast() { return place }
        places.append(Place())
        return UInt32(places.count - 1)
    }

    private mutating func remove(at position: Int) -> (() -> Void)? {
        let place = heap[position].place
        let last = heap.removeLast()
        if position < heap.count {
            let parent = (position - 1) / 4
            if position > 0, last.precedes(heap[parent]) {
                rise(last, from: position)
            } else {
                sink(last, from: position)
            }
        }
        free.append(place)
        places[Int(place)].use &+= 1
        return places[Int(place)].action.take()?.run
    }

    private mutating func put(_ entry: Entry, at position: Int) {
        heap[position] = entry
        places[Int(entry.place)].position = UInt32(position)
    }

    /// Puts an entry at `start` or, past later ones, nearer to the top.
    private mutating func rise(_ entry: Entry, from start: Int) {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 4
            guard entry.precedes(heap[parent]) else { break }
            put(heap[parent], at: position)
            position = parent
        }
        put(entry, at: position)
    }

    /// Puts an entry at `start` or, past earlier ones, farther from the top.
    private mutating func sink(_ entry: Entry, from start: Int) {
        var position = start
        while let child = earliestChild(of: position), heap[child].precedes(entry) {
            put(heap[child], at: position)
            position = child
        }
        put(entry, at: position)
    }

    private func earliestChild(of position: Int) -> Int? {
        let first = 4 * position + 1
        guard first < heap.count else { return nil }
        var earliest = first
        for child in (first + 1)..<max(first + 1, min(first + 4, heap.count))
        where heap[child].precedes(heap[earliest]) {
            earliest = child
        }
        return earliest
    }
}
