/// Events in the order in which they happened. Taking one is constant time and allocates nothing;
/// the storage is kept while the connection is busy.
///
/// The slots from `head` up to `tail` hold events, the others nothing. An event is moved in and
/// moved out again, never copied: an array of optionals costs a third of the time of a small message.
@safe struct EventQueue: ~Copyable {
    private var slots: UnsafeMutablePointer<EngineEvent>?
    private var capacity = 0
    private var head = 0
    private var tail = 0

    private static let smallestCapacity = 16

    init() {}

    deinit {
        guard let slots = unsafe slots else { return }
        unsafe (slots + head).deinitialize(count: tail &- head)
        unsafe slots.deallocate()
    }

    /// How many events wait.
    var count: Int { tail &- head }

    /// How many events the storage has room for.
    var allocated: Int { capacity }

    /// Adds an event behind the others.
    @inline(__always)
    mutating func append(_ event: consuming EngineEvent) {
        let end =
            if tail < capacity, let slots = unsafe slots {
                unsafe slots + tail
            } else {
                unsafe makeRoom()
            }
        unsafe end.initialize(to: event)
        tail &+= 1
    }

    /// Takes the oldest event.
    @inline(__always)
    mutating func popFirst() -> EngineEvent? {
        guard head < tail, let slots = unsafe slots else { return nil }
        let event = unsafe (slots + head).move()
        head &+= 1
        if head == tail {
            head = 0
            tail = 0
        }
        return event
    }

    /// Gives the storage back if no event waits.
    mutating func releaseStorage() {
        guard head == tail else { return }
        unsafe slots?.deallocate()
        unsafe slots = nil
        capacity = 0
        head = 0
        tail = 0
    }

    /// Moves the events to the front if that frees half of the slots, else doubles the storage.
    ///
    /// - Returns: the first free slot.
    @unsafe @inline(never)
    private mutating func makeRoom() -> UnsafeMutablePointer<EngineEvent> {
        let live = count
        let from = head
        head = 0
        tail = live
        if let slots = unsafe slots, from > 0, from >= live {
            unsafe slots.moveInitialize(from: slots + from, count: live)
            return unsafe slots + live
        }
        capacity = max(capacity * 2, Self.smallestCapacity)
        let fresh = UnsafeMutablePointer<EngineEvent>.allocate(capacity: capacity)
        if let slots = unsafe slots {
            unsafe fresh.moveInitialize(from: slots + from, count: live)
            unsafe slots.deallocate()
        }
        unsafe slots = fresh
        return unsafe fresh + live
    }
}
