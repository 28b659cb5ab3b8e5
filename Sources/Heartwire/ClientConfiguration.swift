public import HeartwireProtocol
public import HeartwireSession

/// How a ``WebSocketClient`` behaves. Every setting has a default that is safe to leave alone.
public struct ClientConfiguration: Sendable {
    /// When to ask the peer for a sign of life, and how long to wait for it. `nil` switches the heartbeat off.
    /// Default: every 20 s, 10 s to answer.
    public var heartbeat: HeartbeatSettings? = .every(.seconds(20), timeout: .seconds(10))

    /// When and how often to connect again. `nil` never does. Default: `ReconnectPolicy`'s own
    /// (1 s doubled each time, plus up to 30 %, ten attempts).
    public var reconnect: ReconnectPolicy? = ReconnectPolicy()

    /// The time that one attempt has until it is open, from asking for the request to the end of the
    /// opening handshake, however slowly bytes trickle in. Default: 30 s.
    public var connectTimeout: Duration = .seconds(30)

    /// The time that the peer has to answer our Close frame. Default: 5 s.
    public var closeTimeout: Duration = .seconds(5)

    /// What tells of changes of the network's paths. A change has an open connection probed, and a path that
    /// is regained cuts a back-off wait short (promises L3, R6). Default: the system's.
    public var pathMonitor = PathMonitoring.system

    /// How long after the first change of the paths it is acted upon, once for all that came meanwhile: a handover
    /// is a dozen changes. Default: 500 ms; zero or less acts at once.
    public var pathSettling: Duration = .milliseconds(500)

    /// The least time between two back-off waits that are cut short by a regained path, by ``WebSocketClient/resume()``
    /// or by ``WebSocketClient/checkConnection()`` (promise R6). Default: 30 s; zero or less: each of them does.
    public var wakeSpacing: Duration = .seconds(30)

    /// Header fields of the app's own, sent with every attempt unless ``request`` is set.
    public var headers: HeaderFields = [:]

    /// The subprotocols that the client speaks, in order of preference (RFC 6455 §1.9).
    public var subprotocols: [String] = []

    /// Whether and how messages are compressed, if the server can (RFC 7692); a request of ``request`` may say so for
    /// itself. Default: offered as browsers do, for messages of 1,024 bytes and more; ``DeflateOptions`` says what it costs.
    public var compression = Compression.deflate()

    /// How a `wss:` server is checked, and what the client shows of itself (promise P3). A request of
    /// ``request`` that says nothing of its own gets this too. Default: what the system trusts.
    public var tls = TLSConfiguration()

    /// The proxy to go through (promise P6); a request of ``request`` that says nothing of its own goes through it,
    /// too. Default: none. `try .environment()` takes what the environment's variables say.
    public var proxy = ProxyConfiguration.direct

    /// Whether the redirects of servers are followed; a request of ``request`` may say so for itself. Default: they are not.
    public var redirects = RedirectPolicy.refuse

    /// The limits of the protocol engine (promise P4); a request of ``request`` may have its own.
    public var limits = Limits()

    /// The bytes of received messages that may wait for consumers. Beyond it the socket is not read from,
    /// so the server is slowed down and nothing is dropped; the heartbeat passes no verdict meanwhile.
    /// Default: 4 MiB.
    public var receiveBufferBytes = 4 << 20

    /// Where messages are kept that are delivered with a guarantee (promise D2), and how. A file is opened when the
    /// client is made. `nil` keeps none. Default: `nil`.
    public var outbox: OutboxConfiguration?

    /// Asked anew for every attempt, for a fresh token or another host (promise R4). `nil` uses the
    /// client's URL with ``headers`` and ``subprotocols``. What a request does not say of ``compression``, ``limits``,
    /// ``tls``, ``proxy`` and ``redirects`` is as here.
    public var request: (@Sendable (ConnectionAttempt) async throws -> ConnectionRequest)?

    /// Hears everything that happens, without contents (promise J1). Called in the client's domain, so it
    /// must return quickly.
    public var journal: (@Sendable (JournalEvent) -> Void)?

    /// What makes the connections: `.sockets` or `.urlSession()`. Default: sockets on the shared event loop, and on
    /// Apple Foundation's WebSocket task.
    public var transport: any TransportFactory = StandardTransport.make()

    /// The seed of the reconnect jitter; `nil` takes one from the system, a number replays a run.
    public var seed: UInt64?

    /// The default configuration.
    public init() {}
}

extension ClientConfiguration {
    /// What the session machine is to know. The default is stored once for all clients.
    var session: Shared<SessionConfiguration> {
        get throws(HeartbeatConfigurationError) {
            let session = try makeSession()
            return Self.usualSession.map { Shared(session, unless: $0) } ?? Shared(session)
        }
    }

    /// What a request gets that does not say it for itself.
    var requestDefaults: RequestDefaults {
        RequestDefaults(
            limits: limits, compression: compression, tls: tls, proxy: proxy, redirects: redirects)
    }

    struct RequestDefaults: Sendable {
        fileprivate let limits: Limits
        fileprivate let compression: Compression
        fileprivate let tls: TLSConfiguration
        fileprivate let proxy: ProxyConfiguration
        fileprivate let redirects: RedirectPolicy

        func complete(_ request: ConnectionRequest) -> ConnectionRequest {
            var request = request
            if request.limits == nil { request.limits = limits }
            if request.compression == nil { request.compression = compression }
            if request.tls == nil { request.tls = tls }
            if request.proxy == nil { request.proxy = proxy }
            if request.redirects == nil { request.redirects = redirects }
            return request
        }
    }

    private static let usualSession = (try? ClientConfiguration().makeSession()).map { Shared($0) }

    private func makeSession() throws(HeartbeatConfigurationError) -> SessionConfiguration {
        SessionConfiguration(
            heartbeat: try heartbeat?.checked(), reconnect: reconnect,
            connectTimeout: connectTimeout, closeTimeout: closeTimeout, wakeSpacing: wakeSpacing,
            pathSettling: pathSettling)
    }
}

/// When the heartbeat asks, and how long it waits for the answer.
public struct HeartbeatSettings: Sendable, Hashable {
    /// The time from the opening, or from the last pong, to the next ping.
    public var interval: Duration
    /// The time from a ping to the verdict.
    public var timeout: Duration
    /// The time from a probe to the verdict: from the ping that asks after a sleep, a suspension or a change
    /// of the network whether the connection has outlived it (promise L2). At most ``timeout``; `nil` is 5 s, or
    /// the timeout where that is shorter.
    public var probeTimeout: Duration?
    /// Whether all that comes from the peer is a sign of life like a pong, a part of a long message too (promise H13). A
    /// pong stands behind the message that the peer is sending, so without this a message that takes longer than
    /// ``timeout`` ends the connection. Off by default: a peer that talks but does not listen is half dead. The pong
    /// of a probe is waited for in any case.
    public var countsInboundFrames = false

    /// What ``probeTimeout`` is unless it is set, or the timeout is shorter: 5 s.
    public static let standardProbeTimeout = Duration.seconds(5)

    /// Asks every `interval` and waits `timeout` for each answer, and `probeTimeout` for that of a probe. Values that
    /// are not positive, and a probe timeout beyond the timeout, are refused when the client is made (promise H14).
    public static func every(
        _ interval: Duration, timeout: Duration, probeTimeout: Duration? = nil
    ) -> HeartbeatSettings {
        HeartbeatSettings(interval: interval, timeout: timeout, probeTimeout: probeTimeout)
    }

    /// The same settings as the heartbeat takes them.
    func checked() throws(HeartbeatConfigurationError) -> Heartbeat<MonotonicInstant>.Configuration
    {
        try Heartbeat<MonotonicInstant>.Configuration(
            interval: interval, timeout: timeout,
            probeTimeout: probeTimeout ?? min(timeout, Self.standardProbeTimeout),
            countsInboundFrames: countsInboundFrames)
    }
}

/// Where a client hears of changes of the network's paths.
public enum PathMonitoring: Sendable {
    /// Nowhere.
    case off
    /// From the system, through the monitor that belongs to the client's transport: rtnetlink on Linux,
    /// `NWPathMonitor` on Apple. A transport of the app's own, or in virtual time, may have none.
    case system
    /// From a monitor of the app's own.
    case custom(any PathMonitor)
}

/// One attempt to connect, as the request provider sees it.
public struct ConnectionAttempt: Sendable, Hashable {
    /// Where the client was made to connect to.
    public let url: WebSocketURL
    /// The connection that the request is for.
    public let generation: Generation
    /// 0 for the first attempt, then counts the attempts since the last stable connection.
    public let number: Int
}
