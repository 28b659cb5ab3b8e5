import HeartwireProtocol
import HeartwireSession

let g1 = Generation(1)
let g2 = Generation(2)
let g3 = Generation(3)

/// The instant `milliseconds` after the origin.
func at(_ milliseconds: Int) -> MonotonicInstant {
    MonotonicInstant.origin.advanced(by: .milliseconds(milliseconds))
}

/// A heartbeat on the session's clock, in milliseconds.
func pulse(
    _ interval: Int = 100, _ timeout: Int = 1000, countsInboundFrames: Bool = false
) throws -> Heartbeat<MonotonicInstant>.Configuration {
    try .init(
        interval: .milliseconds(interval), timeout: .milliseconds(timeout),
        countsInboundFrames: countsInboundFrames)
}

/// A policy without jitter: 1 s, doubled, up to a minute.
func steadyPolicy(attempts: Int? = nil, cap: Duration = .seconds(60)) throws -> ReconnectPolicy {
    ReconnectPolicy(backoff: try Backoff(cap: cap, jitter: .none, attempts: attempts))
}

/// A session machine in a world of its own: virtual time, a scripted server, an app that may act from
/// within its state handler. Effects are run in order, as a client runs them.
final class World {
    var machine: SessionMachine
    private(set) var now = MonotonicInstant.origin
    /// When each transport was opened.
    private(set) var connects: [MonotonicInstant] = []
    /// Every cause of every generation.
    private(set) var ends: [Generation: [CloseCause]] = [:]
    private(set) var states: [SessionState] = []
    private(set) var pings: [PingID] = []
    private(set) var aborts: [Generation] = []

    /// What the server does with a new transport.
    var onTransport: (World, Generation) -> Void = { _, _ in }
    /// What the server does with a ping.
    var onPing: (World, Generation, PingID) -> Void = { world, generation, id in
        world.after(.milliseconds(10), .pongReceived(generation, id))
    }
    /// What the server does with our Close.
    var onClose: (World, Generation) -> Void = { _, _ in }
    /// What the app does when it is told of a state.
    var onState: (World, SessionState) -> Void = { _, _ in }
    /// How the app's provider answers; at once unless changed.
    var onRequest: (World, Generation) -> Void = { world, generation in
        world.tell(.requestProvided(generation))
    }

    private var agenda: [(due: MonotonicInstant, event: SessionEvent)] = []
    private var arrived: [SessionEvent] = []
    private var isHandling = false

    init(_ configuration: SessionConfiguration, seed: UInt64 = 1) {
        machine = SessionMachine(configuration, seed: seed)
    }

    /// Lets an event happen after `delay`.
    func after(_ delay: Duration, _ event: SessionEvent) {
        agenda.append((now.advanced(by: delay), event))
    }

    /// Lets an event happen now; one that comes up within an effect waits for its turn.
    func tell(_ event: SessionEvent) {
        arrived.append(event)
        guard !isHandling else { return }
        isHandling = true
        while !arrived.isEmpty {
            let effects = machine.handle(arrived.removeFirst(), now: now)
            for effect in effects where machine.permits(effect) { run(effect) }
        }
        isHandling = false
    }

    /// Lets time pass until `end`: events first, then the timer, when both are due in one instant.
    func run(until end: MonotonicInstant) {
        // A bound, so that a broken machine fails its test instead of hanging it.
        for _ in 0..<100_000 {
            let next = agenda.indices.min { agenda[$0].due < agenda[$1].due }
            let due = next.map { agenda[$0].due } ?? .distantFuture
            let timer = machine.nextDeadline ?? .distantFuture
            guard min(due, timer) <= end else { break }
            if let next, due <= timer {
                now = max(now, due)
                tell(agenda.remove(at: next).event)
            } else {
                now = max(now, timer)
                tell(.timerFired(machine.generation))
            }
        }
        now = end
    }

    private func run(_ effect: SessionEffect) {
        switch effect {
        case .askForRequest(let generation, _): onRequest(self, generation)
        case .openTransport(let generation):
            connects.append(now)
            onTransport(self, generation)
        case .sendPing(let generation, let id):
            pings.append(id)
            onPing(self, generation, id)
        case .closeTransport(let generation, _, _): onClose(self, generation)
        case .abortTransport(let generation): aborts.append(generation)
        case .publish(let state):
            states.append(state)
            onState(self, state)
        case .connectionEnded(let generation, let cause):
            ends[generation, default: []].append(cause)
        }
    }
}

/// A machine that is open for the first time since `milliseconds`.
func openMachine(
    _ configuration: SessionConfiguration, at milliseconds: Int = 0
) -> SessionMachine {
    var machine = SessionMachine(configuration, seed: 1)
    _ = machine.handle(.connectRequested, now: at(milliseconds))
    _ = machine.handle(.requestProvided(g1), now: at(milliseconds))
    _ = machine.handle(.transportOpened(g1), now: at(milliseconds))
    return machine
}
