/// What a run of the acceptance list found (promise A2). The reports in JSON, in JUnit's XML and as a
/// table are renderings of this value.
struct AcceptanceReport: Sendable, Hashable {
    /// How one scenario came out.
    enum ScenarioVerdict: String, Sendable, Hashable, CaseIterable {
        /// All that the scenario demands was seen.
        case pass
        /// Something was not; the detail says what.
        case fail
        /// It could not be run here; the detail says why.
        case skip
    }

    /// The verdict on the pair.
    enum Verdict: String, Sendable, Hashable {
        /// No scenario failed and at least one passed.
        case pass
        /// A scenario failed, or none was shown to hold.
        case fail
    }

    /// The one stated end of one connection.
    struct Close: Sendable, Hashable {
        /// The number of the connection's generation.
        var generation: UInt64
        /// Its cause, in one line. May quote the peer.
        var cause: String
    }

    /// What one scenario found.
    struct Scenario: Sendable, Hashable {
        /// The name to select it by.
        var id: String
        /// What it shows, as a sentence.
        var title: String
        /// How it came out.
        var verdict: ScenarioVerdict
        /// How long it took, in whole milliseconds; virtual ones where the list runs in virtual time.
        var elapsedMilliseconds: Int
        /// Every connection that ended, in order.
        var closes: [Close] = []
        /// What was expected and what was seen; empty when there is nothing to say. May quote the peer.
        var detail = ""
    }

    /// The scenarios in the order of the list.
    var scenarios: [Scenario]

    /// The verdict on the pair: skipping everything proves nothing and so is a failure.
    var verdict: Verdict {
        count(of: .fail) == 0 && count(of: .pass) > 0 ? .pass : .fail
    }

    /// How many scenarios came out like this.
    func count(of verdict: ScenarioVerdict) -> Int {
        scenarios.count { $0.verdict == verdict }
    }

    /// The last line of the table, and the line of a failure.
    var summary: String {
        let numbers =
            "\(count(of: .pass)) passed, \(count(of: .fail)) failed, "
            + "\(count(of: .skip)) skipped"
        switch verdict {
        case .pass: return "pass: \(numbers)"
        case .fail: return "fail: \(numbers)"
        }
    }
}
