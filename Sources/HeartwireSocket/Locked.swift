#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A value that one thread at a time can reach.
///
/// It has the shape of the standard library's `Mutex` over the lock of POSIX, because ThreadSanitizer sees the order
/// that this one makes (docs/decisions/0008). Lock and value share one allocation. Who takes a lock
/// that it holds already waits for ever.
///
/// Inlinable, so that the modules above have it specialised for their values.
///
/// `@unchecked Sendable`: the value is touched between `lock` and `unlock`, and by `init` and `deinit`, when nobody
/// else has it.
@usableFromInline
package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let lock: SystemLock
    @usableFromInline let value: UnsafeMutablePointer<Value>

    /// Guards `initialValue`.
    @inlinable
    package init(_ initialValue: consuming sending Value) {
        let (lock, place) = SystemLock.allocate(
            before: MemoryLayout<Value>.size, alignment: MemoryLayout<Value>.alignment)
        self.lock = lock
        value = place.initializeMemory(as: Value.self, to: initialValue)
    }

    @inlinable
    deinit {
        value.deinitialize(count: 1)
        lock.deallocate()
    }

    /// Runs `body` with the value while no other thread can, and gives what it returns or throws.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value.pointee)
    }
}

/// A lock of the system at the beginning of an allocation. Not generic and not inlinable, so that no other module
/// sees the system's type.
@usableFromInline
struct SystemLock {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Makes a lock with uninitialised room for `size` bytes behind it, which lives until ``deallocate()``.
    @usableFromInline
    static func allocate(
        before size: Int, alignment: Int
    ) -> (lock: SystemLock, room: UnsafeMutableRawPointer) {
        // Alignments are powers of two, so the larger one holds for both.
        let alignment = max(alignment, MemoryLayout<pthread_mutex_t>.alignment)
        let offset = (MemoryLayout<pthread_mutex_t>.size + alignment - 1) / alignment * alignment
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: offset + size, alignment: alignment)
        return (SystemLock(at: memory), memory + offset)
    }

    private init(at memory: UnsafeMutableRawPointer) {
        mutex = memory.initializeMemory(as: pthread_mutex_t.self, to: pthread_mutex_t())
        let status = pthread_mutex_init(mutex, nil)
        if status != 0 { fatalError("the system gives no lock (errno \(status))") }
    }

    @usableFromInline
    func lock() {
        pthread_mutex_lock(mutex)
    }

    /// Takes the lock if nobody has it. Answers whether the caller has it now.
    func tryLock() -> Bool {
        pthread_mutex_trylock(mutex) == 0
    }

    @usableFromInline
    func unlock() {
        pthread_mutex_unlock(mutex)
    }

    @usableFromInline
    func deallocate() {
        pthread_mutex_destroy(mutex)
        UnsafeMutableRawPointer(mutex).deallocate()
    }
}
