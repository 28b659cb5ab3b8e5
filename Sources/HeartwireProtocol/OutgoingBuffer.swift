/// Bytes that wait to go out, contiguous, in order.
///
/// Storage is kept while the connection is busy: when everything is written the buffer starts again
/// at its beginning. When the end is reached the bytes move to the front if that frees at least as
/// much as it moves, else the storage doubles; so appending is amortised constant time and the
/// storage stays within four times the largest backlog.
@usableFromInline
@safe struct OutgoingBuffer: ~Copyable {
    @usableFromInline var storage: UnsafeMutableRawPointer?
    private var capacity = 0
    @usableFromInline private(set) var head = 0
    @usableFromInline private(set) var tail = 0

    /// How many bytes have been taken off the front in all. Wraps, which 64 bits make theoretical.
    private(set) var written: UInt64 = 0

    /// The smallest storage, so that small frames do not grow it step by step.
    private static let smallestCapacity = 1_024

    init() {}

    @inlinable
    deinit {
        unsafe storage?.deallocate()
    }

    /// How many bytes wait.
    @inlinable
    var count: Int { tail &- head }

    /// The position, in the count of ``written``, behind the last waiting byte.
    var end: UInt64 { written &+ UInt64(count) }

    /// The bytes that the storage takes.
    var allocated: Int { capacity }

    /// Appends room for `count` bytes, which `fill` must write in full.
    @unsafe mutating func append(_ count: Int, fill: (UnsafeMutableRawPointer) -> Void) {
        guard count > 0 else { return }
        let room = unsafe makeRoom(count)
        unsafe fill(room)
        tail &+= count
    }

    /// Appends a copy of `bytes`.
    mutating func append(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { source in
            unsafe append(source.count) {
                unsafe UnsafeMutableRawBufferPointer(start: $0, count: source.count)
                    .copyMemory(from: source)
            }
        }
    }

    /// Lends all waiting bytes.
    @inlinable
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        guard let storage = unsafe storage else {
            return unsafe body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return unsafe body(UnsafeRawBufferPointer(start: storage + head, count: count))
    }

    /// Takes `amount` bytes off the front, or as many as there are.
    mutating func removeFirst(_ amount: Int) {
        let removed = min(max(0, amount), count)
        written &+= UInt64(removed)
        head &+= removed
        if head == tail {
            head = 0
            tail = 0
        }
    }

    /// Gives the storage back if nothing waits.
    mutating func releaseStorage() {
        guard head == tail else { return }
        unsafe storage?.deallocate()
        unsafe storage = nil
        capacity = 0
        head = 0
        tail = 0
    }

    @unsafe @inline(__always)
    private mutating func makeRoom(_ amount: Int) -> UnsafeMutableRawPointer {
        if let storage = unsafe storage, capacity &- tail >= amount {
            return unsafe storage + tail
        }
        return unsafe makeRoomSlowly(amount)
    }

    @unsafe @inline(never)
    private mutating func makeRoomSlowly(_ amount: Int) -> UnsafeMutableRawPointer {
        let live = count
        if let storage = unsafe storage, head >= live, capacity - live >= amount {
            unsafe storage.copyMemory(from: storage + head, byteCount: live)
            head = 0
            tail = live
            return unsafe storage + tail
        }
        let larger = max(capacity * 2, live + amount, Self.smallestCapacity)
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        if let storage = unsafe storage {
            unsafe fresh.copyMemory(from: storage + head, byteCount: live)
            unsafe storage.deallocate()
        }
        unsafe storage = fresh
        capacity = larger
        head = 0
        tail = live
        return unsafe fresh + tail
    }
}
