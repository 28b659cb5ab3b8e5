import HeartwireSocket

/// Holds a producer back until its consumer has asked for an element, as Combine's subscribers do.
///
/// There is one producer; whoever asks may be on any thread.
final class DemandFeed: Sendable {
    private struct State {
        /// Elements that were asked for and not handed on; `nil` for any number.
        var demand: Int? = 0
        var isCancelled = false
        var waiter: CheckedContinuation<Bool, Never>?

        /// Whether the producer may go on, if that is known by now.
        mutating func take() -> Bool? {
            if isCancelled { return false }
            guard let demand else { return true }
            guard demand > 0 else { return nil }
            self.demand = demand - 1
            return true
        }
    }

    private let state = Locked(State())

    /// Asks for `count` more elements; `nil` asks for all that ever come. Zero and less ask for nothing.
    func ask(for count: Int?) {
        settle { state in
            guard let demand = state.demand else { return }
            guard let count else { return state.demand = nil }
            let (sum, overflow) = demand.addingReportingOverflow(max(0, count))
            state.demand = overflow ? nil : sum
        }
    }

    /// Nothing is wanted any more: the producer ends.
    func cancel() {
        settle { $0.isCancelled = true }
    }

    /// Waits until one more element may be handed on, which then is counted. `false` after ``cancel()``.
    func next() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Bool? in
                let answer = state.take()
                if answer == nil { state.waiter = continuation }
                return answer
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    private func settle(_ change: (inout State) -> Void) {
        let due = state.withLock { state -> (CheckedContinuation<Bool, Never>, Bool)? in
            change(&state)
            guard let waiter = state.waiter, let answer = state.take() else { return nil }
            state.waiter = nil
            return (waiter, answer)
        }
        if let due { due.0.resume(returning: due.1) }
    }
}
