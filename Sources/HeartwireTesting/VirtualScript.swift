public import HeartwireSession
import HeartwireSocket

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A script that had not finished when nothing was left that could wake it, or when its time was up.
public struct ScriptStalled: Error, Sendable, Hashable, CustomStringConvertible {
    /// The virtual time at which it was given up.
    public let instant: MonotonicInstant

    /// One line for people.
    public var description: String {
        "the script was still waiting when nothing more could happen"
    }
}

extension VirtualExecutor {
    /// Runs an asynchronous script in the domain, and virtual time with it, until it returns.
    ///
    /// The script's own task prefers this executor, and so do its child tasks. What it
    /// calls on other executors runs in real time, during which virtual time may run ahead.
    ///
    /// - Parameters:
    ///   - limit: How much virtual time the script may take.
    ///   - patience: How much real time other threads get to wake a script for which the domain itself
    ///     has nothing left to do.
    ///   - script: What to run, in the domain.
    /// - Throws: what the script throws, or ``ScriptStalled``.
    public func runScript<Success: Sendable>(
        limit: Duration = .seconds(86_400), patience: Duration = .seconds(10),
        _ script: @escaping @Sendable () async throws -> Success
    ) throws -> Success {
        let outcome = Outcome<Success>()
        let task = Task(executorPreference: self) {
            do {
                let value = try await script()
                outcome.result.withLock { $0 = .success(value) }
            } catch {
                outcome.result.withLock { $0 = .failure(error) }
            }
        }
        let deadline = now().advanced(by: limit)
        var patienceLeft = patience
        while !runUntil(deadline, { outcome.isKnown }), patienceLeft > .zero {
            usleep(1_000)
            patienceLeft -= .milliseconds(1)
        }
        guard let result = outcome.result.withLock({ $0 }) else {
            task.cancel()
            runUntilIdle()
            throw ScriptStalled(instant: now())
        }
        return try result.get()
    }
}

/// What a script came to.
private final class Outcome<Success: Sendable>: Sendable {
    let result = Locked<Result<Success, any Error>?>(nil)

    var isKnown: Bool { result.withLock { $0 != nil } }
}
