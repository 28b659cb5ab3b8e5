/// Where an app asks the system for time to finish something in the background.
///
/// Its functions run where they are called from, so that nothing waits for a thread.
public protocol BackgroundTime: Sendable {
    /// Asks for time. `expired` is called when it runs out before ``end(_:)``.
    ///
    /// - Returns: what names the request, `nil` where the system gives no time.
    nonisolated(nonsending) func begin(_ name: String, expired: @escaping @Sendable () -> Void)
        async -> Int?

    /// The time is not needed any more. Called once for each request that was granted.
    nonisolated(nonsending) func end(_ request: Int) async
}

extension WebSocketClient {
    /// Shuts the client down as ``shutdown(grace:)`` does, in time that is asked for from the system.
    ///
    /// When the time runs out first, nothing more is waited for: what is not confirmed stays stored. The request is given back
    /// in any case, once. Where the system gives no time the shutdown runs without.
    public func shutdown(
        grace: Duration = .seconds(5), within time: any BackgroundTime
    ) async -> ShutdownReport {
        let work = TaskHandle<ShutdownReport>()
        let request = await time.begin("heartwire-shutdown") { work.cancel() }
        // A task of its own has no part in its maker's preference: what belongs to no actor would leave the domain.
        let task = Task(executorPreference: executor) { await self.shutdown(grace: grace) }
        work.adopt(task)
        let report = await task.value
        if let request { await time.end(request) }
        return report
    }
}
