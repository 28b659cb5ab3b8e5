import HeartwireSession

/// Tasks of a domain that wait until something holds, for a bounded time of the domain's.
///
/// Lives in the domain, which is what makes `@unchecked Sendable` true.
final class DomainWaiters: @unchecked Sendable {
    private final class Waiter {
        let condition: () -> Bool
        var continuation: CheckedContinuation<Bool, Never>?
        var timer: TimerID?

        init(_ condition: @escaping () -> Bool) {
            self.condition = condition
        }
    }

    /// Carries a waiter to the handler of a cancellation, which looks at it in the domain only.
    private struct Handle: @unchecked Sendable {
        let waiter: Waiter
    }

    private let executor: any SessionExecutor
    private var waiters: [Waiter] = []

    init(executor: any SessionExecutor) {
        self.executor = executor
    }

    /// Waits until `condition` holds; it is looked at with each ``poke()``.
    ///
    /// - Returns: whether it holds; `false` when `limit` has passed or the task was cancelled first.
    func wait(_ limit: Duration, until condition: @escaping () -> Bool) async -> Bool {
        if condition() { return true }
        let handle = Handle(waiter: Waiter(condition))
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let deadline = executor.now().advanced(by: limit)
                handle.waiter.continuation = continuation
                handle.waiter.timer = executor.schedule(at: deadline) { [weak self] in
                    self?.settle(handle.waiter, false)
                }
                waiters.append(handle.waiter)
                // The task may have given way to others since the first look.
                if handle.waiter.condition() { settle(handle.waiter, true) }
                if Task.isCancelled { settle(handle.waiter, false) }
            }
        } onCancel: {
            executor.execute { self.settle(handle.waiter, false) }
        }
    }

    /// Waits for `duration`. Returns at once when the task was cancelled.
    func sleep(for duration: Duration) async {
        _ = await wait(duration) { false }
    }

    /// Looks at what is waited for once more.
    func poke() {
        for waiter in waiters where waiter.condition() { settle(waiter, true) }
    }

    private func settle(_ waiter: Waiter, _ holds: Bool) {
        guard let continuation = waiter.continuation else { return }
        waiter.continuation = nil
        if let timer = waiter.timer { executor.cancel(timer) }
        waiters.removeAll { $0 === waiter }
        continuation.resume(returning: holds)
    }
}
