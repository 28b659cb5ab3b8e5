/// Runs scenarios one after the other, each bounded in time.
struct AcceptanceRunner: Sendable {
    /// Where they run.
    let place: ScenarioPlace
    /// How long one of them may take, in real time.
    let limit: Duration

    /// Runs `list`. `progress` is told what begins: its place in the list, from 1, and its title.
    ///
    /// When the task is cancelled, the scenario that runs and those that follow are reported as failed: a run that
    /// was cut short is no acceptance.
    func run(
        _ list: [AcceptanceScenario], progress: (Int, AcceptanceScenario) -> Void = { _, _ in }
    ) async -> AcceptanceReport {
        var report = AcceptanceReport(scenarios: [])
        for (index, scenario) in list.enumerated() {
            if let obstacle = place.obstacle(to: scenario.needs) {
                report.scenarios.append(
                    .init(
                        id: scenario.id, title: scenario.title, verdict: .skip,
                        elapsedMilliseconds: 0, detail: obstacle))
                continue
            }
            progress(index + 1, scenario)
            report.scenarios.append(await run(scenario))
        }
        return report
    }

    private func run(_ scenario: AcceptanceScenario) async -> AcceptanceReport.Scenario {
        let clock = ContinuousClock()
        let start = clock.now
        let outcome =
            Task.isCancelled
            ? ScenarioOutcome(verdict: .fail, detail: "stopped before it began")
            : await bounded(scenario)
        let elapsed = outcome.elapsed ?? (clock.now - start)
        return AcceptanceReport.Scenario(
            id: scenario.id, title: scenario.title, verdict: outcome.verdict,
            elapsedMilliseconds: elapsed.milliseconds, closes: outcome.closes,
            detail: outcome.detail)
    }

    /// The outcome, or a failure at the limit or when this task is cancelled. A scenario that ignores its cancellation
    /// is left behind rather than waited for: the run has to end.
    private func bounded(_ scenario: AcceptanceScenario) async -> ScenarioOutcome {
        let (outcomes, sink) = AsyncStream.makeStream(
            of: ScenarioOutcome.self, bufferingPolicy: .bufferingOldest(1))
        let place = place
        let limit = limit
        let work = Task {
            sink.yield(await scenario.run(place))
            sink.finish()
        }
        let watch = Task {
            try await ContinuousClock().sleep(for: limit)
            let words = "not done within \(DurationArgument.text(limit))"
            sink.yield(ScenarioOutcome(verdict: .fail, detail: words))
            sink.finish()
        }
        // A cancelled task's iteration ends with nil.
        let outcome = await outcomes.first { _ in true }
        work.cancel()
        watch.cancel()
        return outcome ?? ScenarioOutcome(verdict: .fail, detail: "stopped before its end")
    }
}
