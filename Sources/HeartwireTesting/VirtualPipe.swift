import HeartwireSession

/// One direction of a ``VirtualChannel``: what was written on one end and has not come to the other.
///
/// Items arrive in the order in which they were sent, each one latency after it was
/// sent. A frozen pipe keeps what would have arrived until it thaws.
final class VirtualPipe {
    enum Item {
        case bytes([UInt8])
        case endOfStream
        case reset
    }

    /// The most bytes that may be on their way or unread at the far end.
    let capacity: Int
    private let executor: any SessionExecutor
    private let latency: Duration
    private var travelling: ArraySlice<Item> = []
    private var arrivedWhileFrozen = 0
    /// Bytes that were written and not yet read at the far end.
    private(set) var outstandingBytes = 0
    private(set) var isFrozen = false
    /// Who hears about arrivals. Held, as a kernel holds a socket, until the last item has come.
    var receiver: VirtualChannel?
    /// Who hears about room after a short write; `nil` once that end has closed itself.
    var sender: VirtualChannel?
    private var owesWritable = false

    init(executor: any SessionExecutor, latency: Duration, capacity: Int) {
        self.executor = executor
        self.latency = latency
        self.capacity = capacity
    }

    /// Takes as many bytes as there is room for; remembers to report room when that is not all.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        let taken = min(bytes.count, capacity - outstandingBytes)
        if taken < bytes.count { owesWritable = true }
        guard taken > 0 else { return 0 }
        outstandingBytes += taken
        send(.bytes([UInt8](bytes.prefix(taken))))
        return taken
    }

    func send(_ item: Item) {
        travelling.append(item)
        _ = executor.schedule(at: executor.now().advanced(by: latency)) { self.arrive() }
    }

    /// The far end has read `count` bytes, or thrown them away.
    func didRead(_ count: Int) {
        outstandingBytes -= count
        guard count > 0, owesWritable else { return }
        owesWritable = false
        _ = executor.schedule(at: executor.now().advanced(by: latency)) {
            guard !self.isFrozen else { return self.owesWritable = true }
            self.sender?.pipeHasRoom()
        }
    }

    func freeze() {
        isFrozen = true
    }

    func thaw() {
        guard isFrozen else { return }
        isFrozen = false
        for _ in 0..<arrivedWhileFrozen {
            _ = executor.schedule(at: executor.now()) { self.arrive() }
        }
        arrivedWhileFrozen = 0
        guard owesWritable, outstandingBytes < capacity else { return }
        owesWritable = false
        _ = executor.schedule(at: executor.now()) { self.sender?.pipeHasRoom() }
    }

    private func arrive() {
        guard !isFrozen else { return arrivedWhileFrozen += 1 }
        guard !travelling.isEmpty else { return }
        let item = travelling.removeFirst()
        guard let receiver else { return didReadWhatNobodyReads(item) }
        receiver.pipeBrought(item)
    }

    private func didReadWhatNobodyReads(_ item: Item) {
        switch item {
        case .bytes(let bytes): didRead(bytes.count)
        case .endOfStream, .reset: return
        }
    }
}
