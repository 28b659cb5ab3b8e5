/// A queue that is filled by one side and taken as a whole by the other. Elements are moved out, so what was
/// taken is not kept alive by the queue; the storage is kept.
///
/// Inlinable, so that taking the next message of a batch costs its consumer no call.
@usableFromInline
struct BatchQueue<Element> {
    @usableFromInline var slots: [Element?] = []
    @usableFromInline var head = 0

    @inlinable
    init() {}

    var isEmpty: Bool { head == slots.count }
    var count: Int { slots.count - head }

    mutating func append(_ element: consuming Element) {
        slots.append(consume element)
    }

    @inlinable
    mutating func popFirst() -> Element? {
        guard head < slots.count else { return nil }
        let element = slots[head].take()
        head += 1
        if head == slots.count {
            slots.removeAll(keepingCapacity: slots.count <= Self.keptCapacity)
            head = 0
        }
        return element
    }

    /// Slots whose storage is kept when the queue has been emptied.
    @inlinable
    static var keptCapacity: Int { 4_096 }

    /// The element that ``popFirst()`` would give.
    var first: Element? { head < slots.count ? slots[head] : nil }

    /// Drops the first element. A queue that nobody takes from, and that only ever drops, keeps no places of what
    /// went.
    mutating func dropFirst() {
        _ = popFirst()
        giveBackPlaces()
    }

    /// Gives back the places of what was taken, where they are many. The cost is spread over what was taken.
    mutating func giveBackPlaces() {
        guard head >= Self.droppedPlaces, head > slots.count / 2 else { return }
        slots.removeFirst(head)
        head = 0
    }

    /// Places of dropped elements that are kept at least before they are given back.
    static var droppedPlaces: Int { 64 }

    /// Puts an element ahead of all others: what ``popFirst()`` has just given goes back to its place.
    mutating func putBack(_ element: consuming Element) {
        if head > 0 {
            head -= 1
            slots[head] = consume element
        } else {
            slots.insert(consume element, at: 0)
        }
    }

    /// Takes out all elements of which `isGoing` is true, in order.
    mutating func remove(where isGoing: (Element) -> Bool) -> [Element] {
        var gone: [Element] = []
        var rest = BatchQueue()
        while let element = popFirst() {
            if isGoing(element) { gone.append(element) } else { rest.append(element) }
        }
        self = rest
        return gone
    }

    /// Puts what `other` holds behind what this queue holds.
    mutating func append(contentsOf other: inout BatchQueue) {
        while let element = other.popFirst() { append(element) }
    }
}
