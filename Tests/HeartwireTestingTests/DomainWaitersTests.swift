import HeartwireSession
import Testing

@testable import HeartwireTesting

@Suite("Waiting in a domain")
struct DomainWaitersTests {
    private let executor = VirtualExecutor()

    /// What is waited for, touched in the domain only.
    private final class Flag: @unchecked Sendable {
        var isUp = false
    }

    @Test(
        "what holds already is not waited for, and what comes to hold ends the wait when it is looked at"
    )
    func holds() throws {
        let (executor, flag) = (executor, Flag())
        let waiters = DomainWaiters(executor: executor)
        let (atOnce, later, took) = try executor.runScript {
            let atOnce = await waiters.wait(.seconds(1)) { true }
            _ = executor.schedule(at: executor.now().advanced(by: .seconds(2))) {
                flag.isUp = true
                waiters.poke()
                waiters.poke()
            }
            let later = await waiters.wait(.seconds(5)) { flag.isUp }
            return (atOnce, later, MonotonicInstant.origin.duration(to: executor.now()))
        }
        #expect(atOnce && later)
        #expect(took == .seconds(2))
        #expect(executor.pendingTimers == 0)
    }

    @Test("a wait ends at its limit, and a sleep with its time")
    func limits() throws {
        let executor = executor
        let waiters = DomainWaiters(executor: executor)
        let (holds, took) = try executor.runScript {
            let holds = await waiters.wait(.seconds(3)) { false }
            await waiters.sleep(for: .seconds(4))
            return (holds, MonotonicInstant.origin.duration(to: executor.now()))
        }
        #expect(!holds)
        #expect(took == .seconds(7))
    }

    @Test("a task that is cancelled waits no longer, before and while it does")
    func cancelled() throws {
        let executor = executor
        let waiters = DomainWaiters(executor: executor)
        let answers = try executor.runScript {
            let sleeping = Task(executorPreference: executor) {
                await waiters.wait(.seconds(9)) { false }
            }
            await waiters.sleep(for: .seconds(1))
            sleeping.cancel()
            let late = Task(executorPreference: executor) {
                withUnsafeCurrentTask { $0?.cancel() }
                return await waiters.wait(.seconds(9)) { false }
            }
            return [await sleeping.value, await late.value]
        }
        #expect(answers == [false, false])
        #expect(executor.now() == MonotonicInstant.origin.advanced(by: .seconds(1)))
        #expect(executor.pendingTimers == 0)
    }
}
