/// Suspends and resumes a client as an app goes to the background and comes back, in the order of what was told.
///
/// The platforms' hooks stand on it; an app with a notion of its own of what is "away" may use it directly.
/// It does not keep the client.
public final class LifeCycleFollower: Sendable {
    private let moves: AsyncStream<Bool>.Continuation
    private let follower: Task<Void, Never>

    /// Follows for `client`.
    public init(_ client: WebSocketClient) {
        let (stream, moves) = AsyncStream.makeStream(of: Bool.self)
        self.moves = moves
        // One task for all of them, so that none overtakes another.
        follower = Task(executorPreference: client.executor) { [weak client] in
            for await isAway in stream {
                guard let client else { return }
                if isAway { await client.suspend() } else { await client.resume() }
            }
        }
    }

    deinit { moves.finish() }

    /// The app lost the screen, the processor or the network. Any thread may call this.
    public func wentAway() {
        moves.yield(true)
    }

    /// The app is back. Any thread may call this.
    public func cameBack() {
        moves.yield(false)
    }

    /// Waits until everything that was told so far has been done, and follows no longer.
    func finish() async {
        moves.finish()
        await follower.value
    }
}
