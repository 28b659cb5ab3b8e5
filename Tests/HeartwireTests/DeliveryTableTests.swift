import HeartwireProtocol
import HeartwireSession
import Testing

@testable import Heartwire

@Suite("Values by the ids of deliveries")
struct DeliveryTableTests {
    @Test("Values are found by their ids, in order and with gaps, and nothing else is")
    func found() {
        var table = DeliveryTable<Int>()
        #expect(table[DeliveryID(1)] == nil)
        for number in [3, 4, 5, 100, 101] { table[DeliveryID(UInt64(number))] = number }
        #expect(table.count == 5)
        for number in [3, 4, 5, 100, 101] { #expect(table[DeliveryID(UInt64(number))] == number) }
        for number in [0, 1, 2, 6, 99, 102, UInt64.max] {
            #expect(table[DeliveryID(number)] == nil)
        }
        #expect(table.values == [3, 4, 5, 100, 101])
        #expect(table.ids == [3, 4, 5, 100, 101].map { DeliveryID($0) })
    }

    @Test(
        "A value that comes late stands in its place, and one that comes again replaces the first")
    func outOfOrder() {
        var table = DeliveryTable<String>()
        for (id, text) in [(5, "e"), (2, "b"), (3, "c"), (5, "E"), (1, "a"), (9, "i")] {
            table[DeliveryID(UInt64(id))] = text
        }
        #expect(table.count == 5)
        #expect(table.values == ["a", "b", "c", "E", "i"])
        #expect(table.removeValue(for: DeliveryID(1)) == "a")
        #expect(table.removeValue(for: DeliveryID(2)) == "b")
        table[DeliveryID(1)] = "again"
        #expect(table.values == ["again", "c", "E", "i"])
        table[DeliveryID(1)] = nil
        table[DeliveryID(1)] = nil
        #expect(table.count == 3)
    }

    @Test(
        "A table does what a dictionary does, whatever comes and goes, and keeps few spare places")
    func walk() {
        var random = SplitMix64(seed: 7)
        var table = DeliveryTable<UInt64>()
        var model: [UInt64: UInt64] = [:]
        var newest: UInt64 = 0
        for step in 0..<20_000 {
            let draw = random.next()
            if draw % 5 < 3 {
                newest += draw % 7 == 0 ? 5 : 1
                let id = draw % 11 == 0 ? newest - min(newest, draw % 40) : newest
                table[DeliveryID(id)] = draw
                model[id] = draw
            } else {
                let id = newest - min(newest, draw % 200)
                #expect(table.removeValue(for: DeliveryID(id)) == model.removeValue(forKey: id))
            }
            #expect(table.count == model.count)
            guard step.isMultiple(of: 997) else { continue }
            #expect(table.ids == model.keys.sorted().map { DeliveryID($0) })
            for (id, value) in model { #expect(table[DeliveryID(id)] == value) }
        }
    }

    @Test("K09-07: a value that was taken out is let go")
    func letGo() {
        final class Token {}
        var table = DeliveryTable<Token>()
        weak var observed: Token?
        do {
            let token = Token()
            observed = token
            table[DeliveryID(1)] = token
            table[DeliveryID(2)] = Token()
        }
        #expect(observed != nil)
        table[DeliveryID(1)] = nil
        #expect(observed == nil)
        #expect(table.count == 1)
    }

    @Test("Objects that nobody else holds can be taken out; the others stay in their places")
    func unshared() {
        final class Object {}
        var table = DeliveryTable<Object>()
        let held = (0..<3).map { _ in Object() }
        for number in 0..<300 {
            table[DeliveryID(UInt64(number))] =
                number.isMultiple(of: 100) ? held[number / 100] : Object()
        }
        table.removeUnshared()
        #expect(table.count == 3)
        #expect(table.ids == [0, 100, 200].map { DeliveryID($0) })
        #expect(zip(table.values, held).allSatisfy { $0 === $1 })
        table[DeliveryID(300)] = Object()
        table.removeUnshared()
        #expect(table.count == 3 && table[DeliveryID(300)] == nil)
    }
}
