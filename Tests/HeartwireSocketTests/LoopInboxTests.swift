import HeartwireSession
import Testing

@testable import HeartwireSocket

@Suite("What other threads give a loop to do")
struct LoopInboxTests {
    private final class Log: Sendable {
        let ran = Locked<[Int]>([])
    }

    /// An inbox with the loop that takes from it.
    private final class Side {
        private let inbox = LoopInbox()
        private var ready = LoneQueue<EventLoop.Work>()
        private let log = Log()

        var isQuiet: Bool { inbox.isQuiet }

        func add(_ number: Int) -> Bool {
            inbox.add(.closure { [log] in log.ran.withLock { $0.append(number) } })
        }

        func add(holding token: some AnyObject & Sendable) -> Bool {
            inbox.add(.closure { _ = token })
        }

        func stop() { inbox.stop() }
        func fallAsleep() -> Bool { inbox.fallAsleep() }
        func awake() { inbox.awake() }
        func take() -> Bool { inbox.take(into: &ready) }
        func end() -> Int { inbox.end().count }

        /// Runs what was taken, and gives all that has run.
        func run() -> [Int] {
            while case .closure(let closure)? = ready.popFirst() { closure() }
            return log.ran.withLock { $0 }
        }
    }

    private let side = Side()

    @Test("T5: a loop that is awake is not woken, and finds what came in order, once")
    func awake() {
        #expect(side.take())
        #expect(side.run() == [])
        for number in 0..<3 { #expect(!side.add(number)) }
        #expect(side.take())
        #expect(side.run() == [0, 1, 2])
        #expect(side.take())
        #expect(side.run() == [0, 1, 2])
    }

    @Test("T5: a loop that sleeps is woken by the first that comes, and by no other")
    func asleep() {
        #expect(!side.isQuiet)
        #expect(side.fallAsleep())
        #expect(side.isQuiet)
        #expect(side.add(0))
        #expect(!side.isQuiet)
        #expect(!side.add(1))
        side.awake()
        #expect(!side.add(2))
        #expect(side.take())
        #expect(side.run() == [0, 1, 2])
        #expect(side.fallAsleep())
    }

    @Test("T5: a loop does not fall asleep on what it has not seen")
    func unseen() {
        #expect(!side.add(0))
        #expect(!side.fallAsleep())
        #expect(!side.isQuiet)
        #expect(!side.add(1), "it is awake")
    }

    @Test("A loop that is to stop does not sleep, and lends nothing")
    func stopping() {
        #expect(side.fallAsleep())
        side.stop()
        #expect(!side.isQuiet)
        side.awake()
        #expect(!side.add(0))
        for _ in 0..<2 {
            #expect(!side.take())
            #expect(!side.fallAsleep())
        }
        #expect(side.run() == [0])
    }

    @Test("What came in the last turn is given back, and nothing is kept behind the end")
    func ended() {
        final class Token: Sendable {}
        weak var early: Token?
        weak var late: Token?
        do {
            let (first, second) = (Token(), Token())
            (early, late) = (first, second)
            #expect(!side.add(holding: first))
            #expect(side.end() == 1)
            #expect(!side.add(holding: second))
        }
        #expect(early == nil)
        #expect(late == nil)
    }

    @Test("T5: nothing stays behind, whenever the loop falls asleep", .timeLimit(.minutes(1)))
    func racing() async {
        let loop = EventLoop(name: "inbox")
        var count = 0
        for _ in 0..<20_000 {
            await withCheckedContinuation { continuation in
                loop.execute { continuation.resume() }
            }
            count += 1
        }
        #expect(count == 20_000)
        loop.shutdown()
    }
}
