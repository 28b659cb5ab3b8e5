import Testing

@testable import HeartwireTesting

@Suite("SimulationDice")
struct SimulationDiceTests {
    private func strikes(_ dice: SimulationDice, _ fault: SimulationFault) -> [Bool] {
        (0..<200).map { _ in dice.strikes(fault) }
    }

    @Test("the same seed gives the same chance")
    func replay() {
        let (one, other) = (
            SimulationDice(seed: 7, faults: SimulationFaults()),
            SimulationDice(seed: 7, faults: SimulationFaults())
        )
        #expect(strikes(one, .lostWhenOpen) == strikes(other, .lostWhenOpen))
        #expect(one.next(.app) == other.next(.app))
        #expect(one.counts == other.counts && one.counts[.lostWhenOpen] ?? 0 > 0)
    }

    @Test("a fault that is switched off leaves the others as they were")
    func independent() {
        var without = SimulationFaults()
        without[.kill] = 0
        let (one, other) = (
            SimulationDice(seed: 3, faults: SimulationFaults()),
            SimulationDice(seed: 3, faults: without)
        )
        #expect(strikes(other, .kill).allSatisfy { !$0 })
        #expect(strikes(one, .freeze) == strikes(other, .freeze))
    }

    @Test("in a calm nothing strikes, and nothing is counted")
    func calm() {
        var faults = SimulationFaults()
        faults[.delay] = 1
        let dice = SimulationDice(seed: 1, faults: faults)
        dice.isCalm = true
        #expect(!dice.strikes(.delay) && dice.counts == [:])
        dice.isCalm = false
        #expect(dice.strikes(.delay) && dice.counts == [.delay: 1])
    }

    @Test("a probability of 1 always strikes, one of 0 never")
    func certain() {
        var faults = SimulationFaults.none
        faults[.stall] = 1
        let dice = SimulationDice(seed: 1, faults: faults)
        #expect(strikes(dice, .stall).allSatisfy { $0 })
        #expect(strikes(dice, .kill).allSatisfy { !$0 })
    }

    @Test("numbers and times stay within their range and come to both ends of it")
    func ranges() {
        let dice = SimulationDice(seed: 5, faults: .none)
        let numbers = (0..<500).map { _ in dice.number(.app, 3...6) }
        #expect(Set(numbers) == [3, 4, 5, 6])
        #expect(Set((0..<200).map { _ in dice.number(of: .kill, 0...1) }) == [0, 1])
        let times = (0..<500).map { _ in dice.duration(.app, .seconds(1) ... .seconds(2)) }
        #expect(times.allSatisfy { $0 >= .seconds(1) && $0 <= .seconds(2) })
        #expect(times.contains { $0 < .milliseconds(1_050) })
        #expect(times.contains { $0 > .milliseconds(1_950) })
        #expect(dice.duration(of: .kill, .zero ... .zero) == .zero)
        #expect(["a"].contains(dice.pick(.app, ["a"])))
    }

    @Test("each purpose has numbers of its own, and a source of them")
    func purposes() {
        let dice = SimulationDice(seed: 5, faults: .none)
        #expect(dice.next(.app) != dice.next(.server))
        let other = SimulationDice(seed: 5, faults: .none)
        let source = SimulationRandomSource(other, .masks)
        _ = other.next(.app)
        #expect(source.next() == dice.next(.masks))
    }
}

@Suite("SimulationDigest")
struct SimulationDigestTests {
    @Test("the digest of nothing and of 'a' are those that FNV-1a has")
    func known() {
        var digest = SimulationDigest()
        #expect(digest.value == 0xCBF2_9CE4_8422_2325)
        digest.add("a".utf8)
        #expect(digest.value == 0xAF63_DC4C_8601_EC8C)
    }

    @Test("one bit, one place and one number make a difference")
    func differences() {
        func value(_ fill: (inout SimulationDigest) -> Void) -> UInt64 {
            var digest = SimulationDigest()
            fill(&digest)
            return digest.value
        }
        #expect(value { $0.add([1, 2]) } != value { $0.add([2, 1]) })
        #expect(value { $0.add(1) } != value { $0.add(1 << 63) })
        #expect(value { $0.add(1) } != value { $0.add([1]) })
    }
}
