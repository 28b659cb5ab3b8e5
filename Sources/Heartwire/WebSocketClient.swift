public import HeartwireProtocol
public import HeartwireSession
import HeartwireSocket

/// A WebSocket client whose session never lies.
///
/// It keeps one connection open, judges it by heartbeats, connects again with back-off, and tells every
/// state with its cause. Nothing that an old connection still reports can touch the present one.
///
/// ```swift
/// let client = try WebSocketClient("wss://example.com/feed")
/// await client.connect()
/// for await message in client.messages { … }
/// ```
///
/// The actor runs on its transport's executor, the event loop for sockets. A task that prefers
/// ``executor`` sends and receives without a thread hop. Letting go of the last reference closes the
/// connection with 1001.
public actor WebSocketClient {
    nonisolated let core: ClientCore

    /// The actor's executor is its transport's.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        core.executor.asUnownedSerialExecutor()
    }

    /// Makes a client that does nothing until ``connect()``.
    ///
    /// - Parameters:
    ///   - url: A `ws:` or `wss:` URL (RFC 6455 §3).
    ///   - configure: Changes the default configuration. It is `sending`, so that it can be written on the main actor; a
    ///     closure that was handed in from elsewhere makes a ``ClientConfiguration`` first.
    /// - Throws: `WebSocketURLError` for a URL that cannot be connected to, `HeartbeatConfigurationError` for an interval or
    ///   timeout that is not positive, `OpeningRequestError` for header fields or subprotocols that could not stand in a request,
    ///   `TLSFailure` for certificates or a key that cannot be used.
    public init(
        _ url: String, configure: sending (inout ClientConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = ClientConfiguration()
        configure(&configuration)
        try self.init(try WebSocketURL(url), configuration: configuration)
    }

    /// Makes a client that does nothing until ``connect()``.
    ///
    /// - Parameters:
    ///   - url: Where to connect to.
    ///   - configure: Changes the default configuration.
    /// - Throws: `HeartbeatConfigurationError`, `OpeningRequestError` or `TLSFailure`, as above.
    public init(
        _ url: WebSocketURL, configure: sending (inout ClientConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = ClientConfiguration()
        configure(&configuration)
        try self.init(url, configuration: configuration)
    }

    /// Makes a client that does nothing until ``connect()``, by a configuration that was made ahead.
    ///
    /// - Parameters:
    ///   - url: Where to connect to.
    ///   - configuration: How the client behaves.
    /// - Throws: `HeartbeatConfigurationError`, `OpeningRequestError` or `TLSFailure`, as above.
    public init(_ url: WebSocketURL, configuration: ClientConfiguration) throws {
        let source: ClientCore.RequestSource
        if configuration.tls != TLSConfiguration() { try configuration.tls.validate() }
        let defaults = configuration.requestDefaults
        if let provider = configuration.request {
            source = .provider(Shared(url)) { attempt in
                defaults.complete(try await provider(attempt))
            }
        } else {
            let request = try ConnectionRequest(
                url: url, headers: configuration.headers, subprotocols: configuration.subprotocols)
            source = .fixed(defaults.complete(request))
        }
        let session = try configuration.session
        var generator = SystemRandomNumberGenerator()
        let machine = SessionMachine(session, seed: configuration.seed ?? generator.next())
        // Last, because it takes possession of the store.
        let delivery = try configuration.outbox.map { outbox in
            try Delivery(outbox, executor: configuration.transport.executor)
        }
        core = ClientCore(
            source: source, machine: machine, configuration: configuration,
            delivery: delivery)
    }

    deinit {
        core.executor.execute { [core] in core.abandon() }
    }

    // MARK: The session

    /// Asks for a connection and returns; the outcome is told by ``states`` and ``waitUntilOpen()``.
    ///
    /// While a connection is under way or open this changes nothing; during back-off it tries at once; while a close is under way
    /// the new connection begins when that is through; when stopped it begins afresh (promise R5).
    public func connect() {
        core.connect()
    }

    /// Closes with 1000 and returns when the session has stopped, at the latest after the close timeout.
    ///
    /// It may be called in any phase: an attempt is given up at once and a back-off wait is cut (promise R5).
    public func disconnect() async {
        core.disconnect(code: .normalClosure, reason: "")
        await waitUntilClosed()
    }

    /// Closes with `code` and `reason` and returns when the session has stopped.
    ///
    /// - Throws: `SendError` when the code may not be sent or the reason is longer than 123 bytes of UTF-8
    ///   (RFC 6455 §5.5, §7.4); the connection is not touched then.
    public func disconnect(code: CloseCode, reason: String = "") async throws {
        try ClosePayload(code: code, reason: reason).validateForSending()
        core.disconnect(code: code, reason: reason)
        await waitUntilClosed()
    }

    func waitUntilClosed() async {
        guard case .closing = core.states.current else { return }
        for await state in states {
            guard case .closing = state else { return }
        }
    }

    /// Returns when the connection is open, with what the opening handshake settled.
    ///
    /// - Throws: ``SessionStopped`` when the session has stopped instead, or was never asked to connect;
    ///   `CancellationError` when the task was cancelled.
    @discardableResult
    public func waitUntilOpen() async throws -> OpenedConnection {
        for await state in states {
            switch state {
            case .open: return core.opened ?? OpenedConnection()
            case .stopped(let cause): throw SessionStopped(cause: cause)
            case .idle: throw SessionStopped(cause: .disconnected(nil))
            case .connecting, .closing, .waiting, .suspended: continue
            }
        }
        throw CancellationError()
    }

    /// What the opening handshake of the open connection settled; `nil` while none is open. Unlike
    /// ``waitUntilOpen()`` it waits for nothing, so it is for who has heard of the opening and may be late.
    public var openedConnection: OpenedConnection? {
        guard case .open = core.states.current else { return nil }
        return core.opened
    }

    /// Takes the pulse by other settings from now on; `nil` takes none.
    ///
    /// An open connection's next ping is due one interval from now, and a ping that is under way no
    /// longer counts. The setting also holds for later connections.
    ///
    /// - Throws: ``HeartbeatConfigurationError`` for an interval or timeout that is not positive (promise H14);
    ///   nothing changes then.
    public func setHeartbeat(_ settings: HeartbeatSettings?) throws(HeartbeatConfigurationError) {
        core.setHeartbeat(try settings?.checked())
    }

    /// Asks for a sign of life now and returns: for an app that has reason to doubt the connection, as after
    /// a sleep or a change of network.
    ///
    /// An open connection is pinged at once. When no pong comes within ``HeartbeatSettings/probeTimeout`` it
    /// is replaced without a back-off; without a heartbeat there is nothing to judge it by and
    /// nothing happens. A back-off wait is cut short, unless the server asked for it or another was cut short less
    /// than ``ClientConfiguration/wakeSpacing`` ago. In every other phase nothing happens (promises L2, R6).
    public func checkConnection() {
        core.checkConnection()
    }

    /// The present state.
    public var state: SessionState { core.states.current }

    // MARK: Messages

    /// The messages that arrive. See ``Messages`` for consumers and back-pressure.
    public nonisolated var messages: Messages { Messages(core: core) }

    /// The states of the session, the present one first.
    public nonisolated var states: States { States(core: core) }

    /// The domain of this client, to prefer in tasks that should have no thread hop per message:
    /// `Task(executorPreference: client.executor) { … }`. Work in it must not block.
    public nonisolated var executor: any TaskExecutor { core.executor.taskExecutor }
}

/// The session has stopped, for this cause.
public struct SessionStopped: Error, Sendable, Hashable, CustomStringConvertible {
    /// Why.
    public let cause: StopCause

    /// States why.
    public init(cause: StopCause) {
        self.cause = cause
    }

    /// One line for people.
    public var description: String { "\(cause)" }
}
