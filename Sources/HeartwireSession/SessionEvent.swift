public import HeartwireProtocol

/// What a ``SessionMachine`` is told. What belongs to a connection carries the generation that was
/// current when the connection was made (G1); what the app wants carries none.
public enum SessionEvent: Sendable, Hashable {
    /// The app wants a connection.
    case connectRequested
    /// The app wants none. The code and reason go into our Close frame; they must be lawful to send.
    case disconnectRequested(code: CloseCode?, reason: String)
    /// The app, the life cycle or the network has reason to doubt the connection, or hope for a new one
    /// (L2, L3, R6).
    case probeRequested
    /// The process is about to sleep, or to lose the processor and the network (L1).
    case suspendRequested
    /// It is back: what there is must prove itself (L2).
    case resumeRequested
    /// The network's paths have changed, and this is what they are good for now (L3, R6). About the machine
    /// that the client runs on and no connection of it, so it carries no generation.
    case pathChanged(NetworkPath)
    /// The app wants the pulse taken by other settings from now on, or not at all.
    indirect case heartbeatChanged(Heartbeat<MonotonicInstant>.Configuration?)
    /// Something that was sent waits for a pong behind it (D3). Where no ping is out, one goes out now.
    case fenceRequested
    /// The app's provider gave the request for this attempt.
    case requestProvided(Generation)
    /// The app's provider threw; carries what it said.
    case requestFailed(Generation, String)
    /// The attempt has come as far as this.
    case connectProgressed(Generation, ConnectPhase)
    /// The opening handshake succeeded.
    case transportOpened(Generation)
    /// The pong for this ping arrived.
    case pongReceived(Generation, PingID)
    /// Any frame arrived. Only needed where the heartbeat counts inbound frames (H13).
    case frameReceived(Generation)
    /// The client stopped reading from the network, because its consumer is slow.
    case readingPaused(Generation)
    /// The client reads again.
    case readingResumed(Generation)
    /// The transport is over, for this cause.
    case transportClosed(Generation, CloseCause)
    /// The time of ``SessionMachine/nextDeadline`` has come, as it was when the timer was set.
    case timerFired(Generation)

    /// The connection that this event belongs to, if any.
    public var generation: Generation? {
        switch self {
        case .connectRequested, .disconnectRequested, .probeRequested, .suspendRequested,
            .resumeRequested, .pathChanged, .heartbeatChanged, .fenceRequested:
            nil
        case .requestProvided(let generation), .requestFailed(let generation, _),
            .connectProgressed(let generation, _), .transportOpened(let generation),
            .pongReceived(let generation, _), .frameReceived(let generation),
            .readingPaused(let generation), .readingResumed(let generation),
            .transportClosed(let generation, _), .timerFired(let generation):
            generation
        }
    }

    /// What the gate tells apart.
    var kind: Kind {
        switch self {
        case .connectRequested, .disconnectRequested, .probeRequested, .suspendRequested,
            .resumeRequested, .pathChanged, .heartbeatChanged, .fenceRequested:
            .intent
        case .requestProvided, .requestFailed: .request
        case .connectProgressed, .transportOpened: .opening
        case .pongReceived, .frameReceived, .readingPaused, .readingResumed: .pulse
        case .transportClosed: .end
        case .timerFired: .timer
        }
    }

    /// The classes of what comes to the gate; each phase admits some of them.
    struct Kind: OptionSet, Sendable {
        let rawValue: UInt8

        /// What the app wants; belongs to no connection.
        static let intent = Kind(rawValue: 1 << 0)
        /// The provider's answer.
        static let request = Kind(rawValue: 1 << 1)
        /// A transport on its way to being open.
        static let opening = Kind(rawValue: 1 << 2)
        /// Signs of life and the lack of reading.
        static let pulse = Kind(rawValue: 1 << 3)
        /// A transport's end.
        static let end = Kind(rawValue: 1 << 4)
        /// The driver's one timer.
        static let timer = Kind(rawValue: 1 << 5)
        /// A message for the app.
        static let message = Kind(rawValue: 1 << 6)
    }
}
