import HeartwireProtocol

extension SessionMachine {
    /// Where the machine stands, with what only matters there.
    enum Phase: Sendable {
        /// → connecting, stopped
        case idle
        /// → open, waiting, stopped
        case connecting(Connecting)
        /// → closing, waiting, stopped
        case open(Open)
        /// → connecting, stopped
        case closing(Closing)
        /// → connecting, stopped
        case waiting(Waiting)
        /// → connecting
        case stopped(StopCause)
    }

    struct Connecting: Sendable {
        /// When the attempt is over, however far it has come.
        let deadline: MonotonicInstant
        /// How far it has come.
        var progress: ConnectPhase
        /// Whether the provider has answered, so that there is a transport.
        var hasRequest: Bool
    }

    struct Open: Sendable {
        /// When the connection counts as stable; `nil` once it does, or when nothing depends on it.
        var stableAt: MonotonicInstant?
        /// The pulse of this connection; `nil` when none is taken.
        var heartbeat: Heartbeat<MonotonicInstant>?
        /// The ping that a fence waits for where no pulse is taken; ``Heartbeat`` knows its own.
        var fence: PingID?
        /// Whether the client has stopped reading from the network.
        var isReadingPaused: Bool
    }

    struct Closing: Sendable {
        /// The code of our Close frame.
        let sent: CloseCode?
        /// When the transport is dropped.
        let deadline: MonotonicInstant
        /// Whether the app has asked for a new connection meanwhile.
        var reconnects: Bool
    }

    struct Waiting: Sendable {
        /// When the next attempt begins.
        let until: MonotonicInstant
        /// How long the wait is in all.
        let delay: Duration
        /// Why the last connection ended.
        let cause: CloseCause
        /// Whether the server asked for this wait, so that only the app itself may cut it short.
        let isImposed: Bool
    }

    /// The attempts to reconnect since the last stable connection.
    struct Row: Sendable, Hashable {
        /// How many were begun or are waited for.
        var attempt = 0
        /// Whether credentials were refreshed already.
        var hasRefreshed = false
    }
}

extension SessionMachine.Phase {
    /// What the gate lets through in this phase when the generation is right.
    var admittedKinds: SessionEvent.Kind {
        switch self {
        case .idle, .stopped: .intent
        case .connecting(let connecting):
            connecting.hasRequest
                ? [.intent, .opening, .end, .timer] : [.intent, .request, .timer]
        case .open: [.intent, .pulse, .end, .timer, .message]
        case .closing: [.intent, .end, .timer, .message]
        case .waiting: [.intent, .timer]
        }
    }

    /// When time alone changes something.
    var nextDeadline: MonotonicInstant? {
        switch self {
        case .idle, .stopped: return nil
        case .connecting(let connecting): return connecting.deadline
        case .open(let open):
            guard let due = open.heartbeat?.nextDeadline else { return open.stableAt }
            return open.stableAt.map { min($0, due) } ?? due
        case .closing(let closing): return closing.deadline
        case .waiting(let waiting): return waiting.until
        }
    }

    /// Whether there is a connection that has begun and not ended.
    var isLive: Bool {
        switch self {
        case .idle, .waiting, .stopped: false
        case .connecting, .open, .closing: true
        }
    }
}
