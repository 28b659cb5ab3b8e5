import HeartwireSession
import Synchronization
import Testing

@testable import HeartwireSocket

/// Work on the caller's thread while the loop sleeps.
@Suite("The event loop's turn, borrowed", .timeLimit(.minutes(1)))
struct BorrowedTurnTests {
    private final class Flushable: TurnFlushable {
        var flushes = 0

        func flush() { flushes += 1 }
    }

    /// Tells of what was queued when it is flushed.
    private final class Output: TurnFlushable, @unchecked Sendable {
        let log: Log<Int>
        var queued: [Int] = []

        init(_ log: Log<Int>) {
            self.log = log
        }

        func flush() {
            for number in queued { log.add(number) }
            queued = []
        }
    }

    private final class Count: @unchecked Sendable {
        var value = 0
    }

    /// Borrows as soon as the loop sleeps.
    private func borrow(_ loop: EventLoop, _ body: () -> Void) async {
        while !loop.borrow(body) { await Task.yield() }
    }

    @Test(
        "T5: a loop that sleeps lends its turn; the caller is in the domain meanwhile, and not before or after"
    )
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

    @Test(
        "T5: a loop that is busy, or has work waiting, lends nothing; nor does one that was shut down"
    )
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

    @Test("T2: what a borrower queues by itself is flushed when it returns, once")
    func flushes() async throws {
        let loop = EventLoop(name: "test")
        let flushable = Flushable()
        for turn in 1...3 {
            await borrow(loop) { loop.flushAtEndOfTurn(flushable) }
            #expect(flushable.flushes == turn)
            // Far longer than what belongs together lies apart.
            try await Task.sleep(for: .milliseconds(2))
        }
        loop.shutdown()
    }

    @Test("T2: of what borrowers queue in quick succession nothing is left behind")
    func flushesBursts() async {
        let loop = EventLoop(name: "test")
        let log = Log<Int>()
        let output = Output(log)
        for number in 1...2_000 {
            await borrow(loop) {
                if output.queued.isEmpty { loop.flushAtEndOfTurn(output) }
                output.queued.append(number)
            }
        }
        #expect(await log.wait { $0.count == 2_000 } == Array(1...2_000))
        loop.shutdown()
    }

    @Test("T2: what a borrower has left to a loop that is shut down goes out")
    func flushesAtTheEnd() async {
        let loop = EventLoop(name: "test")
        let log = Log<Int>()
        let output = Output(log)
        await borrow(loop) { loop.flushAtEndOfTurn(output) }
        await borrow(loop) {
            loop.flushAtEndOfTurn(output)
            output.queued = [1]
            loop.shutdown()
        }
        #expect(await log.wait { !$0.isEmpty } == [1])
    }

    @Test(
        "L4: a timer that a borrower sets fires, whether the loop slept without one or until a later one"
    )
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

    @Test(
        "T5: borrowers and the loop never run at once, however many there are, and none keeps the loop out"
    )
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
        let turns = Log<Int>()
        for number in 0..<500 {
            await resumed(loop) { loop.resumeElsewhere($0) }
            loop.settleResumption()
            #expect(loop.borrow {})
            // A task that had not begun to wait goes on while the loop is still within `resume`, and ThreadSanitizer sees
            // no order between the two (docs/decisions/0008). It sees this one.
            loop.execute { turns.add(number) }
            while turns.entries.count <= number {}
        }
        loop.shutdown()
    }

    @Test("T5: many tasks elsewhere do not wait for the end of a long turn")
    func resumesMany() async {
        let loop = EventLoop(name: "test")
        let count = LoopTurn.Leaving.limit
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
