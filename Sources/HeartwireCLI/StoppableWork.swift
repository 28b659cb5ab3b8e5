import HeartwireSocket

/// Does `work` in a task that the first signal cancels. For commands whose work ends in order when it is cancelled.
///
/// - Parameter watch: begins to watch for signals; ``SignalWatch/begin(onFirst:)``, but for tests.
/// - Returns: how the work ended, or `.stopped` when a signal came first.
func stoppable(
    watch: (@escaping @Sendable (StopSignal) -> Void) -> Void = { SignalWatch.begin(onFirst: $0) },
    _ work: @escaping @Sendable () async -> CommandEnd
) async -> CommandEnd {
    let stopped = StopRecord()
    let task = Task { await work() }
    watch { signal in
        stopped.signal.withLock { $0 = signal }
        task.cancel()
    }
    let end = await task.value
    return stopped.signal.withLock { $0 }.map(CommandEnd.stopped) ?? end
}

/// The signal that came, for two threads.
private final class StopRecord: Sendable {
    let signal = Locked<StopSignal?>(nil)
}
