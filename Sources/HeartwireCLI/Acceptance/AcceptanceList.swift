/// The acceptance list (promise A2).
enum AcceptanceList {
    /// Every scenario, in the order in which they run.
    static let all: [AcceptanceScenario] =
        PongScenarios.list + EndingScenarios.list + OpeningScenarios.list + StaleScenarios.list
        + ReadingScenarios.list + ReconnectScenarios.list + IntentScenarios.list
}
