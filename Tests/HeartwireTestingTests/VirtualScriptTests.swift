import Foundation
import HeartwireSession
import HeartwireTesting
import Testing

@Suite struct VirtualScriptTests {
    private let executor = VirtualExecutor()

    @Test("A script's result is handed over when it returns, and later timers stay")
    func result() throws {
        let clock = VirtualClock(executor)
        executor.perform {
            _ = executor.schedule(at: MonotonicInstant(nanoseconds: 9_000_000_000)) {}
        }
        let value = try executor.runScript {
            try await clock.sleep(for: .seconds(4))
            return "done"
        }
        #expect(value == "done")
        #expect(executor.now().nanoseconds == 4_000_000_000)
        #expect(executor.pendingTimers == 1)
    }

    @Test("What a script throws is thrown on")
    func error() {
        struct Fault: Error {}
        #expect(throws: Fault.self) { try executor.runScript { throw Fault() } }
    }

    @Test("Real time: a script that waits for another thread gets its answer")
    func otherThread() throws {
        let value = try executor.runScript {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    Thread.sleep(forTimeInterval: 0.005)
                    continuation.resume(returning: 5)
                }
            }
        }
        #expect(value == 5)
    }

    @Test("Real time: while a script waits for another thread, time runs on to the next timer")
    func runsAhead() throws {
        let (executor, log) = (executor, Log())
        executor.perform {
            _ = executor.schedule(at: MonotonicInstant(nanoseconds: 9_000_000_000)) {
                log.add("fired")
            }
        }
        try executor.runScript {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    Thread.sleep(forTimeInterval: 0.05)
                    continuation.resume()
                }
            }
        }
        #expect(log.lines == ["fired"])
        #expect(executor.now().nanoseconds == 9_000_000_000)
    }

    @Test(
        "A task that prefers the domain is cancelled and awaited, and time stands still meanwhile")
    func cancelledSleeper() throws {
        let (executor, clock) = (executor, VirtualClock(executor))
        let ended = try executor.runScript {
            let sleeper = Task(executorPreference: executor.taskExecutor) {
                try? await clock.sleep(for: .seconds(600))
                return executor.now()
            }
            try await clock.sleep(for: .milliseconds(50))
            sleeper.cancel()
            return await sleeper.value
        }
        #expect(ended.nanoseconds == 50_000_000)
        #expect(executor.now().nanoseconds == 50_000_000)
        #expect(executor.pendingTimers == 0)
    }

    @Test("A script that nothing can wake is given up, and told that it was cancelled")
    func stalled() {
        let log = Log()
        let (stream, _) = AsyncStream.makeStream(of: Int.self)
        let stalled = #expect(throws: ScriptStalled.self) {
            try executor.runScript(patience: .zero) {
                for await _ in stream {}
                log.add("cancelled: \(Task.isCancelled)")
            }
        }
        #expect(stalled?.instant == .origin)
        #expect(stalled?.description.contains("waiting") == true)
        #expect(log.lines == ["cancelled: true"])
    }

    @Test("A script that takes longer than its limit is given up before that time is passed")
    func limit() {
        let clock = VirtualClock(executor)
        #expect(throws: ScriptStalled.self) {
            try executor.runScript(limit: .seconds(10), patience: .zero) {
                try await clock.sleep(for: .seconds(11))
            }
        }
        #expect(executor.now() <= MonotonicInstant(nanoseconds: 10_000_000_000))
    }
}
