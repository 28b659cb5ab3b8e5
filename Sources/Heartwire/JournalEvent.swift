public import HeartwireSession

/// One entry of a client's journal (promise J1).
///
/// The fields can hold numbers and names from closed lists only: no message, header value, token, query
/// string or close reason has a place to stand in.
public struct JournalEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The app called `connect()`.
        case connectRequested = "connect-requested"
        /// The app called `disconnect()`.
        case disconnectRequested = "disconnect-requested"
        /// The app called `checkConnection()`.
        case checkRequested = "check-requested"
        /// The app called `suspend()`.
        case suspendRequested = "suspend-requested"
        /// The app called `resume()`.
        case resumeRequested = "resume-requested"
        /// The network's paths changed.
        case pathChanged = "path-changed"
        /// The app called `setHeartbeat(_:)`.
        case heartbeatChanged = "heartbeat-changed"
        /// The provider was asked for a request.
        case requestAsked = "request-asked"
        /// The provider answered.
        case requestProvided = "request-provided"
        /// The attempt came to a new phase.
        case progressed
        /// The opening handshake succeeded.
        case opened
        /// A ping went out.
        case pingSent = "ping-sent"
        /// The peer's pong arrived.
        case pongReceived = "pong-received"
        /// The peer's ping arrived and was answered.
        case pingReceived = "ping-received"
        /// Our Close frame went out.
        case closeSent = "close-sent"
        /// The connection was dropped.
        case aborted
        /// The connection is over.
        case closed
        /// The connection broke, as ``JournalEvent/cause`` says, while the close that the app had asked for was under way: no
        /// cause, as the app's wish came first (promise G4).
        case symptom
        /// A report or an answer came for a connection, or at a moment, for which it no longer counts.
        case stale
        /// The session is in a new state.
        case stateChanged = "state-changed"
        /// Reading was suspended because consumers are behind.
        case readingPaused = "reading-paused"
        /// Reading goes on.
        case readingResumed = "reading-resumed"
    }

    /// The names of a session's states.
    public enum State: String, Sendable, Hashable, CaseIterable {
        case idle, connecting, open, closing, waiting, suspended, stopped

        /// The name of `state`.
        public init(_ state: SessionState) {
            self =
                switch state {
                case .idle: .idle
                case .connecting: .connecting
                case .open: .open
                case .closing: .closing
                case .waiting: .waiting
                case .suspended: .suspended
                case .stopped: .stopped
                }
        }
    }

    /// The client's monotonic clock.
    public var time: MonotonicInstant
    /// The connection that it is about.
    public var generation: Generation
    /// What happened.
    public var kind: Kind
    /// The state before; the same as ``newState`` unless the kind is ``Kind/stateChanged``.
    public var oldState: State
    /// The state after.
    public var newState: State
    /// Why a connection ended, or what a ``Kind/symptom`` would have ended it for.
    public var cause: CloseCause.Kind?
    /// The close code, HTTP status or system error that goes with the cause.
    public var number: Int?
    /// How far an attempt to connect has come.
    public var phase: ConnectPhase?

    /// This entry as one line of JSON (RFC 8259) without a line end; absent fields are left out.
    ///
    /// `t_ns` counts from the clock's origin, which is arbitrary: only differences mean anything.
    public var jsonLine: String {
        var line = "{\"t_ns\":\(time.nanoseconds),\"generation\":\(generation.number)"
        line += ",\"kind\":\"\(kind.rawValue)\""
        line += ",\"old_state\":\"\(oldState.rawValue)\",\"new_state\":\"\(newState.rawValue)\""
        if let cause { line += ",\"cause\":\"\(cause.rawValue)\"" }
        if let number { line += ",\"number\":\(number)" }
        if let phase { line += ",\"phase\":\"\(phase.rawValue)\"" }
        return line + "}"
    }
}
