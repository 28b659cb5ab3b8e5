import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

/// Lines that any thread may add.
final class Log: Sendable {
    private let stored = Locked<[String]>([])

    var lines: [String] { stored.withLock { $0 } }

    func add(_ line: String) {
        stored.withLock { $0.append(line) }
    }
}

private final class Flusher: TurnFlushable {
    private let action: () -> Void

    init(_ action: @escaping () -> Void) {
        self.action = action
    }

    func flush() {
        action()
    }
}

/// An actor that lives in a virtual domain.
private actor Resident {
    nonisolated let executor: VirtualExecutor
    private var count = 0

    init(_ executor: VirtualExecutor) {
        self.executor = executor
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func increment() -> Int {
        count += 1
        return count
    }

    nonisolated func incrementFromCallback() -> Int {
        assumeIsolated { resident in
            resident.count += 1
            return resident.count
        }
    }
}

@Suite struct VirtualExecutorTests {
    private let executor = VirtualExecutor()
    private let log = Log()

    private func milliseconds(_ count: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: count * 1_000_000)
    }

    private func schedule(_ count: Int64, _ line: String) {
        executor.perform {
            _ = executor.schedule(at: milliseconds(count)) { [log] in log.add(line) }
        }
    }

    // MARK: Time

    @Test("Time begins at the origin and stands still until it is told to move")
    func origin() {
        #expect(executor.now() == .origin)
        executor.execute {}
        executor.runUntilIdle()
        #expect(executor.now() == .origin)
    }

    @Test("run(until:) includes what is due at that very instant and stops there")
    func runUntilInstant() {
        schedule(10, "at 10")
        schedule(11, "at 11")
        executor.run(until: milliseconds(10))
        #expect(log.lines == ["at 10"])
        #expect(executor.now() == milliseconds(10))
        executor.run(until: milliseconds(50))
        #expect(log.lines == ["at 10", "at 11"])
        #expect(executor.now() == milliseconds(50))
    }

    @Test("L4: time never runs backwards")
    func notBackwards() {
        executor.run(until: milliseconds(10))
        executor.run(until: milliseconds(5))
        #expect(executor.now() == milliseconds(10))
    }

    @Test("advance(by:) counts from now")
    func advance() {
        executor.advance(by: .milliseconds(3))
        executor.advance(by: .milliseconds(4))
        #expect(executor.now() == milliseconds(7))
    }

    @Test(
        "A timer sees its own deadline as the time, and one that it schedules for now fires at it")
    func timeInsideTimer() {
        executor.perform {
            _ = executor.schedule(at: milliseconds(20)) { [executor, log] in
                log.add("outer \(executor.now().nanoseconds)")
                _ = executor.schedule(at: .origin) {
                    log.add("inner \(executor.now().nanoseconds)")
                }
            }
        }
        executor.run(until: milliseconds(90))
        #expect(log.lines == ["outer 20000000", "inner 20000000"])
    }

    @Test("runUntilIdle fires what is due now and leaves later timers alone")
    func runUntilIdle() {
        schedule(0, "now")
        schedule(1, "later")
        executor.runUntilIdle()
        #expect(log.lines == ["now"])
        #expect(executor.pendingTimers == 1)
        #expect(executor.nextDeadline == milliseconds(1))
    }

    @Test("runUntil stops where its condition came true, and says so")
    func runUntilCondition() {
        for count: Int64 in 1...10 { schedule(count, "\(count)") }
        #expect(executor.runUntil(milliseconds(100)) { log.lines.count == 4 })
        #expect(executor.now() == milliseconds(4))
        #expect(executor.pendingTimers == 6)
    }

    @Test("runUntil runs nothing when its condition holds already")
    func runUntilHeld() {
        schedule(0, "x")
        #expect(executor.runUntil(.distantFuture) { true })
        #expect(log.lines.isEmpty)
    }

    @Test("runUntil gives up behind its deadline, and when nothing is left")
    func runUntilNever() {
        schedule(5, "in time")
        schedule(15, "too late")
        #expect(!executor.runUntil(milliseconds(10)) { log.lines.contains("too late") })
        #expect(log.lines == ["in time"])
        #expect(!executor.runUntil(.distantFuture) { false })
        #expect(log.lines == ["in time", "too late"])
    }

    @Test("runToEnd goes through everything, and is bounded for what never ends")
    func runToEnd() {
        schedule(86_000_000, "almost a day")
        #expect(executor.runToEnd())
        #expect(log.lines == ["almost a day"])

        let other = VirtualExecutor()
        let beats = Locked(0)
        func beat() {
            beats.withLock { $0 += 1 }
            _ = other.schedule(at: other.now().advanced(by: .seconds(1))) { beat() }
        }
        other.perform { beat() }
        #expect(!other.runToEnd(limit: .seconds(60)))
        #expect(beats.withLock { $0 } == 61)
    }

    // MARK: Order

    @Test("T5: what is executed runs in the order in which it came")
    func arrivalOrder() {
        for line in ["first", "second", "third"] {
            executor.execute { [log] in log.add(line) }
        }
        executor.runUntilIdle()
        #expect(log.lines == ["first", "second", "third"])
    }

    @Test("T5: tasks run in the order in which they were made")
    func taskOrder() {
        for line in ["first", "second", "third"] {
            Task(executorPreference: executor) { [log] in log.add(line) }
        }
        executor.runUntilIdle()
        #expect(log.lines == ["first", "second", "third"])
    }

    @Test("Work that is ready runs ahead of timers that are due")
    func readyBeforeTimers() {
        schedule(0, "timer")
        executor.execute { [log] in log.add("work") }
        executor.runUntilIdle()
        #expect(log.lines == ["work", "timer"])
    }

    @Test("A flushable is flushed once, behind all the work of its turn")
    func flushing() {
        let flusher = Flusher { [log] in log.add("flush") }
        executor.execute { [executor, log] in
            log.add("one")
            executor.execute { log.add("two") }
        }
        executor.perform { executor.flushAtEndOfTurn(flusher) }
        executor.runUntilIdle()
        executor.runUntilIdle()
        #expect(log.lines == ["one", "two", "flush"])
    }

    @Test("Each timer makes a turn of its own, with its flush before the next one fires")
    func flushPerTimer() {
        let flusher = Flusher { [log] in log.add("flush") }
        executor.perform {
            for name in ["a", "b"] {
                _ = executor.schedule(at: milliseconds(1)) { [executor, log] in
                    log.add(name)
                    executor.flushAtEndOfTurn(flusher)
                }
            }
        }
        executor.advance(by: .milliseconds(1))
        #expect(log.lines == ["a", "flush", "b", "flush"])
    }

    @Test("What a flush makes ready runs in the next turn")
    func flushMakesReady() {
        let flusher = Flusher { [executor, log] in
            executor.execute { log.add("after") }
            log.add("flush")
        }
        executor.perform { executor.flushAtEndOfTurn(flusher) }
        executor.runUntilIdle()
        #expect(log.lines == ["flush", "after"])
    }

    @Test("A cancelled timer does not fire")
    func cancelling() {
        executor.perform {
            let timer = executor.schedule(at: milliseconds(1)) { [log] in log.add("never") }
            executor.cancel(timer)
        }
        #expect(executor.pendingTimers == 0)
        executor.advance(by: .seconds(1))
        #expect(log.lines.isEmpty)
    }

    // MARK: The domain

    @Test("isCurrent holds inside the domain only, and perform can be nested")
    func isCurrent() {
        #expect(!executor.isCurrent)
        #expect(executor.isIsolatingCurrentContext() == false)
        executor.perform {
            #expect(executor.isCurrent)
            executor.perform { #expect(executor.isIsolatingCurrentContext() == true) }
            #expect(executor.isCurrent)
            executor.checkIsolated()
        }
        #expect(!executor.isCurrent)
        executor.execute { [executor, log] in log.add("\(executor.isCurrent)") }
        executor.runUntilIdle()
        #expect(log.lines == ["true"])
    }

    @Test("perform hands over results and errors, and leaves the domain after an error")
    func performErrors() {
        struct Fault: Error {}
        #expect(executor.perform { 7 } == 7)
        #expect(throws: Fault.self) { try executor.perform { throw Fault() } }
        #expect(!executor.isCurrent)
    }

    @Test("Another thread is not in the domain while this one runs it")
    func otherThread() async {
        let executor = executor
        let seen: Bool? = await Task.detached { executor.isIsolatingCurrentContext() }.value
        #expect(seen == false)
    }

    @Test("An actor whose executor this is runs in the domain")
    func actorInDomain() throws {
        let resident = Resident(executor)
        let counts = try executor.runScript {
            var counts: [Int] = []
            for _ in 0..<3 { counts.append(await resident.increment()) }
            return counts
        }
        #expect(counts == [1, 2, 3])
    }

    @Test("T5: a callback in the domain enters its actor with assumeIsolated, without a hop")
    func assumeIsolated() {
        let resident = Resident(executor)
        let count = executor.perform { resident.incrementFromCallback() }
        #expect(count == 1)
    }

    @Test("A task that prefers the domain stays in it across its awaits")
    func taskStays() throws {
        let executor = executor
        let resident = Resident(executor)
        let stayed = try executor.runScript {
            var stayed = executor.isCurrent
            _ = await resident.increment()
            stayed = stayed && executor.isCurrent
            await Task.yield()
            return stayed && executor.isCurrent
        }
        #expect(stayed)
    }

    @Test("An asynchronous stream that is fed in the domain wakes its consumer in the domain")
    func streams() throws {
        let executor = executor
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        executor.perform {
            for count in 1...3 {
                _ = executor.schedule(at: milliseconds(Int64(count) * 1_000)) {
                    continuation.yield(count)
                    if count == 3 { continuation.finish() }
                }
            }
        }
        let seen = try executor.runScript {
            var seen: [String] = []
            for await count in stream {
                seen.append("\(count) at \(executor.now().nanoseconds / 1_000_000_000)")
            }
            return seen
        }
        #expect(seen == ["1 at 1", "2 at 2", "3 at 3"])
    }
}
