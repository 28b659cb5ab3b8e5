import HeartwireSocket

/// How long work may take to end in order behind a signal.
private let endingLimit = Duration.seconds(7)

/// Does `work` in a task that the first signal cancels. For commands whose work ends in order when it is cancelled; what has
/// not ended in 7 s is ended.
///
/// - Parameter watch: begins to watch for signals; ``SignalWatch/begin(endingWithin:onFirst:)``, but for tests.
/// - Returns: how the work ended, or `.stopped` when a signal came first.
func stoppable(
    watch: (@escaping @Sendable (StopSignal) -> Void) -> Void = {
        SignalWatch.begin(endingWithin: endingLimit, onFirst: $0)
    },
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
