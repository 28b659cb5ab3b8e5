public import HeartwireSession

/// A clock whose time is a ``VirtualExecutor``'s, so that a script can say
/// `try await clock.sleep(for: .seconds(20))` and wait for nothing.
public struct VirtualClock: Clock {
    /// A point in virtual time.
    public struct Instant: InstantProtocol {
        /// The same point in the terms of the session's machines.
        public let monotonic: MonotonicInstant

        /// Names a point in virtual time.
        public init(_ monotonic: MonotonicInstant) {
            self.monotonic = monotonic
        }

        /// The instant `duration` later, held within the range of the clock.
        public func advanced(by duration: Duration) -> Instant {
            Instant(monotonic.advanced(by: duration))
        }

        /// How long it is until `other`; negative when that is earlier.
        public func duration(to other: Instant) -> Duration {
            monotonic.duration(to: other.monotonic)
        }

        /// Whether `left` comes before `right`.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.monotonic < right.monotonic
        }
    }

    /// The domain whose time this is.
    public let executor: VirtualExecutor

    /// Makes a clock that shows `executor`'s time.
    public init(_ executor: VirtualExecutor) {
        self.executor = executor
    }

    /// The time now.
    public var now: Instant { Instant(executor.now()) }

    /// A nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Suspends until virtual time has come to `deadline`; `tolerance` plays no part.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let sleeper = Sleeper(executor, until: deadline.monotonic)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                executor.execute { sleeper.begin(continuation) }
            }
        } onCancel: {
            executor.execute { sleeper.cancel() }
        }
    }
}

/// One `sleep`. Lives in the executor's domain, which is what makes it safe to share.
private final class Sleeper: @unchecked Sendable {
    private enum State {
        /// Before the continuation has come; → sleeping, done.
        case starting
        /// → done.
        case sleeping(CheckedContinuation<Void, any Error>, TimerID)
        case done
    }

    private let executor: VirtualExecutor
    private let deadline: MonotonicInstant
    private var state = State.starting

    init(_ executor: VirtualExecutor, until deadline: MonotonicInstant) {
        self.executor = executor
        self.deadline = deadline
    }

    func begin(_ continuation: CheckedContinuation<Void, any Error>) {
        switch state {
        case .starting:
            let timer = executor.schedule(at: deadline) { self.wake() }
            state = .sleeping(continuation, timer)
        case .sleeping, .done:
            // A task that was cancelled before it slept.
            continuation.resume(throwing: CancellationError())
        }
    }

    func cancel() {
        switch state {
        case .starting: state = .done
        case .sleeping(let continuation, let timer):
            executor.cancel(timer)
            state = .done
            continuation.resume(throwing: CancellationError())
        case .done: return
        }
    }

    private func wake() {
        switch state {
        case .sleeping(let continuation, _):
            state = .done
            continuation.resume()
        case .starting, .done: return
        }
    }
}
