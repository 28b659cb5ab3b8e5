/// A queue that is filled by one side and taken as a whole by the other. Elements are moved out, so what was
/// taken is not kept alive by the queue; the storage is kept, and filled again without being cleared before.
///
/// Inlinable, so that taking the next message of a batch costs its consumer no call.
@usableFromInline
package struct BatchQueue<Element> {
    /// Elements from `head` to `tail`; the rest is empty places.
    @usableFromInline var slots: [Element?] = []
    @usableFromInline var head = 0
    @usableFromInline var tail = 0

    @inlinable
    package init() {}

    @inlinable
    package var isEmpty: Bool { head == tail }
    @inlinable
    package var count: Int { tail - head }

    @inlinable
    package mutating func append(_ element: consuming Element) {
        if tail < slots.count {
            slots[tail] = consume element
        } else {
            // So a queue that is never quite empty grows with what waits in it, not with what has gone through it.
            if head > 0 { giveBackPlaces() }
            slots.append(consume element)
        }
        tail += 1
    }

    @inlinable
    package mutating func popFirst() -> Element? {
        guard head < tail else { return nil }
        let element = slots[head].take()
        head += 1
        if head == tail {
            head = 0
            tail = 0
            if slots.count > Self.keptCapacity { slots = [] }
        }
        return element
    }

    /// Places that are kept at most when the queue has been emptied.
    @inlinable
    static var keptCapacity: Int { 4_096 }

    /// The element that ``popFirst()`` would give.
    @inlinable
    package var first: Element? { head < tail ? slots[head] : nil }

    /// Drops the first element. A queue that nobody takes from, and that only ever drops, keeps no places of what
    /// went.
    package mutating func dropFirst() {
        _ = popFirst()
        giveBackPlaces()
    }

    /// Gives back the places of what was taken, where they are many. The cost is spread over what was taken.
    @usableFromInline
    package mutating func giveBackPlaces() {
        guard head >= Self.droppedPlaces, head > slots.count / 2 else { return }
        slots.removeFirst(head)
        tail -= head
        head = 0
    }

    /// Places of dropped elements that are kept at least before they are given back.
    static var droppedPlaces: Int { 64 }

    /// Puts an element ahead of all others: what ``popFirst()`` has just given goes back to its place.
    package mutating func putBack(_ element: consuming Element) {
        if head > 0 {
            head -= 1
            slots[head] = consume element
        } else {
            slots.insert(consume element, at: 0)
            tail += 1
        }
    }

    /// Takes out all elements of which `isGoing` is true, in order.
    package mutating func remove(where isGoing: (Element) -> Bool) -> [Element] {
        var gone: [Element] = []
        var rest = BatchQueue()
        while let element = popFirst() {
            if isGoing(element) { gone.append(element) } else { rest.append(element) }
        }
        self = rest
        return gone
    }

    /// Puts what `other` holds behind what this queue holds.
    package mutating func append(contentsOf other: inout BatchQueue) {
        while let element = other.popFirst() { append(element) }
    }
}

extension BatchQueue: Sendable where Element: Sendable {}
