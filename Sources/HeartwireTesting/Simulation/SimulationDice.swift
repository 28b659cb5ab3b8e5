import HeartwireProtocol
import HeartwireSession

/// The chance of one simulated world: a stream of random numbers for each fault and each purpose, so that
/// switching one fault off leaves the others' rolls as they were.
final class SimulationDice {
    /// What else is decided by chance.
    enum Purpose: Int, CaseIterable {
        case settings, weather, app, payload, network, server, masks, endpoint, store
    }

    /// How often each fault happened.
    private(set) var counts: [SimulationFault: Int] = [:]
    /// Whether faults happen now.
    var isCalm = false
    private let faults: SimulationFaults
    private var faultStreams: [SplitMix64]
    private var purposeStreams: [SplitMix64]

    init(seed: UInt64, faults: SimulationFaults) {
        self.faults = faults
        var seeds = SplitMix64(seed: seed)
        purposeStreams = Purpose.allCases.map { _ in SplitMix64(seed: seeds.next()) }
        faultStreams = SimulationFault.allCases.map { _ in SplitMix64(seed: seeds.next()) }
    }

    /// Whether the fault happens on this occasion. Counts it.
    func strikes(_ fault: SimulationFault) -> Bool {
        let isHit = Self.part(faultStreams[Self.place(fault)].next()) < faults[fault]
        guard isHit, !isCalm else { return false }
        counts[fault, default: 0] += 1
        return true
    }

    /// How long a fault lasts, or how late it comes.
    func duration(of fault: SimulationFault, _ range: ClosedRange<Duration>) -> Duration {
        Self.duration(faultStreams[Self.place(fault)].next(), range)
    }

    /// A number that a fault needs, from `range`.
    func number(of fault: SimulationFault, _ range: ClosedRange<Int>) -> Int {
        Self.number(faultStreams[Self.place(fault)].next(), range)
    }

    func next(_ purpose: Purpose) -> UInt64 { purposeStreams[purpose.rawValue].next() }

    func duration(_ purpose: Purpose, _ range: ClosedRange<Duration>) -> Duration {
        Self.duration(next(purpose), range)
    }

    func number(_ purpose: Purpose, _ range: ClosedRange<Int>) -> Int {
        Self.number(next(purpose), range)
    }

    /// One of `choices`, which must not be empty.
    func pick<Choice>(_ purpose: Purpose, _ choices: [Choice]) -> Choice {
        choices[number(purpose, 0...(choices.count - 1))]
    }

    private static let places = Dictionary(
        uniqueKeysWithValues: zip(SimulationFault.allCases, 0...))

    private static func place(_ fault: SimulationFault) -> Int { places[fault] ?? 0 }

    /// In 0..<1.
    private static func part(_ roll: UInt64) -> Double { Double(roll >> 11) * 0x1p-53 }

    private static func number(_ roll: UInt64, _ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(part(roll) * Double(range.count))
    }

    private static func duration(_ roll: UInt64, _ range: ClosedRange<Duration>) -> Duration {
        let (least, most) = (range.lowerBound.wholeNanoseconds, range.upperBound.wholeNanoseconds)
        return .nanoseconds(least + Int64(part(roll) * Double(most - least)))
    }
}

/// One stream of the dice, for what asks for a source of random numbers.
final class SimulationRandomSource: RandomSource {
    private let dice: SimulationDice
    private let purpose: SimulationDice.Purpose

    init(_ dice: SimulationDice, _ purpose: SimulationDice.Purpose) {
        self.dice = dice
        self.purpose = purpose
    }

    func next() -> UInt64 { dice.next(purpose) }
}
