package import HeartwireProtocol

/// The life of a client over many connections (promises G1–G4, R1–R6, L1–L3, H1–H15 through ``Heartbeat``).
///
/// Theory of operation. The machine is a value that is told events and gives effects; it does no I/O and
/// reads no clock. Its owner holds one timer, set to ``nextDeadline`` after every event, and runs
/// the effects in order, each after ``permits(_:)`` was asked once more.
///
/// The gate, in the first lines of ``handle(_:now:)``, compares an event's generation and kind with the
/// machine's generation and phase. What does not fit is counted and goes nowhere. A generation begins
/// with a connection, or with the wait before one, so that nothing of a connection that ended fits
/// any longer (G3). Its end comes through one function, so it has one cause (G4).
///
///     phase        told                          new phase    effects besides `publish`
///     idle         connect                       connecting   askForRequest
///     idle         disconnect                    stopped      –
///     connecting   requestProvided               connecting   openTransport
///     connecting   transportOpened               open         –
///     connecting   requestFailed                 follow-up    connectionEnded
///     connecting   transportClosed               follow-up    connectionEnded
///     connecting   deadline                      follow-up    abortTransport, connectionEnded
///     connecting   disconnect                    stopped      abortTransport, connectionEnded
///     open         heartbeat: ping due, probe    open         sendPing
///     open         fenceRequested, no ping out   open         sendPing
///     open         heartbeat: no pong            follow-up    abortTransport, connectionEnded
///     open         transportClosed               follow-up    connectionEnded
///     open         disconnect                    closing      closeTransport
///     closing      transportClosed               stopped *    connectionEnded
///     closing      deadline                      stopped *    abortTransport, connectionEnded
///     waiting      deadline, connect, probe      connecting   askForRequest
///     waiting      pathChanged, usable           waiting      –, connecting when the paths have settled
///     waiting      suspend                       suspended    –
///     waiting      disconnect                    stopped      –
///     open         pathChanged                   open         –, sendPing when the paths have settled
///     closing      suspend                       stopped *    abortTransport, connectionEnded
///     suspended    resume                        connecting   askForRequest; waiting, where it must go on
///     suspended    disconnect                    stopped      –
///     open         resume                        open         sendPing
///     stopped      connect                       connecting   askForRequest
///
/// A follow-up is waiting or stopped, as the policy decides; a connection that failed a probe waits for no
/// time (L2). `*`: connecting with askForRequest where connect was told while closing and not taken back
/// by disconnect. A connect while connecting or open joins what is there.
///
/// Suspended is a session from suspend to resume or disconnect, whatever its phase. No time counts then:
/// ``nextDeadline`` is `nil`, the gate turns the timer away, and no ping is sent. A connection that is there
/// goes on, and so does an attempt; wherever the table says waiting or begins an attempt, a suspended
/// session is in the phase suspended instead (L1). SessionMachine+LifeCycle.swift has the rest.
///
/// Deadlines are met at the instant itself, whichever event comes first in it: an opening at the connect
/// deadline is too late, like a pong at its own. When several things are due in one instant, stability
/// is settled first, because the connection has been open for that long; then the heartbeat decides.
public struct SessionMachine: Sendable {
    /// The settings. Only the heartbeat's change during the life of a machine.
    public internal(set) var configuration: SessionConfiguration {
        get { settings.value }
        set { settings.value = newValue }
    }
    private var settings: Shared<SessionConfiguration>
    /// The connection that is current: the last one that was begun, or the one that is waited for.
    public internal(set) var generation: Generation
    /// How many events the gate has turned away, for diagnostics.
    public private(set) var staleEvents: Int
    var phase: Phase {
        didSet { notePhase() }
    }
    /// Since when the session is suspended; `nil` while it is not.
    var suspendedSince: MonotonicInstant? {
        didSet { notePhase() }
    }
    /// When ``SessionEvent/timerFired(_:)`` must be told, with the ``generation`` of now; `nil` for never. Kept beside
    /// the phase: who asks for a stored property is not given a copy of the whole machine.
    public private(set) var nextDeadline: MonotonicInstant?
    /// What the phase admits, kept beside it because each message asks.
    private var admittedKinds: SessionEvent.Kind
    /// Whether a message may be sent now: while open, and neither before nor after.
    public private(set) var admitsSend = false
    var row: Row
    var lastPing: PingID
    /// When ``SessionEvent/probeRequested`` last cut a wait short.
    var lastWake: MonotonicInstant?
    var random: SplitMix64

    /// Makes the machine of a client that has not connected yet; `seed` determines all of its jitter.
    public init(_ configuration: SessionConfiguration = SessionConfiguration(), seed: UInt64) {
        self.init(Shared(configuration), seed: seed)
    }

    /// The same with settings that other clients have too.
    package init(_ settings: Shared<SessionConfiguration>, seed: UInt64) {
        self.settings = settings
        generation = .none
        staleEvents = 0
        phase = .idle
        suspendedSince = nil
        admittedKinds = Phase.idle.admittedKinds
        row = Row()
        lastPing = PingID(0)
        lastWake = nil
        random = SplitMix64(seed: seed)
    }

    /// Where the client stands.
    public var state: SessionState {
        switch phase {
        case .idle: .idle
        case .connecting: .connecting(generation, attempt: row.attempt)
        case .open: .open(generation)
        case .closing: .closing(generation)
        case .waiting(let waiting):
            .waiting(attempt: row.attempt, delay: waiting.delay, cause: waiting.cause)
        case .suspended(let suspended): .suspended(cause: suspended.wait?.cause)
        case .stopped(let cause): .stopped(cause)
        }
    }

    /// Whether the session was suspended and not resumed (L1).
    public var isSuspended: Bool { suspendedSince != nil }

    /// Takes an event at the instant `now` and gives what must be done.
    public mutating func handle(_ event: SessionEvent, now: MonotonicInstant) -> SessionEffects {
        guard admits(event.generation, event.kind) else { return [] }
        settleStability(now)
        switch event {
        case .connectRequested: return connect(now)
        case .disconnectRequested(let code, let reason): return disconnect(code, reason, now)
        case .probeRequested: return probe(now)
        case .suspendRequested: return suspend(now)
        case .resumeRequested: return resume(now)
        case .pathChanged(let path): return takePath(path, now)
        case .heartbeatChanged(let settings): return changeHeartbeat(settings, now)
        case .fenceRequested: return fence(now)
        case .requestProvided: return takeRequest(now)
        case .requestFailed(_, let words): return end(.requestFailed(words), aborts: false, now)
        case .connectProgressed(_, let progress): return note(progress)
        case .transportOpened: return open(now)
        case .pongReceived(let stamp, let id): return takePong(stamp, id, now)
        case .frameReceived(let stamp):
            return beat(now) { heartbeat in
                heartbeat.frameReceived(stamp, at: now)
                return nil
            }
        case .readingPaused: return pauseReading(now)
        case .readingResumed: return resumeReading(now)
        case .transportClosed(_, let cause): return transportClosed(cause, now)
        case .timerFired: return timerFired(now)
        }
    }

    /// Whether a message that came from this connection is for the app: while open, and while closing until
    /// the peer has answered. The same gate as for events, without the cost of one.
    public mutating func admitsMessage(from stamp: Generation) -> Bool {
        admits(stamp, .message)
    }

    /// Whether ``SessionEvent/fenceRequested`` would send a ping now: the connection is open and not suspended, frames
    /// are read and no ping is out.
    public var admitsFence: Bool {
        switch phase {
        case .open(let open):
            !isSuspended && !open.isReadingPaused && open.fence == nil
                && open.heartbeat?.awaitedPing == nil
        case .idle, .connecting, .closing, .waiting, .suspended, .stopped: false
        }
    }

    /// Whether an effect may still run. One that acts on a connection may not once that connection has
    /// moved on; what was, may always be told.
    public func permits(_ effect: SessionEffect) -> Bool {
        switch effect {
        case .publish, .connectionEnded: true
        case .abortTransport(let stamp): stamp < generation || !phase.isLive
        case .askForRequest(let stamp, _): stamp == generation && phase.hasRequest == false
        case .openTransport(let stamp): stamp == generation && phase.hasRequest == true
        case .sendPing(let stamp, let id): stamp == generation && phase.awaits(id)
        case .closeTransport(let stamp, _, _): stamp == generation && phase.isClosing
        }
    }

    private mutating func notePhase() {
        nextDeadline = isSuspended ? nil : phase.nextDeadline
        admittedKinds = phase.admittedKinds
        if isSuspended { admittedKinds.remove(.timer) }
        admitsSend = admittedKinds.contains(.pulse)
    }

    /// The gate: the only place where the generation of an event is compared (G1).
    private mutating func admits(_ stamp: Generation?, _ kind: SessionEvent.Kind) -> Bool {
        if admittedKinds.contains(kind), kind == .intent || stamp == generation {
            return true
        }
        staleEvents &+= 1
        return false
    }
}
