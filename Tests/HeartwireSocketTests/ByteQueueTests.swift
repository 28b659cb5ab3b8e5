import Testing

@testable import HeartwireSocket

@Suite("Bytes that wait")
struct ByteQueueTests {
    @Test(
        "Bytes leave in the order in which they came, however they are taken",
        arguments: [1, 3, 7, 100])
    func order(step: Int) {
        var queue = ByteQueue()
        var expected: [UInt8] = []
        var taken: [UInt8] = []
        for round in 0..<50 {
            let bytes = (0..<round).map { UInt8(truncatingIfNeeded: $0 &+ round) }
            expected += bytes
            append(bytes, to: &queue)
            var target = [UInt8](repeating: 0, count: step)
            let count = target.withUnsafeMutableBytes { queue.read(into: $0) }
            taken += target[..<count]
            #expect(queue.count == expected.count - taken.count)
        }
        taken += queue.withUnsafeBytes { Array($0) }
        #expect(taken == expected)
    }

    @Test("An empty queue gives nothing, and dropping more than there is empties it")
    func empty() {
        var queue = ByteQueue()
        var target: [UInt8] = [9]
        #expect(queue.isEmpty)
        #expect(target.withUnsafeMutableBytes { queue.read(into: $0) } == 0)
        #expect(target == [9])
        append([1, 2, 3], to: &queue)
        queue.drop(1)
        #expect(queue.withUnsafeBytes { Array($0) } == [2, 3])
        queue.drop(10)
        #expect(queue.isEmpty)
        #expect(queue.withUnsafeBytes { $0.count } == 0)
    }

    @Test(
        "T4: storage is kept while small, given back when a large backlog has left, and on demand")
    func storage() {
        var queue = ByteQueue()
        append([UInt8](repeating: 1, count: 100), to: &queue)
        queue.drop(100)
        #expect(queue.capacity >= 100)
        append([1], to: &queue)
        queue.release()
        #expect(queue.count == 1)
        queue.drop(1)
        queue.release()
        #expect(queue.capacity == 0)
        append([UInt8](repeating: 1, count: 1 << 20), to: &queue)
        queue.drop((1 << 20) - 1)
        #expect(queue.count == 1)
        queue.drop(1)
        #expect(queue.capacity <= ByteQueue.keptCapacity)
    }

    @Test("A queue that is fed and read for long does not grow")
    func compaction() {
        var queue = ByteQueue()
        let bytes = [UInt8](repeating: 7, count: 1_000)
        append(bytes, to: &queue)
        for _ in 0..<1_000 {
            append(bytes, to: &queue)
            queue.drop(1_000)
        }
        #expect(queue.count == 1_000)
        #expect(queue.capacity < 10_000)
    }

    @Test("Room that was asked for takes as many bytes, and what waits stays")
    func reserving() {
        var queue = ByteQueue()
        append([1, 2, 3], to: &queue)
        queue.drop(1)
        queue.reserve(10_000)
        let capacity = queue.capacity
        #expect(capacity >= 10_002)
        for _ in 0..<10 { append([UInt8](repeating: 4, count: 1_000), to: &queue) }
        #expect(queue.capacity == capacity)
        #expect(queue.count == 10_002)
        #expect(queue.withUnsafeBytes { Array($0.prefix(3)) } == [2, 3, 4])
        queue.reserve(0)
        #expect(queue.capacity == capacity)
        queue.drop(10_000)
        queue.reserve(capacity - 2)
        #expect(queue.capacity == capacity)
        #expect(queue.withUnsafeBytes { Array($0) } == [4, 4])
    }

    private func append(_ bytes: [UInt8], to queue: inout ByteQueue) {
        bytes.withUnsafeBytes { queue.append($0) }
    }
}
