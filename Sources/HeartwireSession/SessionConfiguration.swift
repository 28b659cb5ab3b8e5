/// The settings of a client's life over many connections.
public struct SessionConfiguration: Sendable, Hashable {
    /// How the peer's pulse is taken; `nil` takes none. By default a ping every 20 s, 10 s for its pong.
    public var heartbeat: Heartbeat<MonotonicInstant>.Configuration?
    /// Whether and when to connect again; `nil` for never.
    public var reconnect: ReconnectPolicy?
    /// How long an attempt may take, from asking for its request until it is open. 30 s by default; no
    /// progress extends it. Zero or less fails every attempt.
    public var connectTimeout: Duration
    /// How long the peer may take to answer our Close (RFC 6455 §7.1.1) before the connection is
    /// dropped. 5 s by default; zero or less does not wait.
    public var closeTimeout: Duration
    /// The least time between two waits that ``SessionEvent/probeRequested``, a resume or a regained path cuts
    /// short (R6). 30 s by default, so that a network that comes and goes does not defeat the backoff. Zero or
    /// less: every one of them does.
    public var wakeSpacing: Duration
    /// How long after the first change of the network's paths it is acted upon, once for all that came meanwhile
    /// (R6, L3). 500 ms by default: one handover is a dozen changes. Zero or less acts at once.
    public var pathSettling: Duration

    /// States the settings; all have defaults.
    public init(
        heartbeat: Heartbeat<MonotonicInstant>.Configuration? = .standard,
        reconnect: ReconnectPolicy? = ReconnectPolicy(), connectTimeout: Duration = .seconds(30),
        closeTimeout: Duration = .seconds(5), wakeSpacing: Duration = .seconds(30),
        pathSettling: Duration = .milliseconds(500)
    ) {
        self.heartbeat = heartbeat
        self.reconnect = reconnect
        self.connectTimeout = connectTimeout
        self.closeTimeout = closeTimeout
        self.wakeSpacing = wakeSpacing
        self.pathSettling = pathSettling
    }
}
