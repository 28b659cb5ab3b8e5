import HeartwireSession
import HeartwireSocket
import HeartwireTesting

extension AcceptanceScenario {
    /// A scenario that runs as a script in a world of its own. Whatever the script demands, the rules that hold for
    /// every client are demanded as well: one close and one cause for each connection, nothing left at the end.
    init(
        _ id: String, _ title: String, needs: Needs = [],
        script: @escaping @Sendable (ScenarioRun) async throws -> Void
    ) {
        self.init(id: id, title: title, needs: needs) { place in
            await Self.perform(script, in: place)
        }
    }

    private static func perform(
        _ script: @escaping @Sendable (ScenarioRun) async throws -> Void, in place: ScenarioPlace
    ) async -> ScenarioOutcome {
        do {
            let world = try ClientWorld(
                place.worldPlace, behaviour: place.sabotage.behaviour,
                transport: place.transport.makeFactory(), wrap: place.sabotage.wrap)
            return try await world.run { world in
                await outcome(of: script, ScenarioRun(world: world, place: place))
            }
        } catch let failure as ListenFailure {
            return ScenarioOutcome(verdict: .fail, detail: "\(failure)")
        } catch {
            return ScenarioOutcome(verdict: .fail, detail: "the script stalled: \(error)")
        }
    }

    /// Runs the script, winds the world up, and judges both.
    private static func outcome(
        of script: @Sendable (ScenarioRun) async throws -> Void, _ run: ScenarioRun
    ) async -> ScenarioOutcome {
        var faults: [String] = []
        var obstacle: String?
        do {
            try await script(run)
        } catch let found as ScenarioObstacle {
            obstacle = found.words
        } catch {
            faults.append("\(error)")
        }
        let elapsed = run.world.elapsed
        let leftovers = await run.world.windUp()
        faults += run.world.clients.flatMap(\.faults)
        if let leftovers { faults.append(leftovers) }
        let closes = run.world.clients.flatMap(\.log.closes).map {
            AcceptanceReport.Close(generation: $0.generation.number, cause: $0.text)
        }
        let held = obstacle == nil ? AcceptanceReport.ScenarioVerdict.pass : .skip
        return ScenarioOutcome(
            verdict: faults.isEmpty ? held : .fail, closes: closes,
            detail: (faults.isEmpty ? obstacle : nil) ?? faults.joined(separator: "; "),
            elapsed: elapsed)
    }
}
