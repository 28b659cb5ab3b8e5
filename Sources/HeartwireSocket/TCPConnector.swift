public import HeartwireProtocol
public import HeartwireSession

/// Connects over the system's TCP: the name is looked up off the loop, then its addresses are raced.
public struct TCPConnector: ChannelConnector {
    private let loop: EventLoop

    /// Makes channels that live on `loop`.
    public init(loop: EventLoop = .shared) {
        self.loop = loop
    }

    /// The loop on which the channels live.
    public var executor: any SessionExecutor { loop }

    /// Begins to look the host up and to connect; see ``ChannelConnector/connect(to:handler:)``.
    public func connect(to url: WebSocketURL, handler: any ByteChannelHandler) -> any ByteChannel {
        let channel = TCPChannel(connectingOn: loop, handler: handler)
        channel.connect(to: url.resolverName, port: url.port)
        return channel
    }
}
