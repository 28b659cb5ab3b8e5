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

    private func claim() -> Subscription<Message> {
        defer { executor.runUntilIdle() }
        return hub.claim()
    }

    private func release(_ subscription: Subscription<Message>) {
        hub.release(subscription)
        executor.runUntilIdle()
    }

    private func texts(_ subscription: Subscription<Message>) -> [String] {
        executor.perform {
            var batch = BatchQueue<Message>()
            subscription.take(into: &batch)
            hub.took()
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
