extension AcceptanceReport {
    /// The report for people: a row for each scenario, aligned by what a terminal shows, with the detail of what
    /// did not pass below its row, and the verdict last. Ends with LF.
    func table(isColoured: Bool) -> String {
        let rows = scenarios.map { scenario in
            [
                scenario.verdict.rawValue, displaySafe(scenario.id), displaySafe(scenario.title),
                "\(scenario.elapsedMilliseconds) ms",
                scenario.closes.map { displaySafe("g\($0.generation) \($0.cause)") }
                    .joined(separator: "; "),
            ]
        }
        let head = ["", "scenario", "", "time", "closes"]
        let widths = head.indices.map { column in
            ([head] + rows).map { displayWidth($0[column]) }.max() ?? 0
        }
        var lines = [line(head, widths: widths)]
        for (scenario, row) in zip(scenarios, rows) {
            let text = line(row, widths: widths)
            lines.append(isColoured ? coloured(text, by: scenario.verdict) : text)
            if scenario.verdict != .pass, !scenario.detail.isEmpty {
                lines.append("      \(displaySafe(scenario.detail))")
            }
        }
        lines += ["", isColoured ? colouredSummary : summary]
        return lines.joined(separator: "\n") + "\n"
    }

    private func line(_ cells: [String], widths: [Int]) -> String {
        var text = ""
        for (column, (cell, width)) in zip(cells, widths).enumerated() {
            let gap = String(repeating: " ", count: width - displayWidth(cell))
            // Times are numbers: they end in the same column.
            text += (column == 3 ? gap + cell : cell + gap) + "  "
        }
        while text.last == " " { text.removeLast() }
        return text
    }

    /// The verdict in its colour; the rest of the row stays as it is.
    private func coloured(_ row: String, by verdict: ScenarioVerdict) -> String {
        let word = verdict.rawValue
        return paint(word, with: colour(of: verdict)) + row.dropFirst(word.count)
    }

    private var colouredSummary: String {
        let word = verdict.rawValue
        return paint(word, with: colour(of: verdict == .pass ? .pass : .fail))
            + summary.dropFirst(word.count)
    }

    private func colour(of verdict: ScenarioVerdict) -> Int {
        switch verdict {
        case .pass: 32
        case .fail: 31
        case .skip: 33
        }
    }

    private func paint(_ word: String, with colour: Int) -> String {
        "\u{1B}[\(colour)m\(word)\u{1B}[0m"
    }
}
