import HeartwireProtocol

extension SessionMachine {
    /// Where the machine stands, with what only matters there.
    enum Phase: Sendable {
        /// → connecting, suspended, stopped
        case idle
        /// → open, waiting, suspended, stopped
        case connecting(Connecting)
        /// → closing, waiting, suspended, stopped
        case open(Open)
        /// → connecting, suspended, stopped
        case closing(Closing)
        /// → connecting, suspended, stopped
        case waiting(Waiting)
        /// → connecting, waiting, stopped. Only while the session is suspended.
        case suspended(Suspended)
        /// → connecting, suspended
        case stopped(StopCause)
    }

    struct Connecting: Sendable {
        /// When the attempt is over, however far it has come. Not looked at while the session is suspended.
        var deadline: MonotonicInstant
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
        /// When the connection is probed because the network's paths have changed.
        var probesAt: MonotonicInstant?

        /// ``probesAt``, unless another probe is out: its verdict comes first.
        var awaitedProbe: MonotonicInstant? { heartbeat?.isProbing == true ? nil : probesAt }
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
        /// When the wait is cut short because a path was regained.
        var wakesAt: MonotonicInstant?
    }

    /// Without a connection until the session is resumed.
    struct Suspended: Sendable {
        /// The wait that was under way or would have begun; `nil` for a connection that was asked for first.
        let wait: Waiting?
        /// Whether the app has asked for a connection meanwhile, so that no wait goes on afterwards.
        var isWanted: Bool
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
        case .suspended: .intent
        }
    }

    /// When time alone changes something.
    var nextDeadline: MonotonicInstant? {
        switch self {
        case .idle, .suspended, .stopped: return nil
        case .connecting(let connecting): return connecting.deadline
        case .open(let open):
            return Self.earliest(
                Self.earliest(open.heartbeat?.nextDeadline, open.stableAt), open.awaitedProbe)
        case .closing(let closing): return closing.deadline
        case .waiting(let waiting): return Self.earliest(waiting.until, waiting.wakesAt)
        }
    }

    /// Lets `change` see what belongs to an open connection, in its place; `nil` in any other phase. A pattern with `var`
    /// would make a copy that is counted, and give up what it was copied from, for each event.
    @inline(__always) mutating func changeOpen<Answer>(
        _ change: (inout SessionMachine.Open) -> Answer
    ) -> Answer? {
        switch consume self {
        case .open(var open):
            let answer = change(&open)
            self = .open(open)
            return answer
        case let other:
            self = other
            return nil
        }
    }

    /// Whether there is a connection that has begun and not ended.
    var isLive: Bool {
        switch self {
        case .idle, .waiting, .suspended, .stopped: false
        case .connecting, .open, .closing: true
        }
    }

    /// Whether the provider has answered; `nil` where it is not asked.
    var hasRequest: Bool? {
        guard case .connecting(let connecting) = self else { return nil }
        return connecting.hasRequest
    }

    var isClosing: Bool {
        guard case .closing = self else { return false }
        return true
    }

    /// Whether the pong for this ping is waited for, by the heartbeat or by a fence.
    func awaits(_ id: PingID) -> Bool {
        guard case .open(let open) = self else { return false }
        return id == open.heartbeat?.awaitedPing || id == open.fence
    }

    private static func earliest(
        _ one: MonotonicInstant?, _ other: MonotonicInstant?
    ) -> MonotonicInstant? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }
}
