import HeartwireSession
import Synchronization
import Testing

@testable import HeartwireSocket

@Suite("The event loop", .timeLimit(.minutes(1)))
struct EventLoopTests {
    private final class Flushable: TurnFlushable, @unchecked Sendable {
        let log: Log<String>

        init(_ log: Log<String>) {
            self.log = log
        }

        func flush() { log.add("flush") }
    }

    private actor OnLoop {
        nonisolated let loop: EventLoop

        init(_ loop: EventLoop) {
            self.loop = loop
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        func isOnLoop() -> Bool { loop.isCurrent }
    }

    @Test(
        "T2, T5: work from one thread runs in the order in which it was submitted",
        arguments: PollerKind.allCases)
    func order(_ kind: PollerKind) async throws {
        let loop = try kind.makeLoop()
        let log = Log<Int>()
        for number in 0..<10_000 { loop.execute { log.add(number) } }
        #expect(await log.wait { $0.count == 10_000 } == Array(0..<10_000))
        loop.shutdown()
    }

    @Test("T5: work that is submitted on the loop runs after what waits already, in the same turn")
    func nested() async throws {
        let loop = EventLoop(name: "test")
        let log = Log<String>()
        loop.execute {
            loop.execute { log.add("inner") }
            log.add("outer")
        }
        #expect(await log.wait { $0.count == 2 } == ["outer", "inner"])
        loop.shutdown()
    }

    private final class Held: Sendable {
        let name: String
        let log: Log<String>

        init(_ name: String, _ log: Log<String>) {
            self.name = name
            self.log = log
        }

        deinit { log.add(name) }
    }

    @Test(
        "K09-06: a loop that was shut down keeps neither timers nor handlers nor work",
        arguments: PollerKind.allCases)
    func letGo(_ kind: PollerKind) async throws {
        let loop = try kind.makeLoop()
        let log = Log<String>()
        try await on(loop) {
            let (timed, handling, working) = (
                Held("timer", log), Held("handler", log), Held("work", log)
            )
            _ = loop.schedule(at: .distantFuture) { withExtendedLifetime((timed, loop)) {} }
            _ = try TCPListener.listen(on: loop) { _ in withExtendedLifetime((handling, loop)) {} }
            loop.execute {
                loop.shutdown()
                loop.execute { withExtendedLifetime((working, loop)) {} }
            }
        }
        #expect(Set(await log.wait { $0.count == 3 }) == ["timer", "handler", "work"])
        // What comes after the end is not kept either.
        do {
            let late = Held("late", log)
            loop.execute { withExtendedLifetime((late, loop)) {} }
        }
        #expect(await log.wait { $0.count == 4 }.last == "late")
    }

    @Test("What is flushed at the end of a turn is flushed once, after the turn's work")
    func flush() async throws {
        let loop = EventLoop(name: "test")
        let log = Log<String>()
        let flushable = Flushable(log)
        loop.execute {
            loop.flushAtEndOfTurn(flushable)
            log.add("first")
            loop.execute { log.add("second") }
        }
        #expect(await log.wait { $0.count == 3 } == ["first", "second", "flush"])
        loop.shutdown()
    }

    @Test(
        "T2: timers fire on the loop in the order of their deadlines and never early",
        arguments: PollerKind.allCases)
    func timers(_ kind: PollerKind) async throws {
        let loop = try kind.makeLoop()
        let log = Log<Int>()
        loop.execute {
            let start = loop.now()
            for number in [3, 1, 2] {
                let deadline = start.advanced(by: .milliseconds(number))
                _ = loop.schedule(at: deadline) {
                    #expect(loop.isCurrent)
                    #expect(loop.now() >= deadline)
                    log.add(number)
                }
            }
        }
        #expect(await log.wait { $0.count == 3 } == [1, 2, 3])
        #expect(try await on(loop) { loop.timerCount } == 0)
        loop.shutdown()
    }

    @Test(
        "T2: a timer whose deadline has passed fires at once, and a cancelled one never",
        arguments: PollerKind.allCases)
    func pastAndCancelled(_ kind: PollerKind) async throws {
        let loop = try kind.makeLoop()
        let log = Log<String>()
        loop.execute {
            let cancelled = loop.schedule(at: .origin) { log.add("cancelled") }
            _ = loop.schedule(at: .origin) { log.add("past") }
            loop.cancel(cancelled)
            _ = loop.schedule(at: loop.now().advanced(by: .milliseconds(5))) { log.add("later") }
        }
        #expect(await log.wait { $0.contains("later") } == ["past", "later"])
        loop.shutdown()
    }

    @Test("An actor whose executor is the loop runs on it, and so does a task that prefers it")
    func executor() async throws {
        let loop = EventLoop(name: "test")
        let actor = OnLoop(loop)
        #expect(await actor.isOnLoop())
        #expect(!loop.isCurrent)
        let isOnLoop = await Task(executorPreference: loop) { loop.isCurrent }.value
        #expect(isOnLoop)
        loop.shutdown()
    }

    @Test(
        "T2: a sleeping loop wakes for work from another thread, again and again",
        arguments: PollerKind.allCases)
    func wake(_ kind: PollerKind) async throws {
        let loop = try kind.makeLoop()
        for number in 0..<500 {
            #expect(try await on(loop) { number } == number)
        }
        loop.shutdown()
    }

    @Test(
        "T2: many threads may submit at once and nothing is lost",
        arguments: PollerKind.allCases)
    func contention(_ kind: PollerKind) async throws {
        let loop = try kind.makeLoop()
        let log = Log<Int>()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<500 { loop.execute { log.add(task * 500 + number) } }
                }
            }
        }
        let entries = await log.wait { $0.count == 4_000 }
        #expect(Set(entries) == Set(0..<4_000))
        for task in 0..<8 {
            let own = entries.filter { $0 / 500 == task }
            #expect(own == own.sorted(), "the work of one thread was reordered")
        }
        loop.shutdown()
    }

    @Test("A long chain of work does not keep timers and sockets from their turn")
    func fairness() async throws {
        let loop = EventLoop(name: "test")
        let log = Log<String>()
        final class Chain: @unchecked Sendable {
            var isOver = false
        }
        let chain = Chain()
        @Sendable func goOn() {
            if !chain.isOver { loop.execute(goOn) }
        }
        loop.execute {
            _ = loop.schedule(at: loop.now().advanced(by: .milliseconds(1))) {
                chain.isOver = true
                log.add("timer")
            }
            goOn()
        }
        #expect(await log.wait { !$0.isEmpty } == ["timer"])
        loop.shutdown()
    }
}

/// Work on the caller's thread while the loop sleeps.
@Suite("The event loop's turn, borrowed", .timeLimit(.minutes(1)))
struct BorrowedTurnTests {
    private final class Flushable: TurnFlushable {
        var flushes = 0

        func flush() { flushes += 1 }
    }

    private final class Count: @unchecked Sendable {
        var value = 0
    }

    /// Borrows as soon as the loop sleeps.
    private func borrow(_ loop: EventLoop, _ body: () -> Void) async {
        while !loop.borrow(body) { await Task.yield() }
    }

    @Test("T5: a loop that sleeps lends its turn; the caller is in the domain meanwhile, and not before or after")
    func lends() async {
        let loop = EventLoop(name: "test")
        var wasCurrent = false
        await borrow(loop) {
            wasCurrent = loop.isCurrent
            var isNested = false
            #expect(loop.borrow { isNested = true })
            #expect(isNested)
        }
        #expect(wasCurrent)
        #expect(!loop.isCurrent)
        loop.shutdown()
    }

    @Test("T5: a loop that is busy, or has work waiting, lends nothing; nor does one that was shut down")
    func refuses() async throws {
        let loop = EventLoop(name: "test")
        let gate = Log<String>()
        let isOver = Atomic<Bool>(false)
        loop.execute {
            gate.add("busy")
            while !isOver.load(ordering: .acquiring) {}
            loop.execute { gate.add("done") }
        }
        await gate.wait { $0 == ["busy"] }
        #expect(!loop.borrow { gate.add("borrowed") })
        isOver.store(true, ordering: .releasing)
        await gate.wait { $0 == ["busy", "done"] }
        loop.shutdown()
        #expect(!loop.borrow { gate.add("borrowed") })
        #expect(gate.entries == ["busy", "done"])
    }

    @Test("T5: a poller that does not hear of changes during a wait has nothing lent")
    func needsThePoller() async throws {
        let loop = EventLoop(name: "test", poller: try PollPoller())
        _ = try await on(loop) { true }
        for _ in 0..<1_000 {
            #expect(!loop.borrow {})
            await Task.yield()
        }
        loop.shutdown()
    }

    @Test("T2: what a borrower queues is flushed when it returns, once")
    func flushes() async {
        let loop = EventLoop(name: "test")
        let flushable = Flushable()
        for turn in 1...3 {
            await borrow(loop) { loop.flushAtEndOfTurn(flushable) }
            #expect(flushable.flushes == turn)
        }
        loop.shutdown()
    }

    @Test("L4: a timer that a borrower sets fires, whether the loop slept without one or until a later one")
    func timers() async {
        let loop = EventLoop(name: "test")
        let log = Log<String>()
        await borrow(loop) {
            _ = loop.schedule(at: loop.now().advanced(by: .seconds(600))) { log.add("late") }
        }
        await borrow(loop) {
            _ = loop.schedule(at: loop.now().advanced(by: .milliseconds(5))) { log.add("early") }
        }
        #expect(await log.wait { !$0.isEmpty } == ["early"])
        loop.shutdown()
    }

    @Test("T5: work that a borrower submits runs on the loop's thread, after what it does itself")
    func submits() async {
        let loop = EventLoop(name: "test")
        let log = Log<String>()
        await borrow(loop) {
            let borrower = SystemThread.current
            loop.execute { log.add(SystemThread.current == borrower ? "here" : "there") }
            log.add("borrowed")
        }
        #expect(await log.wait { $0.count == 2 } == ["borrowed", "there"])
        loop.shutdown()
    }

    @Test("T5: borrowers and the loop never run at once, however many there are, and none keeps the loop out")
    func exclusion() async {
        let loop = EventLoop(name: "test")
        let count = Count()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<2_000 {
                        if !loop.borrow({ count.value += 1 }) {
                            loop.execute { count.value += 1 }
                        }
                    }
                }
            }
        }
        let log = Log<Int>()
        loop.execute { log.add(count.value) }
        #expect(await log.wait { !$0.isEmpty } == [8_000])
        loop.shutdown()
    }

    /// Waits in the loop's domain until `body` resumes it by the continuation it is given.
    private func resumed(
        _ loop: EventLoop, _ body: @escaping @Sendable (UnsafeContinuation<Void, Never>) -> Void
    ) async {
        await withUnsafeContinuation { continuation in
            loop.execute { body(continuation) }
        }
    }

    @Test("T5: a task elsewhere is resumed when the turn has ended, and can have it at once")
    func resumesElsewhere() async {
        let loop = EventLoop(name: "test")
        for _ in 0..<500 {
            await resumed(loop) { loop.resumeElsewhere($0) }
            #expect(loop.borrow {})
        }
        loop.shutdown()
    }

    @Test("T5: many tasks elsewhere do not wait for the end of a long turn")
    func resumesMany() async {
        let loop = EventLoop(name: "test")
        let count = 1 + EventLoop.leavingPerTurn
        let waiting = Log<UnsafeContinuationBox>()
        let through = Log<Int>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    await withUnsafeContinuation {
                        waiting.add(UnsafeContinuationBox(number: number, continuation: $0))
                    }
                    through.add(number)
                }
            }
            let all = await waiting.wait { $0.count == count }
            loop.execute {
                for box in all { loop.resumeElsewhere(box.continuation) }
                while through.entries.count < count {}
            }
        }
        #expect(Set(through.entries) == Set(0..<count))
        loop.shutdown()
    }

    @Test("T5: a task elsewhere is resumed although the loop never sleeps")
    func resumesWhileBusy() async {
        let loop = EventLoop(name: "test")
        let isOver = Count()
        @Sendable func goOn() {
            if isOver.value == 0 { loop.execute(goOn) }
        }
        await resumed(loop) {
            loop.resumeElsewhere($0)
            goOn()
        }
        // Only now: had the loop not let the task go on, this would not be reached.
        loop.execute { isOver.value = 1 }
        #expect(await (try? on(loop) { isOver.value }) == 1)
        loop.shutdown()
    }
}

/// A task that waits, by its number.
private struct UnsafeContinuationBox: Sendable, Equatable {
    let number: Int
    let continuation: UnsafeContinuation<Void, Never>

    static func == (left: Self, right: Self) -> Bool { left.number == right.number }
}
