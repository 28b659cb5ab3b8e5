/// Bytes that wait in order, contiguous, and leave from the front without being moved.
struct ByteQueue {
    /// The most storage that is kept while nothing waits.
    static let keptCapacity = 32 << 10

    private var storage: [UInt8] = []
    private var head = 0

    var count: Int { storage.count - head }
    var isEmpty: Bool { head == storage.count }
    /// How many bytes are held in memory, used or not.
    var capacity: Int { storage.capacity }

    /// Puts bytes behind those that wait.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        makeRoom(bytes.count)
        storage.append(contentsOf: bytes)
    }

    /// Sees to it that so many bytes can follow, piece by piece, without the storage growing again.
    mutating func reserve(_ more: Int) {
        makeRoom(more)
        // Asked for only where it is more than there is: it would else be all that the storage has.
        if storage.count + more > storage.capacity {
            storage.reserveCapacity(storage.count + more)
        }
    }

    /// What has left makes room before the storage grows.
    private mutating func makeRoom(_ more: Int) {
        guard head > 0, storage.count + more > storage.capacity else { return }
        storage.removeFirst(head)
        head = 0
    }

    /// Moves as many bytes as fit into `target`; answers how many.
    mutating func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        let taken = min(target.count, count)
        guard taken > 0 else { return 0 }
        withUnsafeBytes {
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(taken)))
        }
        drop(taken)
        return taken
    }

    /// Shows all that waits.
    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        storage.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[head...])) }
    }

    /// Lets the first `taken` bytes go; at most all.
    mutating func drop(_ taken: Int) {
        head += min(taken, count)
        guard isEmpty else { return }
        head = 0
        storage.removeAll(keepingCapacity: storage.capacity <= Self.keptCapacity)
    }

    /// Gives the storage back if nothing waits.
    mutating func release() {
        if isEmpty { self = ByteQueue() }
    }
}
