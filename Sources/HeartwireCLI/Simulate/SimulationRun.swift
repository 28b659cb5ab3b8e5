import HeartwireTesting

/// What a row of seeds came to.
struct SimulationRun {
    /// A seed in whose world a rule did not hold.
    struct Failure {
        let seed: UInt64
        let violations: [SimulationViolation]
        /// The faults without which the rule holds, where it was looked for; `nil` before.
        var needed: [SimulationFault]?
    }

    let options: WorldsOptions
    let first: UInt64
    private(set) var sum = SimulationReport()
    private(set) var failures: [Failure] = []

    init(options: WorldsOptions, first: UInt64) {
        self.options = options
        self.first = first
    }

    func settings(_ seed: UInt64) -> SimulationSettings {
        SimulationSettings(seed: seed, duration: options.duration, faults: options.faults)
    }

    mutating func add(_ report: SimulationReport, seed: UInt64) {
        sum.add(report)
        if !report.violations.isEmpty {
            failures.append(Failure(seed: seed, violations: report.violations))
        }
    }

    /// Switches off one fault after the other and leaves off each without which the seed still fails.
    mutating func narrow(
        seed: UInt64, _ simulate: (SimulationSettings) -> SimulationReport
    ) {
        guard let place = failures.firstIndex(where: { $0.seed == seed }) else { return }
        var settings = settings(seed)
        for fault in settings.faults.possible where !Task.isCancelled {
            let probability = settings.faults[fault]
            settings.faults[fault] = 0
            if simulate(settings).violations.isEmpty { settings.faults[fault] = probability }
        }
        failures[place].needed = settings.faults.possible
    }

    /// The command that lives through a failure again.
    func replay(_ failure: Failure) -> String {
        var words = "heartwire simulate --seed \(failure.seed) --hours \(hours)"
        var faults: [String] = []
        if let needed = failure.needed {
            faults = ["all=0"] + needed.map { "\($0.rawValue)=\(options.faults[$0])" }
        } else {
            faults =
                SimulationFault.allCases
                .filter { options.faults[$0] != $0.standardProbability }
                .map { "\($0.rawValue)=\(options.faults[$0])" }
        }
        if !faults.isEmpty { words += " --faults " + faults.joined(separator: ",") }
        return words + " --verbose"
    }

    /// The line for the standard error.
    var failureLine: String {
        let seeds = failures.prefix(5).map { "\($0.seed)" }.joined(separator: ", ")
        let more = failures.count > 5 ? " and others" : ""
        return "\(failures.count) of \(sum.seeds) seeds failed: \(seeds)\(more)"
    }

    private var hours: Int { Int(options.duration.components.seconds / 3_600) }
}
