import HeartwireProtocol
import Testing

@testable import HeartwireSession

/// An outbox, a store and a peer that are told what happens at random, and what was seen of it.
private struct OutboxWalk {
    var outbox: Outbox
    var random: SplitMix64
    var now = MonotonicInstant.origin
    var generation = Generation.none
    /// What is promised and not settled.
    var promised: Set<DeliveryID> = []
    var storing: [DeliveryID] = []
    /// What the store keeps, and what it was asked to read.
    var kept: [DeliveryID: Message] = [:]
    var reads: [ClosedRange<DeliveryID>] = []
    var bound: [DeliveryID: Generation] = [:]
    var settled: [DeliveryID: DeliveryOutcome] = [:]
    /// What went out on the open connection, and what of it the peer has read.
    var wire: [DeliveryID] = []
    var pings: [(id: PingID, covers: Int)] = []
    var lastPing = PingID(0)
    /// On which connections each went out.
    var trips: [DeliveryID: [Generation]] = [:]
    var faults: [String] = []

    init(
        seed: UInt64, _ confirmation: Outbox.Confirmation, _ overflow: OutboxBounds.Overflow,
        _ window: OutboxWindow?
    ) {
        var bounds = OutboxBounds()
        bounds.count = 12
        bounds.bytes = 1_000
        bounds.age = .milliseconds(400)
        bounds.overflow = overflow
        outbox = Outbox(bounds, confirmation: confirmation, window: window)
        random = SplitMix64(seed: seed)
    }

    mutating func roll(_ bound: UInt64) -> UInt64 { random.next() % bound }

    mutating func settle(_ deliveries: [SettledDelivery]) {
        for delivery in deliveries {
            if settled[delivery.id] != nil { faults.append("\(delivery.id) settled twice") }
            if !promised.contains(delivery.id) { faults.append("\(delivery.id) was not promised") }
            promised.remove(delivery.id)
            kept[delivery.id] = nil
            settled[delivery.id] = delivery.outcome
            check(delivery)
        }
    }

    /// An outcome must be true of what happened.
    mutating func check(_ delivery: SettledDelivery) {
        switch delivery.outcome {
        case .confirmed:
            if trips[delivery.id] == nil {
                faults.append("\(delivery.id) confirmed, never written")
            }
        case .rejected(.sessionEnded):
            if bound[delivery.id] == nil { faults.append("\(delivery.id) was not bound") }
        case .rejected(.droppedByOverflow):
            if wire.contains(delivery.id) { faults.append("\(delivery.id) dropped on its way") }
        case .expired, .rejected(.unsendable): return
        case .rejected(.unreadable): faults.append("\(delivery.id) was there to be read")
        }
    }

    mutating func add() {
        let isBound = roll(6) == 0
        let message = Message.text(String(repeating: "x", count: Int(roll(120))))
        guard let admission = try? outbox.add(message, isSessionBound: isBound, at: now) else {
            return
        }
        settle(admission.dropped)
        if isBound {
            bound[admission.id] = generation
            promised.insert(admission.id)
        } else {
            storing.append(admission.id)
            kept[admission.id] = message
        }
    }

    mutating func storeAnswers() {
        guard !storing.isEmpty else { return }
        let id = storing.removeFirst()
        if roll(10) == 0 {
            outbox.storeFailed(id)
            kept[id] = nil
        } else {
            promised.insert(id)
            outbox.stored(id)
        }
    }

    mutating func write() {
        guard let entry = outbox.takeNext() else { return }
        if let message = kept[entry.id], message != entry.message {
            faults.append("\(entry.id) went out with other contents")
        }
        if let last = wire.last, last >= entry.id { faults.append("\(entry.id) out of order") }
        if let session = bound[entry.id], session != generation {
            faults.append("\(entry.id) left its session")
        }
        let earlier = trips[entry.id] ?? []
        if earlier.contains(generation) { faults.append("\(entry.id) twice on \(generation)") }
        if entry.isPossibleDuplicate != !earlier.isEmpty { faults.append("\(entry.id) flag") }
        trips[entry.id] = earlier + [generation]
        wire.append(entry.id)
        settle(roll(20) == 0 ? outbox.refuse(entry.id, .closed) : outbox.handedOver(entry.id))
    }

    mutating func ping() {
        lastPing = PingID(lastPing.number + 1)
        pings.append((lastPing, wire.count))
        outbox.pingSent(lastPing)
    }

    mutating func pong() {
        guard !pings.isEmpty else { return }
        let ping = pings.remove(at: Int(roll(UInt64(pings.count))))
        let answer = outbox.pongReceived(ping.id)
        let read = Set(wire.prefix(ping.covers))
        for delivery in answer where !read.contains(delivery.id) {
            faults.append("\(delivery.id) confirmed, not read")
        }
        settle(answer)
    }

    mutating func readAhead() {
        if let range = outbox.takeRead() { reads.append(range) }
    }

    mutating func readAnswers() {
        guard !reads.isEmpty else { return }
        let range = reads.removeFirst()
        if roll(8) == 0 { return outbox.readFailed(range) }
        let entries = kept.keys.filter { range.contains($0) }.sorted().compactMap { id in
            kept[id].map { OutboxEntry(id: id, message: $0) }
        }
        settle(outbox.read(range, entries))
    }

    mutating func end() {
        settle(outbox.ended(generation))
        (wire, pings) = ([], [])
    }

    mutating func step() {
        now = now.advanced(by: .milliseconds(Int64(roll(10))))
        switch roll(14) {
        case 12, 13: readAnswers()
        case 0, 1: add()
        case 2, 3: storeAnswers()
        case 4, 5, 6: write()
        case 7: if outbox.generation != nil { ping() }
        case 8: pong()
        case 9:
            let id = DeliveryID(1 + roll(max(1, outbox.lastID.number)))
            settle(outbox.acknowledged(id))
        case 10: if roll(3) == 0 { toggle() }
        default: settle(outbox.expire(at: now))
        }
        readAhead()
        faults += outbox.faults
        let known = promised.union(storing)
        if Set(outbox.ids) != known { faults.append("lost or left behind") }
    }

    mutating func toggle() {
        guard outbox.generation == nil else { return end() }
        generation = generation.next
        settle(outbox.opened(generation))
    }

    /// Everything that is left gets through when nothing fails any more.
    mutating func drain() {
        while !storing.isEmpty { storeAnswers() }
        end()
        toggle()
        while outbox.canWrite || outbox.awaitsContents {
            readAhead()
            readAnswers()
            write()
        }
        ping()
        let answered = lastPing
        settle(outbox.pongReceived(answered))
        for id in outbox.ids { settle(outbox.acknowledged(id)) }
        if !outbox.isEmpty || !promised.isEmpty { faults.append("not drained") }
    }
}

@Suite("Outbox: random walks")
struct OutboxWalkTests {
    @Test(
        "D2, D5: whatever happens, nothing promised is lost, overtaken, settled twice or on two connections at once",
        arguments: Outbox.Confirmation.allCases, OutboxBounds.Overflow.allCases)
    func walks(_ confirmation: Outbox.Confirmation, _ overflow: OutboxBounds.Overflow) {
        for seed in 0..<20 {
            // Half of them hold all contents, the others so few that most are read back.
            var window: OutboxWindow?
            if seed >= 10 {
                window = OutboxWindow()
                window?.count = 1 + seed % 4
                window?.bytes = 400
            }
            var walk = OutboxWalk(seed: UInt64(seed), confirmation, overflow, window)
            for step in 0..<300 {
                walk.step()
                guard walk.faults.isEmpty else {
                    Issue.record("seed \(seed), step \(step): \(walk.faults)")
                    return
                }
            }
            walk.drain()
            #expect(walk.faults == [], "seed \(seed)")
            #expect(!walk.settled.isEmpty)
        }
    }
}
