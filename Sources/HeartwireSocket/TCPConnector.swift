public import HeartwireProtocol
public import HeartwireSession

/// Connects over the system's TCP: the name is looked up off the loop, then its addresses are raced.
public struct TCPConnector: ChannelConnector {
    private let loop: EventLoop
    private let resolve: Resolver.Function

    /// Makes channels that live on `loop`.
    public init(loop: EventLoop = .shared) {
        self.init(loop: loop, resolve: Resolver.resolve)
    }

    /// Makes channels for the addresses that `resolve` gives.
    init(loop: EventLoop, resolve: @escaping Resolver.Function) {
        self.loop = loop
        self.resolve = resolve
    }

    /// The loop on which the channels live.
    public var executor: any SessionExecutor { loop }

    /// Begins to look the host up and to connect; see ``ChannelConnector/connect(to:handler:)``.
    public func connect(to url: WebSocketURL, handler: any ByteChannelHandler) -> any ByteChannel {
        let channel = TCPChannel(connectingOn: loop, handler: handler)
        channel.connect(to: url.resolverName, port: url.port, resolve)
        return channel
    }
}
