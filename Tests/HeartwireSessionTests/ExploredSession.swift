import HeartwireProtocol

@testable import HeartwireSession

/// What may happen next in an ``ExploredSession``.
enum ExplorerStep: Hashable {
    /// Something that the machine is told.
    case tell(SessionEvent)
    /// The app delivers one message more.
    case deliver
    /// The store has the oldest message that it was given, or cannot take it.
    case store(succeeds: Bool)
    /// The transport has room, so the outbox's next message goes out.
    case write
    /// The store answers what it was asked first to read.
    case read(succeeds: Bool)
}

/// A fault that is planted to see whether the explorer finds it.
enum PlantedFault: CaseIterable {
    /// The end of the connection before this one is taken for the end of this one.
    case staleEndPasses
    /// The outbox hears of pongs that the gate has turned away.
    case stalePongConfirms
    /// The outbox takes a ping to have gone out when its pong comes.
    case fenceDrawnLate
}

/// The real session machine and the real outbox, joined as a client joins them, and a ledger of what
/// the network and the store have seen. Every step is judged.
struct ExploredSession {
    private(set) var machine: SessionMachine
    private(set) var outbox: Outbox
    /// What the store was asked to read and has not answered.
    private(set) var reads: [ClosedRange<DeliveryID>] = []
    private(set) var auditor = SessionAuditor()
    private(set) var ledger = DeliveryLedger()
    private(set) var now = MonotonicInstant.origin
    let fault: PlantedFault?

    init(fault: PlantedFault? = nil, window: OutboxWindow? = nil) throws {
        outbox = Outbox(confirmation: .fence, window: window)
        machine = SessionMachine(try Self.configuration(), seed: 1)
        self.fault = fault
    }

    static func configuration() throws -> SessionConfiguration {
        // No jitter: the random numbers then make no difference, so states that differ in them alone are one.
        let policy = ReconnectPolicy(
            backoff: try Backoff(
                base: .milliseconds(50), cap: .milliseconds(400), jitter: .none, attempts: 3),
            stability: .milliseconds(300))
        return SessionConfiguration(
            heartbeat: try pulse(100, 200), reconnect: policy,
            connectTimeout: .milliseconds(500), closeTimeout: .milliseconds(150),
            wakeSpacing: .milliseconds(100), pathSettling: .milliseconds(30))
    }

    /// Takes a step. Gives the invariant that it breaks, `nil` when all hold.
    mutating func take(_ step: ExplorerStep, at instant: MonotonicInstant) -> String? {
        now = max(now, instant)
        let broken: String?
        switch step {
        case .tell(let event): broken = tell(event)
        case .deliver: broken = deliver()
        case .store(let succeeds): broken = store(succeeds: succeeds)
        case .write: broken = write()
        case .read(let succeeds): broken = read(succeeds: succeeds)
        }
        if let range = outbox.takeRead() { reads.append(range) }
        return broken ?? judgeDeadGenerations() ?? ledger.judge(outbox)
    }

    private mutating func tell(_ event: SessionEvent) -> String? {
        let before = machine
        let effects = machine.handle(tampered(event), now: now)
        if let broken = auditor.judge(event, now, from: before, to: machine, effects)
            ?? judgePings(event, effects, from: before)
        {
            return broken
        }
        let hasPassed = machine.staleEvents == before.staleEvents
        if hasPassed || fault == .stalePongConfirms, case .pongReceived(let stamp, let id) = event {
            if fault == .fenceDrawnLate { outbox.pingSent(id) }
            let settled = outbox.pongReceived(id)
            if let broken = ledger.confirmed(settled, by: id, of: stamp) { return broken }
        }
        for effect in effects where machine.permits(effect) {
            if let broken = run(effect) { return broken }
        }
        return nil
    }

    private func tampered(_ event: SessionEvent) -> SessionEvent {
        guard fault == .staleEndPasses, case .transportClosed(let stamp, let cause) = event,
            stamp.next == machine.generation
        else { return event }
        return .transportClosed(machine.generation, cause)
    }

    /// What of an effect the outbox and the network notice.
    private mutating func run(_ effect: SessionEffect) -> String? {
        switch effect {
        case .sendPing(let stamp, let id):
            if fault != .fenceDrawnLate { outbox.pingSent(id) }
            ledger.pingSent(id, on: stamp)
            return nil
        case .publish(.open(let stamp)):
            ledger.opened(stamp)
            return outbox.opened(stamp).isEmpty ? nil : "an end was not told"
        case .connectionEnded(let stamp, _):
            return outbox.ended(stamp).isEmpty ? nil : "an end settled what was promised"
        case .publish, .askForRequest, .openTransport, .closeTransport, .abortTransport:
            return nil
        }
    }

    private mutating func deliver() -> String? {
        guard let admission = try? outbox.add(.text("m"), at: now) else { return "not taken in" }
        ledger.given(admission.id)
        return admission.dropped.isEmpty ? nil : "something was dropped"
    }

    private mutating func store(succeeds: Bool) -> String? {
        guard let id = ledger.answered(succeeds: succeeds) else { return "the store has nothing" }
        succeeds ? outbox.stored(id) : outbox.storeFailed(id)
        return nil
    }

    /// The gate of what is sent, as the client's core has it.
    var canWrite: Bool {
        machine.admitsSend && outbox.generation == machine.generation && outbox.canWrite
    }

    private mutating func write() -> String? {
        guard canWrite, let entry = outbox.takeNext() else { return "nothing can be written" }
        guard auditor.running == outbox.generation else { return "a write on a dead generation" }
        let broken = ledger.wrote(entry, on: outbox.generation)
        return broken ?? (outbox.handedOver(entry.id).isEmpty ? nil : "confirmed when written")
    }

    private mutating func read(succeeds: Bool) -> String? {
        guard !reads.isEmpty else { return "the store was asked for nothing" }
        let range = reads.removeFirst()
        guard succeeds else {
            outbox.readFailed(range)
            return nil
        }
        let entries = ledger.promised.filter(range.contains).sorted()
            .map { OutboxEntry(id: $0, message: .text("m")) }
        return outbox.read(range, entries).isEmpty ? nil : "what is stored was not found"
    }

    /// At most one ping is out (H3), and only its own pong counts (H9).
    private func judgePings(
        _ event: SessionEvent, _ effects: SessionEffects, from before: SessionMachine
    ) -> String? {
        let pings = effects.count { if case .sendPing = $0 { true } else { false } }
        guard pings < 2 else { return "two pings at once" }
        if pings == 1, before.awaitedPing != nil, !machine.isProbing {
            return "a second ping while one is out"
        }
        if case .pongReceived(_, let id) = event, id != before.awaitedPing {
            guard effects.isEmpty, machine.awaitedPing == before.awaitedPing,
                machine.state == before.state
            else { return "a pong that is not awaited changed something" }
        }
        return nil
    }

    /// No action of the connection before this one, or of this one once it is over, may run any more (G2).
    private func judgeDeadGenerations() -> String? {
        let current = machine.generation
        var dead = current > g1 ? [Generation(current.number - 1)] : []
        if machine.phase.isLive {
            if machine.permits(.abortTransport(current)) { return "an abort of what lives" }
        } else {
            dead.append(current)
        }
        for stamp in dead {
            let actions: [SessionEffect] = [
                .askForRequest(stamp, attempt: 0), .openTransport(stamp),
                .sendPing(stamp, machine.lastPing),
                .closeTransport(stamp, code: nil, reason: ""),
            ]
            if actions.contains(where: machine.permits) { return "an action for a dead generation" }
        }
        return nil
    }
}

extension SessionMachine {
    /// The ping whose pong is awaited, by the heartbeat or a fence.
    var awaitedPing: PingID? {
        guard case .open(let open) = phase else { return nil }
        return open.heartbeat?.awaitedPing ?? open.fence
    }

    /// Whether that ping is a probe.
    var isProbing: Bool {
        guard case .open(let open) = phase else { return false }
        return open.heartbeat?.isProbing ?? false
    }
}
