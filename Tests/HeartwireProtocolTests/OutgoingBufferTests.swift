import Testing

@testable import HeartwireProtocol

@Suite("The outgoing buffer keeps order and does not grow without need")
struct OutgoingBufferTests {
    @Test("Nothing waits at first, and nothing can be taken")
    func empty() {
        var buffer = OutgoingBuffer()
        buffer.removeFirst(10)
        buffer.append([])
        buffer.append(0) { _ in }
        #expect(buffer.count == 0)
        #expect(buffer.end == 0)
        #expect(buffer.allocated == 0)
        #expect(buffer.withBytes { $0.count } == 0)
    }

    @Test("Bytes go out in order, in pieces of any size")
    func order() {
        var buffer = OutgoingBuffer()
        let random = SeededSource(seed: 7)
        var sent: [UInt8] = []
        var received: [UInt8] = []
        for _ in 0..<3_000 {
            let piece = (0..<random.below(200)).map { _ in UInt8(truncatingIfNeeded: random.next())
            }
            buffer.append(piece)
            sent += piece
            let amount = min(random.below(220), buffer.count)
            received += buffer.withBytes { Array($0.prefix(amount)) }
            buffer.removeFirst(amount)
            #expect(buffer.end == UInt64(sent.count))
            #expect(buffer.written == UInt64(received.count))
        }
        received += buffer.withBytes { Array($0) }
        #expect(received == sent)
    }

    @Test("More than is there counts as all, less than zero as none")
    func clamped() {
        var buffer = OutgoingBuffer()
        buffer.append([1, 2, 3])
        buffer.removeFirst(-1)
        #expect(buffer.count == 3)
        buffer.removeFirst(Int.min)
        #expect(buffer.count == 3)
        buffer.removeFirst(Int.max)
        #expect(buffer.count == 0)
        #expect(buffer.written == 3)
    }

    @Test("A busy connection keeps its storage and does not grow it")
    func steady() {
        var buffer = OutgoingBuffer()
        for _ in 0..<10_000 {
            buffer.append([UInt8](repeating: 1, count: 700))
            buffer.removeFirst(700)
        }
        #expect(buffer.allocated == 1_024)
    }

    @Test("A backlog that moves on is moved to the front instead of growing the storage")
    func compacts() {
        var buffer = OutgoingBuffer()
        buffer.append([UInt8](repeating: 0, count: 300))
        for step in 0..<10_000 {
            buffer.append([UInt8](repeating: UInt8(truncatingIfNeeded: step), count: 100))
            buffer.removeFirst(100)
        }
        #expect(buffer.count == 300)
        #expect(buffer.allocated <= 2_048)
        #expect(
            buffer.withBytes { Array($0.suffix(100)) }
                == [UInt8](
                    repeating: UInt8(truncatingIfNeeded: 9_999), count: 100))
    }

    @Test("A large backlog is not moved for a little room: that would cost time without end")
    func doesNotMoveForLittle() {
        var buffer = OutgoingBuffer()
        buffer.append([UInt8](repeating: 1, count: 1_000))
        buffer.removeFirst(50)
        buffer.append([UInt8](repeating: 2, count: 60))
        #expect(buffer.allocated == 2_048)
        #expect(buffer.withBytes { Array($0.suffix(61)) } == [1] + [UInt8](repeating: 2, count: 60))
    }

    @Test("It grows by doubling, or at once to what is asked for")
    func grows() {
        var buffer = OutgoingBuffer()
        buffer.append([UInt8](repeating: 1, count: 5_000))
        #expect(buffer.allocated == 5_000)
        buffer.append([2])
        #expect(buffer.allocated == 10_000)
        #expect(buffer.count == 5_001)
        #expect(buffer.withBytes { $0.last } == 2)
    }

    @Test("An idle connection holds no buffer; a busy one keeps its bytes")
    func release() {
        var buffer = OutgoingBuffer()
        buffer.append([1, 2])
        buffer.releaseStorage()
        #expect(buffer.withBytes { Array($0) } == [1, 2])
        buffer.removeFirst(2)
        buffer.releaseStorage()
        #expect(buffer.allocated == 0)
        buffer.append([3])
        #expect(buffer.withBytes { Array($0) } == [3])
        #expect(buffer.end == 3)
    }
}
