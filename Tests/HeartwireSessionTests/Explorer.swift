import HeartwireProtocol

@testable import HeartwireSession

/// Takes an ``ExploredSession`` through every interleaving of the events of any connection and the one before it,
/// with the app's calls, timers, paths, sleep and deliveries in between.
///
/// Breadth first, so that the first sequence that breaks an invariant is as short as any. Every step is
/// judged; a state that was reached before is not followed again.
struct Explorer {
    /// A step and how it was come to.
    private struct Move {
        let parent: Int32
        let step: ExplorerStep
        let instant: MonotonicInstant
    }

    /// The first invariant that was broken, with the shortest sequence that breaks it.
    struct Finding {
        let broken: String
        let moves: [(step: ExplorerStep, instant: MonotonicInstant)]
    }

    /// How many messages are delivered at most.
    static let messages = 2
    /// Longer than everything in the settings, so that all deadlines are overdue and a sleep is suspected.
    static let sleep = Duration.seconds(10)

    /// How many different states were reached.
    private(set) var states = 1
    /// How many steps were taken and judged.
    private(set) var transitions = 0
    /// Every sequence of so many steps was tried.
    private(set) var depth = 0
    /// Whether no state is left that was not followed.
    private(set) var isComplete = false
    private(set) var finding: Finding?
    private var seen: Set<StateFingerprint> = []
    private var moves: [Move] = []

    /// Explores all sequences of up to `depth` steps that follow those of the prelude.
    mutating func explore(
        _ start: ExploredSession, after prelude: [ExplorerStep] = [], depth limit: Int
    ) {
        var start = start
        for step in prelude {
            moves.append(Move(parent: Int32(moves.count - 1), step: step, instant: start.now))
            if let broken = start.take(step, at: start.now) {
                finding = Finding(broken: broken, moves: path(Int32(moves.count - 1)))
                return
            }
        }
        var frontier = [(session: start, move: Int32(moves.count - 1))]
        seen = [StateReader(start, now: start.now).fingerprint]
        while depth < limit, !frontier.isEmpty, finding == nil {
            var next: [(session: ExploredSession, move: Int32)] = []
            for (session, move) in frontier {
                follow(session, move, &next)
                guard finding == nil else { return }
            }
            depth += 1
            frontier = next
        }
        isComplete = frontier.isEmpty
    }

    private mutating func follow(
        _ session: ExploredSession, _ parent: Int32,
        _ next: inout [(session: ExploredSession, move: Int32)]
    ) {
        let here = StateReader(session, now: session.now).fingerprint
        let instants = Self.instants(session)
        for step in Self.steps(session) {
            for instant in instants.prefix(Self.isTimely(step, session) ? 3 : 1) {
                var after = session
                transitions += 1
                if let broken = after.take(step, at: instant) {
                    finding = Finding(
                        broken: broken, moves: path(parent) + [(step, instant)])
                    return
                }
                // Time alone that has passed is no state of its own: the next step may come later as well.
                if instant > session.now,
                    StateReader(after, now: session.now).fingerprint == here
                {
                    continue
                }
                guard seen.insert(StateReader(after, now: after.now).fingerprint).inserted else {
                    continue
                }
                states += 1
                moves.append(Move(parent: parent, step: step, instant: instant))
                next.append((after, Int32(moves.count - 1)))
            }
        }
    }

    private func path(_ last: Int32) -> [(step: ExplorerStep, instant: MonotonicInstant)] {
        var path: [(step: ExplorerStep, instant: MonotonicInstant)] = []
        var place = Int(last)
        while place >= 0 {
            let move = moves[place]
            path.append((move.step, move.instant))
            place = Int(move.parent)
        }
        return path.reversed()
    }

    /// Now, exactly when something is due, and long after. What lies between decides nothing else.
    private static func instants(_ session: ExploredSession) -> [MonotonicInstant] {
        let now = session.now
        let due = session.machine.nextDeadline.map { max($0, now) }
        let late = (due ?? now).advanced(by: sleep)
        return due.map { $0 > now ? [now, $0, late] : [now, late] } ?? [now, late]
    }

    /// Whether it matters when a step is taken.
    private static func isTimely(_ step: ExplorerStep, _ session: ExploredSession) -> Bool {
        switch step {
        case .tell(let event):
            event.generation == nil || event.generation == session.machine.generation
        case .deliver, .store, .write, .read: false
        }
    }

    /// Whatever can happen: the app's intents, all events of this connection and of the one before
    /// it whether they make sense or not, and what delivery does.
    private static func steps(_ session: ExploredSession) -> [ExplorerStep] {
        let machine = session.machine
        var steps: [ExplorerStep] = intents
        let current = machine.generation
        steps += events(of: current, machine.lastPing).map(ExplorerStep.tell)
        if current > g1 {
            let previous = Generation(current.number - 1)
            steps += events(of: previous, machine.lastPing).map(ExplorerStep.tell)
        }
        if session.ledger.count < messages { steps.append(.deliver) }
        if !session.ledger.storing.isEmpty {
            steps += [.store(succeeds: true), .store(succeeds: false)]
        }
        if session.canWrite { steps.append(.write) }
        if !session.reads.isEmpty { steps += [.read(succeeds: true), .read(succeeds: false)] }
        return steps
    }

    static let lost = CloseCause.connectionLost(ConnectionFailure(.reset))
    static let unauthorized = CloseCause.refused(Refusal(status: 401))

    private static let intents: [ExplorerStep] = [
        .tell(.connectRequested), .tell(.disconnectRequested(code: 1000, reason: "")),
        .tell(.probeRequested), .tell(.suspendRequested), .tell(.resumeRequested),
        .tell(.pathChanged(.usable)), .tell(.pathChanged(.unusable)), .tell(.fenceRequested),
        .tell(.heartbeatChanged(nil)),
        .tell(.heartbeatChanged(try? ExploredSession.configuration().heartbeat)),
    ]

    private static func events(of stamp: Generation, _ ping: PingID) -> [SessionEvent] {
        var events: [SessionEvent] = [
            .requestProvided(stamp), .requestFailed(stamp, "no"), .transportOpened(stamp),
            .frameReceived(stamp), .readingPaused(stamp), .readingResumed(stamp),
            .transportClosed(stamp, lost), .transportClosed(stamp, unauthorized),
            .timerFired(stamp),
        ]
        if ping.number > 0 { events.append(.pongReceived(stamp, ping)) }
        if ping.number > 1 { events.append(.pongReceived(stamp, PingID(ping.number - 1))) }
        return events
    }
}
