public import HeartwireProtocol
public import HeartwireSession

/// Makes socket transports: the project's protocol engine over the channels of a connector.
public struct SocketTransportFactory: TransportFactory {
    private let connector: any ChannelConnector
    private let makeRandom: @Sendable () -> any RandomSource

    /// Connects over TCP on `loop`, with masks from the system's CSPRNG.
    public init(loop: EventLoop = .shared) {
        connector = TCPConnector(loop: loop)
        makeRandom = { loop.random }
    }

    /// Connects over `connector`, with masks and nonces from what `random` gives for each connection.
    public init(
        connector: any ChannelConnector, random: @escaping @Sendable () -> any RandomSource
    ) {
        self.connector = connector
        makeRandom = random
    }

    /// The domain of the connector, in which the transports live.
    public var executor: any SessionExecutor { connector.executor }

    /// Makes a transport for `generation` that has not begun to connect.
    public func makeTransport(
        _ generation: Generation, request: ConnectionRequest, observer: any TransportObserver
    ) -> any Transport {
        SocketTransport(
            generation, request: request, connector: connector, random: makeRandom(),
            observer: observer)
    }
}
