import HeartwireSession
import Synchronization

/// What other threads give an event loop to do, and whether its thread is to be woken for it.
///
/// Two flags stand beside the lock, so that a turn that nobody has given anything takes none. Each side sets its own
/// flag and then looks at the other's, in one order for all threads: either the loop sees that something has arrived, or who
/// has brought it sees that the loop is about to sleep.
struct LoopInbox: ~Copyable {
    /// Not private: the compiler (6.3) gives its name to the files that hold an inbox.
    struct Contents {
        var work = BatchQueue<EventLoop.Work>()
        var isStopping = false
        var hasEnded = false
    }

    private let contents = Locked(Contents())
    /// Whether there is something to be taken, or the loop is to stop. Changed under the lock.
    private let hasArrived = Atomic<Bool>(false)
    /// Whether the loop sleeps, or is about to, and nobody has woken it yet.
    private let isSleeping = Atomic<Bool>(false)

    // MARK: Any thread

    /// Answers whether the loop's thread is to be woken. What comes after the loop's end does not run.
    func add(_ work: EventLoop.Work) -> Bool {
        contents.withLock { contents in
            guard !contents.hasEnded else { return false }
            contents.work.append(work)
            hasArrived.store(true, ordering: .sequentiallyConsistent)
            return isSleeping.exchange(false, ordering: .sequentiallyConsistent)
        }
    }

    /// Has the loop end after its present turn. Its thread is to be woken.
    func stop() {
        contents.withLock { contents in
            contents.isStopping = true
            hasArrived.store(true, ordering: .sequentiallyConsistent)
        }
    }

    /// Whether the loop sleeps and nothing is there for it.
    var isQuiet: Bool {
        isSleeping.load(ordering: .relaxed) && !hasArrived.load(ordering: .acquiring)
    }

    // MARK: The loop's thread

    /// Moves what is there into `ready`. Answers whether to go on.
    func take(into ready: inout LoneQueue<EventLoop.Work>) -> Bool {
        // What is missed here keeps the loop from falling asleep.
        guard hasArrived.load(ordering: .relaxed) else { return true }
        return contents.withLock { contents in
            hasArrived.store(contents.isStopping, ordering: .relaxed)
            ready.append(contentsOf: &contents.work)
            return !contents.isStopping
        }
    }

    /// Answers whether the loop may sleep: from here on it is woken for what arrives.
    func fallAsleep() -> Bool {
        isSleeping.store(true, ordering: .sequentiallyConsistent)
        guard hasArrived.load(ordering: .sequentiallyConsistent) else { return true }
        awake()
        return false
    }

    /// Nobody has to wake who is awake. Who has not seen it yet does so in vain.
    func awake() {
        isSleeping.store(false, ordering: .relaxed)
    }

    /// Takes nothing any more. Gives what did not run.
    func end() -> BatchQueue<EventLoop.Work> {
        contents.withLock { contents in
            contents.hasEnded = true
            defer { contents.work = BatchQueue() }
            return contents.work
        }
    }
}
