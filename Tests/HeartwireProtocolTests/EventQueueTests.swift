import Testing

@testable import HeartwireProtocol

@Suite("Events come out in the order in which they happened")
struct EventQueueTests {
    private func event(_ number: Int) -> EngineEvent {
        .message(.text("event number \(number), too long to be held inline"))
    }

    @Test("First in, first out, then nothing")
    func order() {
        var queue = EventQueue()
        #expect(queue.popFirst() == nil)
        for number in 0..<100 { queue.append(event(number)) }
        #expect(queue.count == 100)
        for number in 0..<100 { #expect(queue.popFirst() == event(number)) }
        #expect(queue.popFirst() == nil)
        #expect(queue.count == 0)
    }

    @Test("The storage is kept while busy")
    func steady() {
        var queue = EventQueue()
        for round in 0..<1_000 {
            for number in 0..<16 { queue.append(event(round + number)) }
            while queue.popFirst() != nil {}
        }
        #expect(queue.allocated == 16)
    }

    @Test("A consumer that never quite catches up does not make the storage grow for ever")
    func neverEmpty() {
        var queue = EventQueue()
        queue.append(event(0))
        for number in 1..<10_000 {
            queue.append(event(number))
            #expect(queue.popFirst() == event(number - 1))
        }
        #expect(queue.allocated == 16)
        #expect(queue.count == 1)
    }

    @Test("It grows behind a head that has moved on, and keeps the order")
    func growsInTheMiddle() {
        var queue = EventQueue()
        for number in 0..<16 { queue.append(event(number)) }
        for number in 0..<3 { #expect(queue.popFirst() == event(number)) }
        queue.append(event(16))
        #expect(queue.allocated == 32, "moving thirteen events for three slots does not pay")
        for number in 17..<40 { queue.append(event(number)) }
        for number in 3..<40 { #expect(queue.popFirst() == event(number)) }
        #expect(queue.popFirst() == nil)
    }

    @Test("Storage is given back only when no event waits")
    func release() {
        var queue = EventQueue()
        queue.releaseStorage()
        queue.append(event(1))
        queue.releaseStorage()
        #expect(queue.popFirst() == event(1))
        queue.releaseStorage()
        #expect(queue.allocated == 0)
        queue.append(event(2))
        #expect(queue.popFirst() == event(2))
    }
}
