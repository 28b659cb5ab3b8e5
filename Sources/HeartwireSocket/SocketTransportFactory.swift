public import HeartwireProtocol
public import HeartwireSession

/// Makes socket transports: the project's protocol engine over the channels of a connector,
/// through a proxy where the request names one, and by TLS for `wss:`.
public struct SocketTransportFactory: TransportFactory {
    /// What all copies of a factory share: each transport has one.
    private final class Parts: Sendable {
        let connector: any ChannelConnector
        let makeRandom: @Sendable () -> any RandomSource
        let pathMonitor: (any PathMonitor)?
        /// Why the platform lets no connection be made; `nil` where it does.
        let obstacle: ConnectionFailure?
        #if canImport(COpenSSL)
            let contexts: TLSContexts
        #endif

        init(
            _ connector: any ChannelConnector,
            _ makeRandom: @escaping @Sendable () -> any RandomSource,
            pathMonitor: (any PathMonitor)?, obstacle: ConnectionFailure?, sharesContexts: Bool
        ) {
            self.connector = connector
            self.makeRandom = makeRandom
            self.pathMonitor = pathMonitor
            self.obstacle = obstacle
            #if canImport(COpenSSL)
                contexts = sharesContexts ? .shared : TLSContexts()
            #endif
        }
    }

    private let parts: Parts

    /// What tells of the network's paths: the loop's monitor, which listens to the kernel. Connectors of other kinds
    /// have none.
    public var pathMonitor: (any PathMonitor)? { parts.pathMonitor }

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
        parts = Parts(
            TCPConnector(loop: loop), { loop.random },
            pathMonitor: loop.pathMonitor.monitor(on: loop),
            obstacle: networking.obstacle(isRestricted: isRestricted), sharesContexts: true)
    }

    /// Connects over `connector`, with masks and nonces from what `random` gives for each connection.
    public init(
        connector: any ChannelConnector, random: @escaping @Sendable () -> any RandomSource
    ) {
        parts = Parts(
            connector, random, pathMonitor: nil, obstacle: nil, sharesContexts: false)
    }

    /// The domain of the connector, in which the transports live.
    public var executor: any SessionExecutor { parts.connector.executor }

    /// Makes a transport for `generation` that has not begun to connect.
    public func makeTransport(
        _ generation: Generation, request: ConnectionRequest, observer: any TransportObserver
    ) -> any Transport {
        SocketTransport(
            generation, request: request, factory: self, random: parts.makeRandom(),
            observer: observer)
    }

    /// What leads to the request's server: TLS, inside of the proxy's tunnel, over the plain connector.
    func connector(for request: ConnectionRequest) -> any ChannelConnector {
        if let obstacle = parts.obstacle {
            return FailingConnector(executor: executor, failure: obstacle)
        }
        var connector = parts.connector
        if let server = request.proxy?.server(for: request.url) {
            connector = ProxyConnector(
                base: connector, server: server, limits: request.effectiveLimits)
        }
        guard request.url.isSecure else { return connector }
        let configuration = request.tls ?? TLSConfiguration()
        #if canImport(COpenSSL)
            return TLSConnector(
                base: connector, configuration: configuration, contexts: parts.contexts)
        #else
            return TLSConnector(base: connector, configuration: configuration)
        #endif
    }
}
