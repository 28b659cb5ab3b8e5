/// One entry of the acceptance list.
struct AcceptanceScenario: Sendable {
    /// What a scenario needs of the place that it runs in.
    struct Needs: OptionSet, Sendable, Hashable {
        let rawValue: Int

        /// An endpoint that does as its URL asks: the one inside, or a `heartwire endpoint`.
        static let endpoint = Needs(rawValue: 1)
        /// An endpoint in this process, because it is told things that no URL can ask for.
        static let inside = Needs(rawValue: 2)
        /// Virtual time: an instant is to be hit exactly.
        static let virtualOnly = Needs(rawValue: 4)
    }

    /// The name to select it by.
    let id: String
    /// What it shows, as a sentence.
    let title: String
    /// Where it can run.
    let needs: Needs
    /// Runs it. Returns soon after its task is cancelled.
    let run: @Sendable (ScenarioPlace) async -> ScenarioOutcome
}

/// What a scenario saw.
struct ScenarioOutcome: Sendable, Hashable {
    /// How it came out.
    var verdict: AcceptanceReport.ScenarioVerdict
    /// Every connection that ended, in order.
    var closes: [AcceptanceReport.Close] = []
    /// What was expected and what was seen, when it did not pass.
    var detail = ""
    /// How long it took in its own clock; `nil` lets the runner's measurement stand.
    var elapsed: Duration?
}
