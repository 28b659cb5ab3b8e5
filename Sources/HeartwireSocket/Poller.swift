import HeartwireSession

/// What a file descriptor is watched for, and what became ready.
struct Readiness: OptionSet, Sendable {
    let rawValue: UInt8

    static let read = Readiness(rawValue: 1)
    static let write = Readiness(rawValue: 2)
    /// Reported without being asked for: the descriptor has an error or both sides have ended.
    static let hangup = Readiness(rawValue: 4)
}

/// Who is told that a descriptor is ready.
protocol ReadinessHandler: AnyObject {
    func becameReady(_ readiness: Readiness)
}

/// The seam between the event loop and the kernel's way of waiting: epoll on Linux, poll(2) elsewhere.
///
/// All methods are called on the loop's thread, except `wake`, which any thread may call, and, where a poller
/// `hearsOfChanges`, what changes the watched descriptors: whoever has borrowed the loop's turn may call that
/// while the loop's thread is in `wait`.
protocol Poller: AnyObject {
    /// Whether a change during a `wait` holds for that wait.
    var hearsOfChanges: Bool { get }
    /// Watches `descriptor` and reports it under `token`.
    func add(_ descriptor: Int32, token: UInt64, interest: Readiness)
    /// Changes what `descriptor` is watched for.
    func modify(_ descriptor: Int32, token: UInt64, interest: Readiness)
    /// Forgets `descriptor`; call it before closing.
    func remove(_ descriptor: Int32)
    /// Waits until something is ready, `wake` was called, or `deadline` has come (`nil`: no deadline). With
    /// `mayBlock` false it only looks.
    func wait(until deadline: MonotonicInstant?, mayBlock: Bool)
    /// Hands over each descriptor that the last `wait` found ready. Answers whether the deadline may have come:
    /// never false when it has.
    func report(_ ready: (_ token: UInt64, _ readiness: Readiness) -> Void) -> Bool
    /// Makes the present or the next `wait` return.
    func wake()
}
