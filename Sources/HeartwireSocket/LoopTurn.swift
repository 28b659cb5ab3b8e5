import HeartwireSession
import Synchronization

/// The right to run in an event loop's domain, which one thread has at a time (docs/decisions/0019).
///
/// The loop's thread `take()`s it and gives it back only to wait for the kernel; whoever borrows it `tryTake()`s. It
/// has a lock of the system beneath, so what one holder has written the next one sees.
///
/// `@unchecked Sendable`: the system's lock is for all threads.
struct LoopTurn: ~Copyable, @unchecked Sendable {
    private let lock = SystemLock.allocate(before: 0, alignment: 1).lock
    /// The thread that has the turn; 0 for none.
    private let owner = Atomic<UInt>(0)
    /// Whether the loop's thread waits for it. Nobody borrows it then, so that many borrowers do not keep the loop out.
    private let isWanted = Atomic<Bool>(false)

    /// Held while tasks elsewhere are resumed.
    private let resumption = SystemLock.allocate(before: 0, alignment: 1).lock

    deinit {
        lock.deallocate()
        resumption.deallocate()
    }

    /// Whether the caller has it. Only a thread itself writes its own name there, so no order is needed.
    var isMine: Bool { owner.load(ordering: .relaxed) == SystemThread.current }

    /// Waits for it, ahead of further borrowers.
    func take() {
        isWanted.store(true, ordering: .relaxed)
        lock.lock()
        isWanted.store(false, ordering: .relaxed)
        owner.store(SystemThread.current, ordering: .relaxed)
    }

    /// Takes it if nobody has it and the loop does not want it. Answers whether the caller has it now.
    func tryTake() -> Bool {
        guard !isWanted.load(ordering: .relaxed), lock.tryLock() else { return false }
        owner.store(SystemThread.current, ordering: .relaxed)
        return true
    }

    func giveBack() {
        owner.store(0, ordering: .relaxed)
        lock.unlock()
    }

    /// Gives it back and resumes those who wait for that.
    func giveBack(_ leaving: consuming Leaving) {
        giveBack()
        resume(leaving)
    }

    func resume(_ leaving: consuming Leaving) {
        guard !leaving.isEmpty else { return }
        resumption.lock()
        leaving.resume()
        resumption.unlock()
    }

    /// Returns when the resumption of the caller is through, which is in a moment. Bounded, in case an executor of the app's
    /// runs what it is given there and then.
    func settleResumption() {
        for _ in 0..<1_000 where resumption.tryLock() { return resumption.unlock() }
    }

    /// Tasks elsewhere that go on once the turn is free: the first, which is mostly the only one, and the others.
    struct Leaving {
        private var first: UnsafeContinuation<Void, Never>?
        private var further: [UnsafeContinuation<Void, Never>] = []

        /// Those that wait, at most; with more of them all go on at once.
        static let limit = 9

        var isEmpty: Bool { first == nil }

        var isFull: Bool { further.count + 1 >= Self.limit }

        mutating func add(_ continuation: UnsafeContinuation<Void, Never>) {
            if first == nil {
                first = continuation
            } else {
                further.append(continuation)
            }
        }

        /// Takes all, and leaves none.
        mutating func takeAll() -> Leaving {
            defer { self = Leaving() }
            return self
        }

        fileprivate consuming func resume() {
            first?.resume()
            for continuation in further { continuation.resume() }
        }
    }
}
