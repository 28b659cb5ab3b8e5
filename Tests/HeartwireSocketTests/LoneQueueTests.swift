import HeartwireSession
import Testing

@testable import HeartwireSocket

@Suite("Queues that mostly hold one element")
struct LoneQueueTests {
    private func drained(_ queue: inout LoneQueue<Int>) -> [Int] {
        var all: [Int] = []
        while let number = queue.popFirst() { all.append(number) }
        return all
    }

    private func batch(_ numbers: Range<Int>) -> BatchQueue<Int> {
        var batch = BatchQueue<Int>()
        for number in numbers { batch.append(number) }
        return batch
    }

    @Test("Elements come out in the order in which they went in, over many fillings")
    func order() {
        var queue = LoneQueue<Int>()
        #expect(queue.isEmpty)
        #expect(queue.popFirst() == nil)
        for count in 0..<20 {
            for number in 0..<count { queue.append(number) }
            #expect(queue.isEmpty == (count == 0))
            #expect(drained(&queue) == Array(0..<count))
            #expect(queue.isEmpty)
        }
    }

    @Test("What is added between two takings comes behind what waits")
    func interleaved() {
        var queue = LoneQueue<Int>()
        for number in 0..<3 { queue.append(number) }
        #expect(queue.popFirst() == 0)
        queue.append(3)
        #expect(queue.popFirst() == 1)
        #expect(drained(&queue) == [2, 3])
    }

    @Test(
        "T5: what another queue holds comes behind what waits, however much that is",
        arguments: 0..<4)
    func appended(_ count: Int) {
        for more in 0..<4 {
            var queue = LoneQueue<Int>()
            for number in 0..<count { queue.append(number) }
            var other = batch(count..<(count + more))
            queue.append(contentsOf: &other)
            #expect(other.isEmpty)
            queue.append(count + more)
            #expect(drained(&queue) == Array(0...(count + more)))
        }
    }

    @Test("What was taken is not kept alive by the queue")
    func movedOut() {
        final class Token {}
        var queue = LoneQueue<Token>()
        weak var first: Token?
        weak var second: Token?
        do {
            let tokens = [Token(), Token()]
            (first, second) = (tokens[0], tokens[1])
            for token in tokens { queue.append(token) }
        }
        _ = queue.popFirst()
        #expect(first == nil)
        #expect(second != nil)
        _ = queue.popFirst()
        #expect(second == nil)
    }

    @Test("Places that are given back change nothing of what waits")
    func places() {
        var queue = LoneQueue<Int>()
        for number in 0..<1_000 { queue.append(number) }
        for number in 0..<900 { #expect(queue.popFirst() == number) }
        queue.giveBackPlaces()
        #expect(drained(&queue) == Array(900..<1_000))
    }
}
