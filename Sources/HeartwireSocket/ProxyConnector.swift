public import HeartwireProtocol
public import HeartwireSession

/// Connects through a proxy, over the channels of another connector.
///
/// What it makes reports that it is up once the tunnel to the server stands; TLS to the server goes inside of it.
public struct ProxyConnector: ChannelConnector {
    private let base: any ChannelConnector
    private let server: ProxyServer
    private let limits: Limits

    /// Goes through `server`, to which `base` connects.
    ///
    /// - Parameters:
    ///   - base: makes the connections to the proxy.
    ///   - server: the proxy.
    ///   - limits: bound the head of an HTTP proxy's answer.
    public init(base: any ChannelConnector, server: ProxyServer, limits: Limits = Limits()) {
        self.base = base
        self.server = server
        self.limits = limits
    }

    /// The domain of the connector beneath.
    public var executor: any SessionExecutor { base.executor }

    /// Begins to connect to the proxy, and through it to the URL's host and port, whose name the proxy resolves.
    public func connect(to url: WebSocketURL, handler: any ByteChannelHandler) -> any ByteChannel {
        let channel = ProxyChannel(
            ProxyHandshake(server, to: url, limits: limits), on: executor, handler: handler)
        channel.start(over: base.connect(to: server.address, handler: channel))
        return channel
    }
}
