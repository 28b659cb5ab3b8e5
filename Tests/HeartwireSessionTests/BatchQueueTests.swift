import Testing

@testable import HeartwireSession

@Suite("Queues that are taken as a whole")
struct BatchQueueTests {
    @Test("Elements come out in the order in which they went in, over many fillings")
    func order() {
        var queue = BatchQueue<Int>()
        var next = 0
        for round in 0..<100 {
            for number in 0..<round { queue.append(round * 1_000 + number) }
            #expect(queue.count == round)
            for number in 0..<round { #expect(queue.popFirst() == round * 1_000 + number) }
            #expect(queue.isEmpty)
            next += round
        }
        #expect(queue.popFirst() == nil)
    }

    @Test("What was taken is not kept alive by the queue")
    func movedOut() {
        final class Token {}
        var queue = BatchQueue<Token>()
        weak var observed: Token?
        do {
            let token = Token()
            observed = token
            queue.append(token)
            queue.append(Token())
        }
        #expect(observed != nil)
        _ = queue.popFirst()
        #expect(observed == nil)
        #expect(queue.count == 1)
    }

    @Test("S2: a queue that only drops keeps no places of what went, and loses nothing else")
    func dropping() {
        var queue = BatchQueue<Int>()
        for number in 0..<10_000 {
            queue.append(number)
            if queue.count > 10 { queue.dropFirst() }
            #expect(queue.slots.count <= 10 + BatchQueue<Int>.droppedPlaces)
        }
        #expect(queue.first == 9_990)
        for number in 9_990..<10_000 { #expect(queue.popFirst() == number) }
        #expect(queue.first == nil)
        queue.dropFirst()
        #expect(queue.isEmpty)
    }

    @Test("What is put back comes out first again, also into a queue that was emptied by taking it")
    func putBack() {
        var queue = BatchQueue<Int>()
        for number in 0..<3 { queue.append(number) }
        for number in 0..<3 {
            let taken = queue.popFirst()
            #expect(taken == number)
            queue.putBack(number)
            #expect(queue.first == number)
            #expect(queue.count == 3 - number)
            _ = queue.popFirst()
        }
        #expect(queue.isEmpty)
    }

    @Test("A queue that is never emptied gives back the places of what was taken")
    func givenBack() {
        var queue = BatchQueue<Int>()
        for number in 0..<10_000 {
            queue.append(number)
            guard queue.count > 10 else { continue }
            _ = queue.popFirst()
            queue.giveBackPlaces()
            #expect(queue.slots.count <= 10 + BatchQueue<Int>.droppedPlaces)
        }
    }

    @Test("A queue that is never emptied grows with what waits, in order, without being asked")
    func boundedByWhatWaits() {
        for waiting in [1, 10, 63, 64, 65, 1_000] {
            var queue = BatchQueue<Int>()
            for number in 0..<waiting { queue.append(number) }
            for number in 0..<10_000 {
                queue.append(waiting + number)
                #expect(queue.popFirst() == number)
                #expect(queue.slots.count <= 2 * (waiting + 1) + BatchQueue<Int>.droppedPlaces)
            }
            #expect(queue.count == waiting)
        }
    }

    @Test("An emptied queue keeps its places up to a bound, and none of more, to the unit")
    func keptPlaces() {
        let kept = BatchQueue<Int>.keptCapacity
        for (count, places) in [(kept - 1, kept - 1), (kept, kept), (kept + 1, 0)] {
            var queue = BatchQueue<Int>()
            for number in 0..<count { queue.append(number) }
            for number in 0..<count { #expect(queue.popFirst() == number) }
            #expect(queue.slots.count == places)
        }
    }

    @Test("Elements that are taken out of the middle leave the others in order")
    func removed() {
        var queue = BatchQueue<Int>()
        for number in 0..<6 { queue.append(number) }
        _ = queue.popFirst()
        #expect(queue.remove { $0.isMultiple(of: 2) } == [2, 4])
        #expect(queue.count == 3)
        for number in [1, 3, 5] { #expect(queue.popFirst() == number) }
        #expect(queue.remove { _ in true } == [])
    }

    @Test("What another queue held goes behind what this one holds")
    func joined() {
        var first = BatchQueue<Int>()
        var second = BatchQueue<Int>()
        for number in 0..<3 { first.append(number) }
        for number in 3..<6 { second.append(number) }
        first.append(contentsOf: &second)
        #expect(second.isEmpty)
        for number in 0..<6 { #expect(first.popFirst() == number) }
    }
}
