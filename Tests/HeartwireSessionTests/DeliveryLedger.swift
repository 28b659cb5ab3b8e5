import HeartwireProtocol

@testable import HeartwireSession

/// What the store and the network have seen of an outbox's messages, and the first rule that is broken (D2, D3, D5).
struct DeliveryLedger {
    /// A ping, its connection, and how much of the wire was in front of it.
    struct Ping: Hashable {
        let id: PingID
        let generation: Generation
        let covers: [DeliveryID]
    }

    /// What the store has not answered for.
    private(set) var storing: [DeliveryID] = []
    /// What is promised and not settled.
    private(set) var promised: Set<DeliveryID> = []
    /// What was settled.
    private(set) var settled: Set<DeliveryID> = []
    /// What went out on the open connection, in this order.
    private(set) var wire: [DeliveryID] = []
    private(set) var generation = Generation.none
    /// What went out on a connection that is over.
    private(set) var returned: Set<DeliveryID> = []
    /// The newest pings. Older ones are never answered here.
    private(set) var pings: [Ping] = []

    /// How many messages there have been.
    private(set) var count = 0

    mutating func given(_ id: DeliveryID) {
        count += 1
        storing.append(id)
    }

    /// The store answers for the oldest; gives which.
    mutating func answered(succeeds: Bool) -> DeliveryID? {
        guard !storing.isEmpty else { return nil }
        let id = storing.removeFirst()
        if succeeds { promised.insert(id) }
        return id
    }

    mutating func opened(_ stamp: Generation) {
        returned.formUnion(wire)
        wire = []
        generation = stamp
    }

    mutating func wrote(_ entry: OutboxEntry, on stamp: Generation?) -> String? {
        let id = entry.id
        guard stamp == generation else { return "written on another connection" }
        guard promised.contains(id) else { return "written, and not promised" }
        guard !wire.contains(id) else { return "written twice on one connection" }
        guard wire.allSatisfy({ $0 < id }) else { return "overtaken on the wire" }
        guard promised.allSatisfy({ $0 >= id || wire.contains($0) }) else {
            return "an older message was left behind"
        }
        guard storing.allSatisfy({ $0 > id }) else { return "ahead of one that is being stored" }
        guard entry.isPossibleDuplicate == returned.contains(id) else {
            return "not marked as what it is: first or again"
        }
        wire.append(id)
        return nil
    }

    mutating func pingSent(_ id: PingID, on stamp: Generation) {
        pings = pings.suffix(1) + [Ping(id: id, generation: stamp, covers: wire)]
    }

    /// Nothing is confirmed that was not fenced: written before this ping, on its connection.
    mutating func confirmed(
        _ deliveries: [SettledDelivery], by ping: PingID, of stamp: Generation
    ) -> String? {
        let covers = pings.first { $0.id == ping && $0.generation == stamp }?.covers ?? []
        for delivery in deliveries {
            guard delivery.outcome == .confirmed else { return "settled, and not confirmed" }
            guard covers.contains(delivery.id) else { return "confirmed what was not fenced" }
            guard promised.remove(delivery.id) != nil else { return "settled twice" }
            settled.insert(delivery.id)
        }
        return nil
    }

    /// Nothing that is promised is lost, nothing else is left, and each is on one connection at most.
    func judge(_ outbox: Outbox) -> String? {
        var count = 0
        for slot in outbox.slots {
            guard let entry = slot.entry else { continue }
            count += 1
            guard promised.contains(slot.id) || storing.contains(slot.id) else {
                return "something is left that was not promised"
            }
            if entry.state == .written {
                guard outbox.generation == generation, wire.contains(slot.id) else {
                    return "owned by a connection that is not open"
                }
            }
        }
        guard count == promised.count + storing.count else { return "something promised is lost" }
        return outbox.faults.first
    }
}
