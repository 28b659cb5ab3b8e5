public import HeartwireProtocol
public import HeartwireSession

/// Makes socket transports: the project's protocol engine over the channels of a connector,
/// through a proxy where the request names one, and by TLS for `wss:`.
public struct SocketTransportFactory: TransportFactory {
    private let connector: any ChannelConnector
    private let makeRandom: @Sendable () -> any RandomSource
    /// What tells of the network's paths: the loop's monitor, which listens to the kernel. Connectors of other kinds
    /// have none.
    public let pathMonitor: (any PathMonitor)?
    /// Why the platform lets no connection be made; `nil` where it does.
    private let obstacle: ConnectionFailure?
    #if canImport(COpenSSL)
        private let contexts: TLSContexts
    #endif

    /// Connects over TCP on `loop`, with masks from the system's CSPRNG.
    ///
    /// All such factories share what TLS keeps to resume sessions.
    ///
    /// - Parameters:
    ///   - loop: The domain of the transports.
    ///   - networking: Whether this app may connect on watchOS, which lets some apps only.
    public init(
        loop: EventLoop = .shared, networking: LowLevelNetworking = .whereAllowedToAll
    ) {
        self.init(
            loop: loop, networking: networking, isRestricted: LowLevelNetworking.isRestricted)
    }

    package init(loop: EventLoop, networking: LowLevelNetworking, isRestricted: Bool) {
        obstacle = networking.obstacle(isRestricted: isRestricted)
        connector = TCPConnector(loop: loop)
        pathMonitor = loop.pathMonitor.monitor(on: loop)
        makeRandom = { loop.random }
        #if canImport(COpenSSL)
            contexts = .shared
        #endif
    }

    /// Connects over `connector`, with masks and nonces from what `random` gives for each connection.
    public init(
        connector: any ChannelConnector, random: @escaping @Sendable () -> any RandomSource
    ) {
        self.connector = connector
        pathMonitor = nil
        obstacle = nil
        makeRandom = random
        #if canImport(COpenSSL)
            contexts = TLSContexts()
        #endif
    }

    /// The domain of the connector, in which the transports live.
    public var executor: any SessionExecutor { connector.executor }

    /// Makes a transport for `generation` that has not begun to connect.
    public func makeTransport(
        _ generation: Generation, request: ConnectionRequest, observer: any TransportObserver
    ) -> any Transport {
        SocketTransport(
            generation, request: request, factory: self, random: makeRandom(), observer: observer)
    }

    /// What leads to the request's server: TLS, inside of the proxy's tunnel, over the plain connector.
    func connector(for request: ConnectionRequest) -> any ChannelConnector {
        if let obstacle { return FailingConnector(executor: executor, failure: obstacle) }
        var connector = self.connector
        if let server = request.proxy?.server(for: request.url) {
            connector = ProxyConnector(base: connector, server: server, limits: request.limits)
        }
        guard request.url.isSecure else { return connector }
        let configuration = request.tls ?? TLSConfiguration()
        #if canImport(COpenSSL)
            return TLSConnector(base: connector, configuration: configuration, contexts: contexts)
        #else
            return TLSConnector(base: connector, configuration: configuration)
        #endif
    }
}
