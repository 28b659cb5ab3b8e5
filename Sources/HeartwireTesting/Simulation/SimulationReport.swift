/// What happened in one simulated world or, added up, in several.
public struct SimulationReport: Sendable, Hashable {
    /// How many worlds.
    public var seeds = 0
    /// How much virtual time passed.
    public var simulated = Duration.zero
    /// Clients, one after the other over the same store.
    public var clients = 0
    /// Connections that were asked for.
    public var attempts = 0
    /// Connections that opened.
    public var connections = 0
    /// Guaranteed messages that the store has reported stored.
    public var stored = 0
    /// How often a guaranteed message came to the server.
    public var arrived = 0
    /// How many of those had come before.
    public var repeated = 0
    /// Messages that were sent without a guarantee.
    public var sent = 0
    /// Messages of the server.
    public var pushed = 0
    /// Lines of the journals.
    public var lines = 0
    /// How often each fault happened.
    public var faults: [SimulationFault: Int] = [:]
    /// Stands for every byte and every line of the journals; of several worlds, for all of them in order.
    public var digest: UInt64 = 0
    /// What did not hold.
    public var violations: [SimulationViolation] = []

    /// Nothing has happened.
    public init() {}

    /// All faults together.
    public var faultCount: Int { faults.values.reduce(0, +) }

    /// Adds what happened in another world, behind this one.
    public mutating func add(_ other: SimulationReport) {
        seeds += other.seeds
        simulated += other.simulated
        clients += other.clients
        attempts += other.attempts
        connections += other.connections
        stored += other.stored
        arrived += other.arrived
        repeated += other.repeated
        sent += other.sent
        pushed += other.pushed
        lines += other.lines
        faults.merge(other.faults, uniquingKeysWith: +)
        var sum = SimulationDigest()
        sum.add(digest)
        sum.add(other.digest)
        digest = sum.value
        violations += other.violations
    }
}
