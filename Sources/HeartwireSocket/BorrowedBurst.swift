import HeartwireSession

/// Whether what a borrower of an event loop's turn has queued goes out at once, or with what follows (docs/decisions/0019).
///
/// A message by itself goes out at once, on its sender's thread. One that follows another sooner than a thread can be
/// woken is one of many: the loop is woken, once, and sends in one system call what has come together until it has its
/// turn.
struct BorrowedBurst {
    /// What is to be done with what was queued.
    enum Step {
        case flush
        /// The first that is held.
        case wakeAndHold
        /// The loop is on its way.
        case hold
    }

    /// Of what follows within this time, more is to be expected. About as long as it takes to wake a thread.
    static let gap = Duration.microseconds(20)

    private var last: MonotonicInstant?
    private var isHolding = false

    /// Something was queued at `now`.
    mutating func add(at now: MonotonicInstant) -> Step {
        defer { last = now }
        if isHolding { return .hold }
        guard let last, last.duration(to: now) < Self.gap else { return .flush }
        isHolding = true
        return .wakeAndHold
    }

    /// The loop has its turn, and sends what was held.
    mutating func end() {
        isHolding = false
    }

    /// Somebody was waiting for what has come in. What is queued next may be the answer, and all that there is.
    mutating func answersFollow() {
        last = nil
    }
}
