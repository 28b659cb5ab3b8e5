import HeartwireSession
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
