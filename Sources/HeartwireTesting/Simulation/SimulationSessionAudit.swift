import Heartwire
import HeartwireSession

/// Follows the session of one client by its journal, and knows better than the client which connection is current:
/// the one that was begun last and has not ended.
final class SimulationSessionAudit {
    /// Which client this is.
    let life: Int
    /// Where the session stands by its journal.
    private(set) var state = JournalEvent.State.idle
    /// The connection that has begun and not ended.
    private(set) var current: Generation?
    /// How many connections were begun, and how many opened.
    private(set) var attempts = 0
    private(set) var openings = 0
    private let auditor: SimulationAuditor
    private var lastGeneration = Generation.none
    private var hasOpened = false
    private var awaited: PingID?
    /// Whether a ping of the current connection is out, as far as its transport has told.
    var isPingOut: Bool { awaited != nil }
    /// Whether something has happened since the last ping that allows another to take its place.
    private var mayReplacePing = false
    /// Until then a probe may take the place of a ping, because the paths have changed.
    private var probesUntil: MonotonicInstant?
    /// How long after a change of the paths its probe goes out at the latest: they settle, and an older probe has its verdict.
    private let probeTime: Duration
    /// The states that the app has not seen yet.
    private var unseen: [JournalEvent.State] = [.idle]
    private var hasLooked = false
    private var told: Told?
    /// The connections on which a ping took the place of one that was out, and how often.
    private(set) var replacedPings: [Generation: Int] = [:]

    /// What is being reported to the client at this moment.
    private enum Told {
        /// By a connection that is over.
        case stale(Generation)
        /// For the second time.
        case again(Generation)
    }

    private var isProbeDue: Bool { probesUntil.map { auditor.now <= $0 } ?? false }

    init(_ auditor: SimulationAuditor, life: Int, probeTime: Duration = .zero) {
        self.auditor = auditor
        self.probeTime = probeTime
        self.life = life
    }

    // MARK: The journal

    func heard(_ event: JournalEvent) {
        auditor.note("{\"life\":\(life)," + event.jsonLine.dropFirst())
        switch told {
        case nil: break
        case .stale(let generation):
            if event.kind != .stale {
                auditor.violated(.staleReport, "a report of \(generation) became \(event.kind)")
            }
        case .again(let generation):
            if event.kind == .stateChanged || event.kind == .closed {
                auditor.violated(
                    .staleReport, "a second report of \(generation) became \(event.kind)")
            }
        }
        switch event.kind {
        case .requestAsked: begun(event.generation)
        case .closed: ended(event)
        case .opened:
            openings += 1
            if hasOpened { auditor.violated(.oneCause, "\(event.generation) opened twice") }
            hasOpened = true
        case .stateChanged: changed(event)
        case .pathChanged:
            probesUntil = event.time.advanced(by: probeTime)
        case .checkRequested, .heartbeatChanged, .readingPaused, .readingResumed,
            .suspendRequested, .resumeRequested:
            mayReplacePing = true
        case .connectRequested, .disconnectRequested, .requestProvided, .progressed, .pingSent,
            .pongReceived, .pingReceived, .closeSent, .aborted, .symptom, .stale:
            return
        }
    }

    private func begun(_ generation: Generation) {
        attempts += 1
        if let current {
            auditor.violated(.oneCause, "\(generation) begins while \(current) has no cause")
        }
        if generation <= lastGeneration {
            auditor.violated(.increasingGenerations, "\(generation) follows \(lastGeneration)")
        }
        lastGeneration = max(lastGeneration, generation)
        current = generation
        hasOpened = false
        awaited = nil
    }

    private func ended(_ event: JournalEvent) {
        if event.generation != current || event.cause == nil {
            auditor.violated(.oneCause, "\(event.generation) ends, it is not current or has none")
        }
        current = nil
        awaited = nil
    }

    private func changed(_ event: JournalEvent) {
        if event.oldState != state || !state.successors.contains(event.newState) {
            auditor.violated(
                .lawfulStates, "\(state) became \(event.newState), told from \(event.oldState)")
        }
        state = event.newState
        unseen.append(state)
    }

    /// The app has seen a state: the one in which it began to look, and then each one, in order.
    func seen(_ seen: JournalEvent.State) {
        if !hasLooked {
            hasLooked = true
            unseen.removeFirst(unseen.firstIndex(of: seen) ?? 0)
        }
        guard let next = unseen.first else {
            return auditor.violated(.lawfulStates, "the app saw \(seen) and nothing was new")
        }
        unseen.removeFirst()
        if next != seen {
            auditor.violated(.lawfulStates, "the app saw \(seen), it was \(next)")
        }
    }

    // MARK: The transport

    /// Reports something to the client and watches what it makes of it.
    func tell(_ generation: Generation, isAgain: Bool, _ report: () -> Void) {
        told = generation != current ? .stale(generation) : isAgain ? .again(generation) : nil
        report()
        told = nil
    }

    func pinged(_ generation: Generation, _ id: PingID) {
        if generation != current {
            auditor.violated(.onePing, "\(id) goes out on \(generation), which is over")
        }
        if let awaited {
            replacedPings[generation, default: 0] += 1
            if !mayReplacePing, !isProbeDue {
                auditor.violated(
                    .onePing, "\(id) goes out on \(generation) while \(awaited) is out")
            }
        }
        awaited = id
        mayReplacePing = false
    }

    func ponged(_ generation: Generation, _ id: PingID) {
        if generation == current, id == awaited { awaited = nil }
    }

    func connecting() {
        if state != .connecting {
            auditor.violated(.nothingAfterStop, "a line is opened while the session is \(state)")
        }
    }

    /// The session has come to its end.
    func finish() {
        if let current { auditor.violated(.oneCause, "\(current) never ended") }
    }
}

extension JournalEvent.State {
    /// The states that may follow this one (`SessionState`).
    fileprivate var successors: [JournalEvent.State] {
        switch self {
        case .idle: [.connecting, .suspended, .stopped]
        case .connecting: [.open, .waiting, .suspended, .stopped]
        case .open: [.closing, .waiting, .suspended, .stopped]
        case .closing: [.stopped, .suspended, .connecting]
        case .waiting: [.connecting, .suspended, .stopped]
        case .suspended: [.connecting, .waiting, .stopped]
        case .stopped: [.connecting, .suspended]
        }
    }
}
