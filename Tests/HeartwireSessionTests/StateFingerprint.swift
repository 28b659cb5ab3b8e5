import HeartwireProtocol

@testable import HeartwireSession

/// 128 bits that stand for a state of an ``ExploredSession``, so that the explorer follows each state once.
///
/// Every field goes in that what follows can depend on. Instants count from now, generations and pings from the
/// present ones: two states that differ only in when and how often things have happened before are one.
struct StateFingerprint: Hashable {
    private var high: UInt64 = 0x243F_6A88_85A3_08D3
    private var low: UInt64 = 0x1319_8A2E_0370_7344

    mutating func mix(_ value: UInt64) {
        high = (high ^ value) &* 0x9E37_79B9_7F4A_7C15
        high ^= high &>> 32
        low = (low &+ value) &* 0xBF58_476D_1CE4_E5B9
        low ^= low &>> 29
    }

    mutating func mix(_ value: Int) { mix(UInt64(bitPattern: Int64(value))) }

    mutating func mix(_ value: Bool) { mix(value ? 1 : 0 as UInt64) }

}

/// Mixes in what counts from the present of one machine.
struct StateReader {
    private(set) var fingerprint = StateFingerprint()
    private let now: MonotonicInstant
    private let generation: Generation
    private let lastPing: PingID

    /// `now` may be earlier than the session's, to see whether more than the time has changed.
    init(_ session: ExploredSession, now: MonotonicInstant) {
        let machine = session.machine
        self.now = now
        generation = machine.generation
        lastPing = machine.lastPing
        // The first generations and pings have no predecessor whose events could come.
        fingerprint.mix(min(generation.number, 2))
        fingerprint.mix(min(lastPing.number, 2))
        mix(machine)
        mix(session.auditor)
        mix(session.outbox)
        for range in session.reads { mix(range) }
        mix(session.ledger)
    }

    private mutating func mix(_ instant: MonotonicInstant?) {
        guard let instant else { return fingerprint.mix(UInt64.max) }
        fingerprint.mix(UInt64(bitPattern: instant.nanoseconds &- now.nanoseconds))
    }

    private mutating func mix(_ stamp: Generation?) {
        guard let stamp else { return fingerprint.mix(UInt64.max) }
        fingerprint.mix(generation.number &- stamp.number)
    }

    private mutating func mix(_ id: PingID?) {
        guard let id else { return fingerprint.mix(UInt64.max) }
        fingerprint.mix(lastPing.number &- id.number)
    }

    private mutating func mix(_ ids: some Sequence<DeliveryID>) {
        for id in ids { fingerprint.mix(id.number) }
        fingerprint.mix(UInt64.max)
    }

    private mutating func mix(_ machine: SessionMachine) {
        fingerprint.mix(machine.configuration.heartbeat != nil)
        mix(machine.suspendedSince)
        fingerprint.mix(machine.row.attempt)
        fingerprint.mix(machine.row.hasRefreshed)
        // What lies farther back than the spacing no longer keeps anything from being cut short.
        mix(max(machine.wakeDeadline(now), now))
        switch machine.phase {
        case .idle: fingerprint.mix(0)
        case .connecting(let connecting):
            fingerprint.mix(1)
            mix(connecting.deadline)
            fingerprint.mix(connecting.hasRequest)
            fingerprint.mix(connecting.progress == .request)
        case .open(let open):
            fingerprint.mix(2)
            mix(open.stableAt)
            mix(open.fence)
            fingerprint.mix(open.isReadingPaused)
            mix(open.probesAt)
            fingerprint.mix(open.heartbeat != nil)
            if let heartbeat = open.heartbeat { mix(heartbeat) }
        case .closing(let closing):
            fingerprint.mix(3)
            mix(closing.deadline)
            fingerprint.mix(closing.reconnects)
        case .waiting(let waiting):
            fingerprint.mix(4)
            mix(waiting)
        case .suspended(let suspended):
            fingerprint.mix(5)
            fingerprint.mix(suspended.isWanted)
            fingerprint.mix(suspended.wait != nil)
            if let wait = suspended.wait { mix(wait) }
        case .stopped: fingerprint.mix(6)
        }
    }

    /// What a wait is for and how long it is in all is only told, so it makes no difference.
    private mutating func mix(_ waiting: SessionMachine.Waiting) {
        mix(waiting.until)
        fingerprint.mix(waiting.isImposed)
        mix(waiting.wakesAt)
    }

    /// The heartbeat's state is its own; all of it can be told from outside.
    private mutating func mix(_ heartbeat: Heartbeat<MonotonicInstant>) {
        mix(heartbeat.generation)
        mix(heartbeat.lastPing)
        mix(heartbeat.awaitedPing)
        mix(heartbeat.nextDeadline)
        fingerprint.mix(heartbeat.isProbing)
        switch heartbeat.phase {
        case .idle: fingerprint.mix(0)
        case .connecting: fingerprint.mix(1)
        case .open: fingerprint.mix(2)
        case .closed: fingerprint.mix(3)
        }
        guard heartbeat.phase == .open, heartbeat.nextDeadline == nil else { return }
        var paused = heartbeat
        _ = paused.readingResumed(
            heartbeat.generation, at: MonotonicInstant(nanoseconds: .min))
        fingerprint.mix(paused.isProbing)
        if !paused.isProbing { mix(paused.nextDeadline) }
    }

    private mutating func mix(_ auditor: SessionAuditor) {
        mix(auditor.lastBegun)
        mix(auditor.running)
        mix(auditor.lastPing)
    }

    private mutating func mix(_ outbox: Outbox) {
        mix(outbox.generation)
        fingerprint.mix(outbox.lastID.number)
        fingerprint.mix(outbox.lastWritten.number)
        fingerprint.mix(outbox.head)
        fingerprint.mix(outbox.cursor)
        mix(outbox.fence?.ping)
        fingerprint.mix(outbox.fence?.covers.number ?? .max)
        fingerprint.mix(outbox.firstAbsent?.number ?? .max)
        if let reading = outbox.reading { mix(reading) }
        for slot in outbox.slots {
            fingerprint.mix(slot.id.number)
            guard let entry = slot.entry else { continue }
            fingerprint.mix(entry.isPossibleDuplicate)
            if case .absent = entry.contents { fingerprint.mix(7) }
            switch entry.state {
            case .storing: fingerprint.mix(0)
            case .queued: fingerprint.mix(1)
            case .written: fingerprint.mix(2)
            }
        }
        fingerprint.mix(UInt64.max)
    }

    private mutating func mix(_ range: ClosedRange<DeliveryID>) {
        fingerprint.mix(range.lowerBound.number)
        fingerprint.mix(range.upperBound.number)
    }

    private mutating func mix(_ ledger: DeliveryLedger) {
        fingerprint.mix(ledger.count)
        mix(ledger.storing)
        mix(ledger.promised.sorted())
        mix(ledger.settled.sorted())
        mix(ledger.returned.sorted())
        mix(ledger.wire)
        mix(ledger.generation)
        for ping in ledger.pings {
            mix(ping.id)
            mix(ping.generation)
            mix(ping.covers)
        }
    }
}
