import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("Handing messages to consumers")
struct MessageHubTests {
    private let executor = VirtualExecutor()
    private let hub: MessageHub

    init() {
        hub = MessageHub(executor: executor)
    }

    private func append(_ texts: String...) {
        executor.perform {
            for text in texts { hub.append(.text(text)) }
            hub.wake()
        }
    }

    private func claim(_ buffering: Buffering = .suspendReading) -> Subscription<Message> {
        defer { executor.runUntilIdle() }
        return hub.claim(buffering)
    }

    private func release(_ subscription: Subscription<Message>) {
        hub.release(subscription)
        executor.runUntilIdle()
    }

    private func texts(_ subscription: Subscription<Message>) -> [String] {
        executor.perform {
            var batch = BatchQueue<Message>()
            subscription.take(into: &batch)
            var all: [String] = []
            while case .text(let text)? = batch.popFirst() { all.append(text) }
            return all
        }
    }

    @Test("S1: the first claim gets what came before it, later ones begin with what comes next")
    func claims() {
        append("a", "b")
        let first = claim()
        let second = claim()
        append("c")
        #expect(texts(first) == ["a", "b", "c"])
        #expect(texts(second) == ["c"])
    }

    @Test("S1: what the last consumer left goes to the next, what one of several left is dropped")
    func releases() {
        let first = claim()
        let second = claim()
        append("a")
        release(first)
        append("b")
        #expect(hub.weight == 2 * (1 + MessageHub.messageOverheadBytes))
        release(second)
        append("c")
        let third = claim()
        #expect(texts(third) == ["a", "b", "c"])
        // A second release of the same one is nothing.
        release(second)
        append("d")
        #expect(texts(third) == ["d"])
    }

    @Test("S1: what the last consumer had taken and not read goes to the next, ahead of the rest")
    func releasesWhatWasTaken() {
        append("a", "b", "c")
        let first = claim()
        var taken = BatchQueue<Message>()
        executor.perform { first.take(into: &taken) }
        _ = taken.popFirst()
        append("d")
        hub.release(first, unread: taken)
        executor.runUntilIdle()
        #expect(hub.weight == 3 * (1 + MessageHub.messageOverheadBytes))
        #expect(texts(claim()) == ["b", "c", "d"])
    }

    @Test("S1, S2: who comes in the moment in which the last consumer goes has what that one left")
    func claimBehindRelease() {
        let first = claim()
        append("a", "b")
        // The domain has heard of neither yet.
        hub.release(first)
        let second = hub.claim(.dropOldest(BufferBounds(count: 1), Tally()))
        executor.runUntilIdle()
        append("c")
        #expect(texts(second) == ["c"])
        #expect(hub.dropped == 2)
        #expect(hub.consumers == 1)
        #expect(hub.weight == 0, "nothing is collected for nobody")
        executor.perform {
            hub.release(second)
            let third = hub.claim()
            hub.append(.text("d"))
            #expect(texts(third) == ["d"])
        }
        #expect(hub.consumers == 1)
    }

    @Test("S2: a message weighs its bytes and its place; the slowest consumer's backlog counts")
    func weight() {
        #expect(hub.weight == 0)
        append("12345")
        #expect(hub.weight == 5 + MessageHub.messageOverheadBytes)
        let first = claim()
        let second = claim()
        #expect(texts(first).count == 1)
        #expect(texts(first).isEmpty)
        append("x")
        #expect(texts(first) == ["x"])
        #expect(texts(first).isEmpty)
        #expect(hub.weight == 1 + MessageHub.messageOverheadBytes)
        #expect(texts(second) == ["x"])
        #expect(hub.weight == 1 + MessageHub.messageOverheadBytes, "still with the consumer")
        #expect(texts(second).isEmpty)
        #expect(hub.weight == 0)
    }

    @Test("S1: at the end every consumer ends behind what it has, and the next begins afresh")
    func finishing() {
        let first = claim()
        let second = claim()
        append("a")
        executor.perform { hub.finish() }
        #expect(first.isFinished)
        #expect(second.isFinished)
        #expect(texts(first) == ["a"])
        append("b")
        #expect(texts(first).isEmpty)
        let third = claim()
        #expect(!third.isFinished)
        #expect(texts(third) == ["b"])
    }

    @Test("S1: what nobody has claimed at the end stays for the next consumer")
    func unclaimedAtTheEnd() {
        append("a")
        executor.perform { hub.finish() }
        append("b")
        let next = claim()
        #expect(texts(next) == ["a", "b"])
        #expect(!next.isFinished)
    }

    @Test("S1: at the end for good, later consumers find the end too, behind what nobody read")
    func forGood() {
        append("a")
        executor.perform { hub.finish(forGood: true) }
        let next = claim()
        #expect(next.isFinished)
        #expect(texts(next) == ["a"])
        let second = claim()
        #expect(second.isFinished)
        #expect(texts(second).isEmpty)
        release(second)
        release(next)
        #expect(claim().isFinished)
        executor.perform { hub.finish() }
        #expect(claim().isFinished)
    }

    @Test("S2: reading is suspended for the slowest of those that want it, and for no other")
    func policies() {
        let tally = Tally()
        let dropping = claim(.dropOldest(BufferBounds(count: 2), tally))
        append("a", "b", "c")
        #expect(hub.weight == 0)
        let suspending = claim()
        let failing = claim(.fail(BufferBounds(count: 1), OverflowFlag()))
        append("d", "e")
        #expect(hub.weight == 2 * (1 + MessageHub.messageOverheadBytes))
        #expect(texts(dropping) == ["d", "e"])
        #expect(texts(suspending) == ["d", "e"])
        #expect(texts(failing) == ["d"])
        #expect(failing.isFinished)
        #expect(tally.value == 3)
        #expect(hub.dropped == 3)
        #expect(hub.consumers == 3)
        release(dropping)
        release(failing)
        append("f")
        #expect(texts(suspending) == ["f"])
        #expect(hub.consumers == 1)
    }

    @Test("S2: a consumer that drops takes over what was collected within its own bounds")
    func dropsWhatWasCollected() {
        append("a", "b", "c")
        let tally = Tally()
        let first = claim(.dropOldest(BufferBounds(count: 2), tally))
        #expect(tally.value == 1)
        #expect(hub.dropped == 1)
        #expect(texts(first) == ["b", "c"])
        release(first)
        append("d", "e", "f", "g")
        #expect(hub.weight > 0, "what nobody has claimed holds reading again")
        #expect(texts(claim()) == ["d", "e", "f", "g"])
    }

    @Test(
        "S2, S6: while only others listen nothing is collected, and reading is not held for nobody")
    func othersListen() {
        append("a")
        #expect(hub.consumers == 0)
        executor.perform { hub.setOthersListen(true) }
        #expect(hub.weight == 0)
        append("b")
        let first = claim()
        #expect(hub.consumers == 1)
        append("c")
        #expect(hub.weight == 2 * (1 + MessageHub.messageOverheadBytes))
        #expect(texts(first) == ["a", "c"])
        release(first)
        append("d")
        executor.perform { hub.setOthersListen(false) }
        append("e")
        #expect(texts(claim()) == ["e"])
    }

    @Test("S1: a claim in the domain counts at once, whichever way messages take")
    func claimsInTheDomain() {
        executor.perform {
            let first = hub.claim()
            let second = hub.claim(.dropOldest(BufferBounds(count: 1), Tally()))
            hub.append(.text("a"))
            hub.append(.text("b"))
            #expect(texts(first) == ["a", "b"])
            #expect(texts(second) == ["b"])
        }
    }

    @Test("S1: a claim that is under way when the session ends takes nothing of the next")
    func claimAcrossEnd() {
        append("a")
        // From another thread the domain hears of it later.
        let first = hub.claim()
        executor.perform { hub.finish() }
        executor.runUntilIdle()
        append("b")
        #expect(first.isFinished)
        #expect(texts(first) == ["a"])
        #expect(texts(claim()) == ["b"])
    }

    @Test(
        "S1: a claim that the domain has not heard of gets what comes meanwhile, and ends with the session"
    )
    func claimsUnderWay() {
        let first = hub.claim()
        append("a")
        #expect(hub.consumers == 1)
        executor.runUntilIdle()
        #expect(hub.consumers == 1)
        #expect(texts(first) == ["a"])
        release(first)
        let second = hub.claim()
        executor.perform { hub.finish() }
        executor.runUntilIdle()
        #expect(second.isFinished)
        #expect(hub.consumers == 0)
    }

    @Test(
        "S1: of two claims under way when the session ends, the later one takes over what comes behind it"
    )
    func laterClaimUnderWay() {
        let first = hub.claim()
        let second = hub.claim(.dropOldest(BufferBounds(count: 2), Tally()))
        executor.perform { hub.finish() }
        append("a", "b", "c")
        executor.runUntilIdle()
        #expect(first.isFinished)
        #expect(texts(first).isEmpty)
        #expect(texts(second) == ["b", "c"])
        #expect(hub.dropped == 1)
        #expect(hub.consumers == 1)
        append("d")
        #expect(texts(second) == ["d"])
    }

    @Test("S1: a claim under way while another is, too, takes nothing of it")
    func twoClaimsUnderWay() {
        let first = hub.claim()
        let second = hub.claim()
        executor.runUntilIdle()
        append("a")
        #expect(texts(first) == ["a"])
        #expect(texts(second) == ["a"])
        #expect(hub.consumers == 2)
    }

    @Test("S1: consumers that come and go on many threads lose no message between them")
    func manyThreads() async {
        let hub = hub
        append("a")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<100 { hub.release(hub.claim()) } }
            }
        }
        executor.runUntilIdle()
        append("b")
        let all = texts(claim())
        #expect(all.last == "b")
        #expect(all.count <= 2)
    }
}
