import HeartwireSession
import Testing

@testable import HeartwireTesting

private func run(
    _ seed: UInt64, minutes: Int = 20, faults: SimulationFaults = SimulationFaults()
) -> SimulationReport {
    let settings = SimulationSettings(
        seed: seed, duration: .seconds(60 * minutes), faults: faults)
    return Simulation(settings).run()
}

@Suite("Simulation")
struct SimulationTests {
    @Test(
        "G4, D2, R5: whatever goes wrong, every rule holds in a seeded world",
        arguments: UInt64(1)...24)
    func seeds(seed: UInt64) {
        let report = run(seed)
        #expect(report.violations == [])
        #expect(report.seeds == 1 && report.simulated >= .seconds(1_200))
        #expect(report.connections > 0 && report.stored > 0 && report.arrived > 0)
    }

    @Test("G6: a seed replays to the byte and to the journal's last line", arguments: [3, 17, 40])
    func replay(seed: UInt64) {
        var journals: [[String]] = [[], []]
        let reports = (0...1).map { place in
            Simulation(SimulationSettings(seed: seed, duration: .seconds(900))).run(
                trace: { journals[place].append($0) })
        }
        #expect(reports[0] == reports[1])
        #expect(journals[0] == journals[1] && journals[0].count == reports[0].lines)
        #expect(reports[0].digest != 0)
    }

    @Test("another seed is another world")
    func otherSeed() {
        #expect(run(1, minutes: 5).digest != run(2, minutes: 5).digest)
    }

    @Test("without faults nothing goes wrong, and the rules hold")
    func calm() {
        let report = run(5, faults: .none)
        #expect(report.violations == [] && report.faults == [:])
        #expect(report.connections > 0 && report.arrived >= report.stored)
    }

    @Test(
        "a fault happens in some world, alone and for certain", arguments: SimulationFault.allCases)
    func alone(fault: SimulationFault) {
        var faults = SimulationFaults.none
        // Certain on each occasion where a client could still get on, otherwise often.
        faults[fault] = 0.3
        var count = 0
        for seed in UInt64(1)...6 where count == 0 {
            let report = run(seed, faults: faults)
            #expect(report.violations == [], "seed \(seed)")
            #expect(report.faults.keys.allSatisfy { $0 == fault })
            count += report.faults[fault] ?? 0
        }
        #expect(count > 0)
    }

    @Test("D4: what a killed client had stored is delivered by the next ones")
    func kills() {
        var faults = SimulationFaults.none
        (faults[.kill], faults[.stall], faults[.missingPong]) = (0.9, 0.9, 0.5)
        var sum = SimulationReport()
        for seed in UInt64(1)...3 { sum.add(run(seed, minutes: 40, faults: faults)) }
        #expect(sum.violations == [] && sum.seeds == 3)
        #expect(sum.clients > 40 && sum.faults[.kill] ?? 0 > 30)
        #expect(sum.repeated > 0)
    }

    @Test("a simulation that is stopped tells what it has seen until then")
    func stopped() {
        let settings = SimulationSettings(seed: 1, duration: .seconds(86_400))
        var asked = 0
        let report = Simulation(settings).run(isStopped: {
            asked += 1
            return asked > 2
        })
        #expect(report.violations == [])
        #expect(report.simulated > .zero && report.simulated < .seconds(7_200))
    }

    @Test("the journal holds numbers and names only, each line a JSON object")
    func journal() {
        var lines: [String] = []
        let report = Simulation(SimulationSettings(seed: 11, duration: .seconds(600))).run(
            trace: { lines.append($0) })
        #expect(report.violations == [])
        #expect(lines.allSatisfy { $0.hasPrefix("{\"") && $0.hasSuffix("}") })
        #expect(!lines.contains { $0.contains("xxxx") })
        #expect(lines.contains { $0.contains("\"world\":\"begin\"") })
        #expect(lines.contains { $0.contains("\"event\":\"opened\"") })
        #expect(lines.contains { $0.contains("\"kind\":\"opened\"") })
    }
}
