import Dispatch
import HeartwireSession
import HeartwireSocket
import Testing

@testable import HeartwireURLSession

/// What a queue did, touched on it only.
private final class Notes: TurnFlushable, @unchecked Sendable {
    var entries: [String] = []

    func flush() { entries.append("flush") }
}

private actor Resident {
    let executor: DispatchExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ executor: DispatchExecutor) {
        self.executor = executor
    }

    func isAtHome() -> Bool { executor.isCurrent }

    /// What a callback on the queue does.
    nonisolated func enter() -> Bool { assumeIsolated { $0.executor.isCurrent } }
}

@Suite("The Dispatch executor")
struct DispatchExecutorTests {
    private let executor = DispatchExecutor(label: "test")
    private let notes = Notes()

    private func on<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withHandover { handover in
            executor.execute { handover.resume(returning: body()) }
        }
    }

    @Test("T5: what is submitted runs in order, on the queue, one after the other")
    func order() async {
        let (executor, notes) = (executor, notes)
        #expect(!executor.isCurrent)
        for number in 0..<1_000 { executor.execute { notes.entries.append("\(number)") } }
        #expect(await on { notes.entries } == (0..<1_000).map { "\($0)" })
        #expect(await on { executor.isCurrent && executor.isIsolatingCurrentContext() == true })
        #expect(executor.isIsolatingCurrentContext() == false)
        let other = DispatchExecutor(label: "other")
        #expect(await on { !other.isCurrent })
    }

    @Test("T5: an actor lives on the queue, and a callback that is there is in its domain")
    func actor() async {
        let (executor, resident) = (executor, Resident(executor))
        #expect(await resident.isAtHome())
        #expect(await on { resident.enter() })
        let isCurrent = await Task(executorPreference: executor.taskExecutor) {
            await Task.yield()
            return executor.isCurrent
        }.value
        #expect(isCurrent)
        await on { executor.checkIsolated() }
    }

    @Test(
        "T1: what asked for it is flushed once at the end of the turn, in whichever way that began")
    func flush() async {
        let (executor, notes) = (executor, notes)
        await on {
            executor.flushAtEndOfTurn(notes)
            notes.entries.append("work")
        }
        #expect(await on { notes.entries } == ["work", "flush"])
        // A block of somebody else on the same queue.
        await withCheckedContinuation { continuation in
            executor.queue.async {
                executor.turn {
                    executor.turn { executor.flushAtEndOfTurn(notes) }
                    notes.entries.append("more")
                }
                executor.flushAtEndOfTurn(notes)
                notes.entries.append("outside")
                continuation.resume()
            }
        }
        let seen = await on { notes.entries }
        #expect(seen == ["work", "flush", "more", "flush", "outside", "flush"])
    }

    @Test("T5: timers fire in order, not before their time, unless they are taken back (real time)")
    func timers() async {
        let (executor, notes) = (executor, notes)
        let start = await on { executor.now() }
        await withCheckedContinuation { continuation in
            executor.execute {
                let soon = start.advanced(by: .milliseconds(20))
                _ = executor.schedule(at: soon.advanced(by: .milliseconds(10))) {
                    notes.entries.append("second")
                    continuation.resume()
                }
                let cancelled = executor.schedule(at: soon) { notes.entries.append("cancelled") }
                _ = executor.schedule(at: soon) { notes.entries.append("first") }
                _ = executor.schedule(at: start) {
                    notes.entries.append("past")
                    executor.flushAtEndOfTurn(notes)
                }
                _ = executor.schedule(at: .distantFuture) { notes.entries.append("never") }
                executor.cancel(cancelled)
                #expect(executor.timerCount == 4)
            }
        }
        let entries = await on { notes.entries }
        #expect(entries == ["past", "flush", "first", "second"])
        let passed = await on { start.duration(to: executor.now()) }
        #expect(passed >= .milliseconds(30))
        #expect(await on { executor.timerCount } == 1)
    }

    @Test("An executor goes with whoever holds it, its timers too")
    func release() async {
        weak var gone: DispatchExecutor?
        do {
            let executor = DispatchExecutor(label: "short")
            gone = executor
            await withCheckedContinuation { continuation in
                executor.execute {
                    _ = executor.schedule(at: .distantFuture) {}
                    continuation.resume()
                }
            }
        }
        // The block that has just resumed this may still be on its way out.
        for _ in 0..<1_000 where gone != nil { try? await Task.sleep(for: .milliseconds(1)) }
        #expect(gone == nil)
    }
}
