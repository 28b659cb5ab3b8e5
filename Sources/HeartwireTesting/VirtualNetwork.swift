public import HeartwireProtocol
public import HeartwireSession
public import HeartwireSocket

/// A network inside one domain: the port decides who answers, the host's name plays no part.
///
/// Everything takes exactly its latency, so a script gives the same run each time. With the default latency of
/// zero, what is sent arrives in a later turn at the same instant. `@unchecked
/// Sendable`: it lives in its executor's domain, and is only handed through other places.
public final class VirtualNetwork: ChannelConnector, @unchecked Sendable {
    private enum Port {
        case listening((VirtualChannel) -> Void)
        case blackHole
    }

    /// How many bytes may be under way in one direction of a connection unless told otherwise.
    public static let defaultPipeCapacity = 256 << 10
    /// How many bytes one read yields unless told otherwise.
    public static let defaultReadSize = 64 << 10

    /// The domain.
    public let executor: any SessionExecutor
    /// How long everything takes one way, for connections that are made from now on.
    public var latency: Duration
    /// How many bytes may be under way in one direction, for connections made from now on.
    public var pipeCapacity = VirtualNetwork.defaultPipeCapacity
    /// How many bytes one read yields at most, for connections made from now on.
    public var readSize = VirtualNetwork.defaultReadSize
    /// How many connections were asked for, the refused and unanswered ones among them.
    public private(set) var attempts = 0
    private var ports: [UInt16: Port] = [:]

    /// Makes a network on which nobody listens.
    public init(executor: any SessionExecutor, latency: Duration = .zero) {
        self.executor = executor
        self.latency = latency
    }

    /// Has connections to `port` handed to `accept`, each one up already. Takes the place of
    /// what the port did before.
    public func listen(port: UInt16, _ accept: @escaping (VirtualChannel) -> Void) {
        ports[port] = .listening(accept)
    }

    /// Has connections to `port` refused from now on. Those that are up stay up.
    public func stopListening(port: UInt16) {
        ports[port] = nil
    }

    /// Gives no answer to connections to `port`, neither yes nor no.
    public func blackHole(port: UInt16) {
        ports[port] = .blackHole
    }

    /// Begins to connect to the URL's port.
    ///
    /// The listener has the connection one latency later, the caller hears of it after another.
    public func connect(
        to url: WebSocketURL, handler: any ByteChannelHandler
    ) -> any ByteChannel {
        connect(port: url.port, handler: handler)
    }

    /// Begins to connect to `port`; see ``connect(to:handler:)``.
    public func connect(port: UInt16, handler: any ByteChannelHandler) -> VirtualChannel {
        attempts += 1
        let up = VirtualPipe(executor: executor, latency: latency, capacity: pipeCapacity)
        let down = VirtualPipe(executor: executor, latency: latency, capacity: pipeCapacity)
        let channel = VirtualChannel(
            executor: executor, outgoing: up, incoming: down, readSize: readSize, isUp: false)
        channel.handler = handler
        let (readSize, latency) = (readSize, latency)
        after(latency) {
            self.arrived(at: port, channel, up, down, readSize: readSize, latency: latency)
        }
        return channel
    }

    /// The request to connect has come to the port.
    private func arrived(
        at port: UInt16, _ client: VirtualChannel, _ up: VirtualPipe, _ down: VirtualPipe,
        readSize: Int, latency: Duration
    ) {
        guard client.isConnecting else { return }
        switch ports[port] {
        case .listening(let accept):
            // Scheduled before the listener can write, so the caller is up before bytes come.
            client.accepted()
            after(latency) { client.connected() }
            accept(
                VirtualChannel(
                    executor: executor, outgoing: down, incoming: up, readSize: readSize,
                    isUp: true))
        case .blackHole: return
        case nil:
            after(latency) {
                client.failed(
                    ConnectionFailure(.refused, systemCode: VirtualChannel.refusedCode))
            }
        }
    }

    private func after(_ delay: Duration, _ action: @escaping () -> Void) {
        _ = executor.schedule(at: executor.now().advanced(by: delay), action)
    }
}
