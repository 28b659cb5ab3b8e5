import HeartwireSession

/// A seeded world in which the real client lives through everything that can go wrong, checked all along.
///
/// Theory of operation. The client's actor, its core, guaranteed delivery, the session's machine, the socket
/// transport, the protocol engine and the endpoint are the real ones; the clock, TCP and the disk are virtual. One
/// thread runs all of it in one order that the seed decides, so a seed gives the same run to the
/// byte: ``SimulationReport/digest`` tells. Storms, in which faults strike, and calms take turns. In a calm the client has
/// to get well again. At the end the world is taken away and nothing of the client may be left.
public struct Simulation {
    /// How long a storm lasts.
    private static let storm = Duration.seconds(60)...Duration.seconds(900)
    /// How long a calm lasts at least.
    private static let leastCalm = Duration.seconds(30)
    /// Within this time of a calm the client must be well.
    private static let patience = Duration.seconds(3_600)
    /// How long the last client may take to end.
    private static let windUp = Duration.seconds(60)

    private let settings: SimulationSettings
    private let parts: SimulationParts

    /// Prepares a simulation.
    public init(_ settings: SimulationSettings) {
        self.init(settings, parts: SimulationParts())
    }

    init(_ settings: SimulationSettings, parts: SimulationParts) {
        self.settings = settings
        self.parts = parts
    }

    /// Runs the world from its beginning to its end, or to the first violation.
    ///
    /// - Parameters:
    ///   - trace: Hears each line of the world's journal: JSON without contents.
    ///   - isStopped: Asked every now and then whether to give up; what was seen until then is reported.
    /// - Returns: what happened.
    public func run(
        trace: ((String) -> Void)? = nil, isStopped: () -> Bool = { false }
    ) -> SimulationReport {
        let world: SimulationWorld
        do {
            world = try SimulationWorld(settings, parts: parts, trace: trace)
            try world.executor.perform { try world.begin() }
        } catch {
            // Nothing in a world's own settings is refused.
            preconditionFailure("a simulated world could not be made: \(error)")
        }
        let end = world.executor.now().advanced(by: settings.duration)
        while world.executor.now() < end, isWell(world), !isStopped() {
            advance(world, by: world.dice.duration(.weather, Self.storm))
            calm(world)
        }
        if isWell(world), !isStopped() { finish(world) }
        return report(of: world)
    }

    private func isWell(_ world: SimulationWorld) -> Bool { world.auditor.violations.isEmpty }

    private func advance(_ world: SimulationWorld, by duration: Duration) {
        let deadline = world.executor.now().advanced(by: duration)
        if !world.executor.runUntil(deadline, { !isWell(world) }) {
            world.executor.run(until: deadline)
        }
    }

    /// While nothing is wrong with the way and the server, the client must get well.
    private func calm(_ world: SimulationWorld) {
        world.dice.isCalm = true
        advance(world, by: Self.leastCalm)
        let deadline = world.executor.now().advanced(by: Self.patience)
        let isOver = world.executor.runUntil(deadline) { world.hasRecovered || !isWell(world) }
        world.executor.perform {
            if !isOver { world.auditor.violated(.liveness, world.standing) }
            world.dice.isCalm = false
        }
    }

    private func finish(_ world: SimulationWorld) {
        world.executor.perform {
            world.dice.isCalm = true
            world.deliveries.finish()
            world.endLife()
        }
        advance(world, by: Self.windUp)
        guard isWell(world) else { return }
        world.executor.perform { world.clear() }
        advance(world, by: Self.windUp)
        world.executor.perform { world.expectNothing() }
    }

    private func report(of world: SimulationWorld) -> SimulationReport {
        world.executor.perform {
            var report = SimulationReport()
            report.seeds = 1
            report.simulated = MonotonicInstant.origin.duration(to: world.executor.now())
            report.clients = world.lives.count
            report.attempts = world.network.attempts
            report.connections = world.lives.reduce(0) { $0 + $1.audit.openings }
            report.stored = world.deliveries.stored
            report.arrived = world.deliveries.arrived
            report.repeated = world.deliveries.repeated
            report.sent = world.sends
            report.pushed = world.server.pushed
            report.lines = world.auditor.lines
            report.faults = world.dice.counts
            report.digest = world.auditor.digest.value
            report.violations = world.auditor.violations
            return report
        }
    }
}
