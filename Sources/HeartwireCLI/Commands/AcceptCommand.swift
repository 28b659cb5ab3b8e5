import HeartwireProtocol
import HeartwireSocket
import HeartwireTesting

/// `heartwire accept`: runs the list, writes the report, and gives the verdict (promise A2).
enum AcceptCommand {
    /// Does what `options` ask for with the scenarios of `list`.
    static func run(
        _ options: AcceptOptions, list: [AcceptanceScenario] = AcceptanceList.all,
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
        if let obstacle = options.transport.obstacle { return .failed(obstacle) }
        var line = ProgressLine(
            writer: diagnostics, isShown: Terminal(descriptor: diagnostics.descriptor).isInteractive
        )
        var place: ScenarioPlace
        do throws(TextFile.Failure) {
            place = try await Self.place(options) { line.show($0) }
        } catch {
            return .failed(error.description)
        }
        let neighbour: NeighbourEndpoint?
        do throws(ListenFailure) {
            neighbour = try NeighbourEndpoint(for: &place)
        } catch {
            return .failed("\(error)")
        }
        defer { neighbour?.stop() }
        let runner = AcceptanceRunner(place: place, limit: place.scenarioLimit)
        let report = await runner.run(selected) { number, scenario in
            line.show("[\(number)/\(selected.count)] \(scenario.id) \(scenario.title)")
        }
        line.erase()
        return write(report, options, to: output)
    }

    /// The place that was asked for; a server elsewhere is asked whether it is an endpoint.
    ///
    /// - Throws: ``TextFile/Failure`` for a file of the options that cannot be read.
    private static func place(
        _ options: AcceptOptions, progress: (String) -> Void
    ) async throws(TextFile.Failure) -> ScenarioPlace {
        var place = ScenarioPlace(options)
        place.tls = try options.tls.configuration()
        guard case .anyServer(let url) = place.server else { return place }
        progress("asking \(url)")
        let patience = max(.seconds(3), options.timeout * 3)
        if await EndpointRecognition.isEndpoint(at: url, tls: place.tls, patience: patience) {
            // Its own query is not part of any scenario.
            place.server = .endpoint(url: ClientWorld.withoutQuery(url))
        }
        return place
    }

    private static func write(
        _ report: AcceptanceReport, _ options: AcceptOptions, to output: DescriptorWriter
    ) -> CommandEnd {
        let isColoured = Terminal(descriptor: output.descriptor).isColoured
        var ends = [printed(report.text(as: options.format, isColoured: isColoured), to: output)]
        if let path = options.output {
            ends.append(ReportFile.write(report.text(as: options.format), to: path))
        }
        if let failure = ends.first(where: { $0 != .done }) { return failure }
        switch report.verdict {
        case .pass: return .done
        case .fail: return .failed("not accepted: \(report.summary)")
        }
    }
}
