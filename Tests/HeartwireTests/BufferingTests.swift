import HeartwireProtocol
import Testing

@testable import Heartwire

@Suite("How a consumer is bounded")
struct BufferingTests {
    @Test("S2: only a consumer without bounds of its own holds reading")
    func holdsReading() {
        #expect(Buffering.suspendReading.holdsReading)
        #expect(!Buffering.dropOldest(BufferBounds(), Tally()).holdsReading)
        #expect(!Buffering.fail(BufferBounds(), OverflowFlag()).holdsReading)
    }

    @Test("S2: many threads count into one tally, and nothing is lost of it")
    func tally() async {
        let tally = Tally()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { for _ in 0..<1_000 { tally.add(2) } } }
        }
        tally.add(0)
        #expect(tally.value == 8_000)
    }

    @Test("S2: an overflow is told once, the last that was raised")
    func flag() {
        let flag = OverflowFlag()
        #expect(flag.take() == nil)
        flag.raise(BufferOverflow(bounds: BufferBounds(count: 1)))
        flag.raise(BufferOverflow(bounds: BufferBounds(count: 2)))
        #expect(flag.take()?.bounds.count == 2)
        #expect(flag.take() == nil)
    }

    @Test("S2: a message weighs its bytes on the wire and its place")
    func weights() {
        #expect(Message.text("é").weight == 66)
        #expect(Message.binary([1, 2, 3]).weight == 67)
    }

    @Test("S2: trimming drops from the front until both bounds hold, and no more")
    func trims() {
        var queue = BatchQueue<Message>()
        var weight = 0
        for length in [10, 1, 2, 3] {
            let message = Message.binary([UInt8](repeating: 0, count: length))
            queue.append(message)
            weight += message.weight
        }
        #expect(queue.trim(to: BufferBounds(count: 4), weight: &weight) == 0)
        #expect(queue.trim(to: BufferBounds(count: 4, bytes: 271), weight: &weight) == 1)
        #expect(weight == 198)
        #expect(queue.trim(to: BufferBounds(count: 1), weight: &weight) == 2)
        #expect(weight == 67)
        #expect(queue.first?.byteCount == 3)
        #expect(queue.trim(to: BufferBounds(count: 1, bytes: 0), weight: &weight) == 1)
        #expect(weight == 0)
        #expect(queue.isEmpty)
    }
}
