/// Events in the order in which they happened. Taking one is constant time and allocates nothing;
/// the storage is kept while the connection is busy.
struct EventQueue {
    private var slots: [EngineEvent?] = []
    private var head = 0

    /// Whether no event waits.
    var isEmpty: Bool { head == slots.count }

    /// How many events the storage has room for.
    var allocated: Int { slots.capacity }

    /// Adds an event behind the others.
    mutating func append(_ event: EngineEvent) {
        // A consumer that never quite catches up must not make the storage grow for ever.
        if slots.count == slots.capacity, head > slots.count &- head {
            slots.removeFirst(head)
            head = 0
        }
        slots.append(event)
    }

    /// Takes the oldest event.
    mutating func popFirst() -> EngineEvent? {
        guard head < slots.count else { return nil }
        let event = slots[head].take()
        head &+= 1
        if head == slots.count {
            slots.removeAll(keepingCapacity: true)
            head = 0
        }
        return event
    }

    /// Gives the storage back if no event waits.
    mutating func releaseStorage() {
        guard isEmpty else { return }
        slots = []
        head = 0
    }
}
