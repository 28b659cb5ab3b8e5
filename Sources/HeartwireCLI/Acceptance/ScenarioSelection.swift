/// Which scenarios of a list are meant.
enum ScenarioSelection {
    /// The scenarios named by `ids`, in the order of the list, each once; all when none is named. Ids are compared
    /// without regard to case.
    ///
    /// - Throws: ``UsageError`` for an id that is not in the list; names the nearest.
    static func select(
        _ ids: [String], from list: [AcceptanceScenario]
    ) throws(UsageError) -> [AcceptanceScenario] {
        guard !ids.isEmpty else { return list }
        let wanted = Set(ids.map { $0.lowercased() })
        let known = Set(list.map { $0.id.lowercased() })
        if let stranger = ids.first(where: { !known.contains($0.lowercased()) }) {
            let hint = suggestion(for: stranger, among: list.map(\.id))
            throw UsageError(
                "'--only' names no scenario '\(displaySafe(stranger))'\(hint); "
                    + "'heartwire accept --list' prints them",
                command: "accept")
        }
        return list.filter { wanted.contains($0.id.lowercased()) }
    }

    /// The text of `--list`: a line for each, id and title apart by a tab, which is for programs too.
    static func text(of list: [AcceptanceScenario]) -> String {
        list.map { "\($0.id)\t\($0.title)\n" }.joined()
    }
}
