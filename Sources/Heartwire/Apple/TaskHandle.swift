import HeartwireSocket

/// Cancels a task that may not have begun yet.
final class TaskHandle<Success: Sendable>: Sendable {
    private struct State {
        var isCancelled = false
        var task: Task<Success, Never>?
    }

    private let state = Locked(State())

    /// Cancels the task, or the one that is still to come. Any thread may call this.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    /// The task is this one.
    func adopt(_ task: Task<Success, Never>) {
        let isLate = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isLate { task.cancel() }
    }
}
