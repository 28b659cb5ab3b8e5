import Testing

@testable import HeartwireTesting

@Suite("SimulationFault")
struct SimulationFaultTests {
    @Test("every fault has a name of its own, an occasion and a probability")
    func names() {
        let names = SimulationFault.allCases.map(\.rawValue)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { !$0.contains(" ") && !$0.contains("=") && !$0.contains(",") })
        for fault in SimulationFault.allCases {
            #expect((0...1).contains(fault.standardProbability) && fault.standardProbability > 0)
        }
        #expect(
            Set(SimulationFault.allCases.map(\.occasion)) == Set(SimulationFault.Occasion.allCases))
    }

    @Test("a probability that was not changed is the standard one")
    func standard() {
        var faults = SimulationFaults()
        #expect(faults[.kill] == SimulationFault.kill.standardProbability)
        faults[.kill] = 0.5
        #expect(
            faults[.kill] == 0.5 && faults[.freeze] == SimulationFault.freeze.standardProbability)
    }

    @Test("a probability stays within 0 and 1, and what is no number is none")
    func bounds() {
        var faults = SimulationFaults()
        faults[.kill] = -1
        #expect(faults[.kill] == 0)
        faults[.kill] = 1.5
        #expect(faults[.kill] == 1)
        faults[.kill] = .nan
        #expect(faults[.kill] == 0)
    }

    @Test("without faults none is possible, and one that is switched on is")
    func possible() {
        var faults = SimulationFaults.none
        #expect(faults.possible == [])
        faults[.delay] = 0.1
        #expect(faults.possible == [.delay])
        #expect(SimulationFaults().possible == SimulationFault.allCases)
    }
}
