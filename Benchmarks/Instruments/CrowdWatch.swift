import Heartwire

/// Follows the states of many clients: who has lost its connection, and how late each was back.
actor CrowdWatch {
    private var readers = 0
    private var back = 0
    private var figures = BackFigures()
    private var waiter: CheckedContinuation<Void, Never>?
    private var wanted = Int.max

    /// Reads every client's states from now on until it stops, in a task for each.
    func follow(_ clients: [WebSocketClient]) {
        readers += clients.count
        for client in clients {
            Task {
                var follower = StateFollower()
                for await state in client.states {
                    if case .stopped = state { break }
                    if let figure = follower.take(state, at: .now) { self.note(figure) }
                }
                self.readerEnded()
            }
        }
    }

    /// Returns when so many clients have come back.
    func allBack(_ count: Int) async throws -> BackFigures {
        if back < count {
            wanted = count
            await withCheckedContinuation { waiter = $0 }
        }
        return figures
    }

    /// How many readers are left after ten seconds, or as soon as none is.
    func settled() async -> Int {
        for _ in 0..<1_000 where readers > 0 {
            try? await Task.sleep(for: .milliseconds(10))
        }
        return readers
    }

    private func note(_ figure: BackFigures) {
        back += 1
        figures.join(figure)
        guard back >= wanted else { return }
        waiter?.resume()
        waiter = nil
        wanted = .max
    }

    private func readerEnded() {
        readers -= 1
    }
}

/// What one client shows of itself, put together to how late it was back.
struct StateFollower {
    private var wait: (end: ContinuousClock.Instant, delay: Duration, attempt: Int)?

    /// Takes the next state. Gives figures when the client is open again after a wait.
    mutating func take(_ state: SessionState, at now: ContinuousClock.Instant) -> BackFigures? {
        switch state {
        case .waiting(let attempt, let delay, _):
            wait = (now.advanced(by: delay), delay, attempt)
            return nil
        case .open:
            guard let last = wait else { return nil }
            wait = nil
            return BackFigures(
                count: 1, lateness: max(.zero, now - last.end), delay: last.delay,
                attempts: last.attempt)
        case .idle, .connecting, .closing, .suspended, .stopped: return nil
        }
    }
}

/// How late clients were back, and after how long a wait: the worst of them.
struct BackFigures: Sendable, Hashable, CustomStringConvertible {
    var count = 0
    /// From the end of the last wait to the opening.
    var lateness = Duration.zero
    /// The longest of the last waits.
    var delay = Duration.zero
    var attempts = 0

    mutating func join(_ other: BackFigures) {
        count += other.count
        lateness = max(lateness, other.lateness)
        delay = max(delay, other.delay)
        attempts = max(attempts, other.attempts)
    }

    var description: String {
        "\(count) \(Self.milliseconds(lateness)) \(Self.milliseconds(delay)) \(attempts)"
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        Int((duration / .milliseconds(1)).rounded())
    }
}
