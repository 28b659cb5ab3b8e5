import HeartwireProtocol
import HeartwireSession
import Testing

@testable import Heartwire
@testable import HeartwireTesting

private func event(
    _ kind: JournalEvent.Kind, _ generation: UInt64, cause: CloseCause.Kind? = nil,
    number: Int? = nil
) -> JournalEvent {
    JournalEvent(
        time: MonotonicInstant(nanoseconds: 7), generation: Generation(generation), kind: kind,
        oldState: .open, newState: .open, cause: cause, number: number)
}

@Suite("ClientLog")
struct ClientLogTests {
    private let executor = VirtualExecutor()
    private let log: ClientLog

    init() {
        log = ClientLog(executor: executor)
    }

    @Test("the journal's entries can be had by kind and by connection")
    func events() {
        executor.perform {
            log.add(event(.opened, 1))
            log.add(event(.pingSent, 1))
            log.add(event(.opened, 2))
        }
        #expect(log.events(.opened).map(\.generation) == [Generation(1), Generation(2)])
        #expect(log.events(.opened, of: Generation(2)).count == 1)
        #expect(log.events(.closed).isEmpty && log.journal.count == 3)
    }

    @Test("the closes are told with their time, their cause and its number")
    func closes() {
        executor.perform { log.add(event(.closed, 3, cause: .closedByPeer, number: 1001)) }
        #expect(log.closes.count == 1)
        #expect(log.closes[0].generation == Generation(3))
        #expect(log.closes[0].cause == .closedByPeer && log.closes[0].number == 1001)
        #expect(log.closes[0].time.nanoseconds == 7)
    }

    @Test("a state is kept with the time at which the app saw it, a message as it is")
    func statesAndMessages() {
        executor.advance(by: .seconds(2))
        executor.perform {
            log.add(.idle)
            log.add(.text("a"))
        }
        #expect(log.states.map(\.time.nanoseconds) == [2_000_000_000])
        #expect(log.states.map(\.state) == [.idle])
        #expect(log.messages == [.text("a")])
    }

    @Test("waiting for what holds already takes no time")
    func atOnce() throws {
        let log = log
        #expect(try executor.runScript { await log.wait(.zero) { _ in true } })
        #expect(executor.now() == .origin && executor.pendingTimers == 0)
    }

    @Test("a wait ends in the instant in which its condition comes true, and leaves no timer")
    func comesTrue() throws {
        let (executor, log) = (executor, log)
        let held = try executor.runScript {
            let later = executor.now().advanced(by: .milliseconds(5))
            _ = executor.schedule(at: later) { log.add(.text("a")) }
            return await log.wait(.seconds(60)) { !$0.messages.isEmpty }
        }
        #expect(held && executor.now().nanoseconds == 5_000_000)
        #expect(executor.pendingTimers == 0)
    }

    @Test("a wait for what does not come ends at its limit")
    func limit() throws {
        let log = log
        #expect(try !executor.runScript { await log.wait(.seconds(3)) { _ in false } })
        #expect(executor.now().nanoseconds == 3_000_000_000)
    }

    @Test("what changed outside of the log is seen when it is poked")
    func poke() throws {
        let (executor, log) = (executor, log)
        let world = Outside()
        let held = try executor.runScript {
            _ = executor.schedule(at: executor.now().advanced(by: .milliseconds(1))) {
                world.holds = true
            }
            _ = executor.schedule(at: executor.now().advanced(by: .milliseconds(2))) {
                log.poke()
            }
            return await log.wait(.seconds(1)) { _ in world.holds }
        }
        #expect(held && executor.now().nanoseconds == 2_000_000)
    }

    @Test("a cancelled wait ends at once and is false")
    func cancelled() throws {
        let (executor, log) = (executor, log)
        let held = try executor.runScript {
            let task = Task(executorPreference: executor) {
                await log.wait(.seconds(60)) { _ in false }
            }
            _ = executor.schedule(at: executor.now().advanced(by: .seconds(1))) { task.cancel() }
            let first = await task.value
            return await Task(executorPreference: executor) {
                withUnsafeCurrentTask { $0?.cancel() }
                return await log.wait(.seconds(60)) { _ in false }
            }.value || first
        }
        #expect(!held && executor.now().nanoseconds == 1_000_000_000)
        #expect(executor.pendingTimers == 0)
    }

    private final class Outside: @unchecked Sendable {
        var holds = false
    }
}
