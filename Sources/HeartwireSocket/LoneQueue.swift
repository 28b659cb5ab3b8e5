import HeartwireSession

/// A queue that holds one element most of the time. That one lies in the queue itself: where a loop wakes for one
/// message, storage elsewhere is one more place that is not in the processor's cache.
struct LoneQueue<Element> {
    /// `nil` where nothing waits; then nothing is in `further`.
    private var first: Element?
    private var further = BatchQueue<Element>()

    var isEmpty: Bool { first == nil }

    mutating func append(_ element: consuming Element) {
        if isEmpty {
            first = consume element
        } else {
            further.append(consume element)
        }
    }

    mutating func popFirst() -> Element? {
        guard let element = first.take() else { return nil }
        if !further.isEmpty { first = further.popFirst() }
        return element
    }

    /// Puts what `other` holds behind what this queue holds, and leaves nothing there.
    mutating func append(contentsOf other: inout BatchQueue<Element>) {
        if isEmpty { first = other.popFirst() }
        if further.isEmpty {
            swap(&further, &other)
        } else {
            further.append(contentsOf: &other)
        }
    }

    /// Gives back the places of what was taken, where they are many.
    mutating func giveBackPlaces() {
        further.giveBackPlaces()
    }
}
