/// `heartwire accept`: runs the list, writes the reports, and gives the verdict (promise A2).
enum AcceptCommand {
    /// The acceptance list.
    static let list: [AcceptanceScenario] = []

    /// Does what `options` ask for with the scenarios of `list`.
    static func run(
        _ options: AcceptOptions, list: [AcceptanceScenario] = list,
        output: DescriptorWriter = .standardOutput, diagnostics: DescriptorWriter = .standardError
    ) async -> CommandEnd {
        let selected: [AcceptanceScenario]
        do throws(UsageError) {
            selected = try ScenarioSelection.select(options.only, from: list)
        } catch {
            return .misused(error)
        }
        guard !options.isList else {
            return printed(ScenarioSelection.text(of: selected), to: output)
        }
        var line = ProgressLine(
            writer: diagnostics, isShown: Terminal(descriptor: diagnostics.descriptor).isInteractive
        )
        let runner = AcceptanceRunner(
            place: ScenarioPlace(options), limit: options.scenarioTimeout)
        let report = await runner.run(selected) { number, scenario in
            line.show("[\(number)/\(selected.count)] \(scenario.id) \(scenario.title)")
        }
        line.erase()
        return write(report, options, output: output, diagnostics: diagnostics)
    }

    private static func write(
        _ report: AcceptanceReport, _ options: AcceptOptions, output: DescriptorWriter,
        diagnostics: DescriptorWriter
    ) -> CommandEnd {
        let reports = [
            (options.json, report.json), (options.junit, report.junit), (options.html, report.html),
        ]
        let takesOutput = reports.contains { $0.0 == .standardOutput }
        let tableWriter = takesOutput ? diagnostics : output
        let isColoured = Terminal(descriptor: tableWriter.descriptor).isColoured

        var ends = [printed(report.table(isColoured: isColoured), to: tableWriter)]
        for case (let destination?, let text) in reports {
            switch destination {
            case .standardOutput: ends.append(printed(text, to: output))
            case .file(let path): ends.append(ReportFile.write(text, to: path))
            }
        }
        if let failure = ends.first(where: { $0 != .done }) { return failure }
        switch report.verdict {
        case .pass: return .done
        case .fail: return .failed("not accepted: \(report.summary)")
        }
    }
}
