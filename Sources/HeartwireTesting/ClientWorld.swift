public import Heartwire
public import HeartwireProtocol
public import HeartwireSession
public import HeartwireSocket

/// A place in which clients meet an endpoint: in virtual time, over real sockets, or with a server elsewhere.
///
/// The client, its session, its transport, the protocol engine and the endpoint are the real ones everywhere;
/// in virtual time only TCP and the clock are replaced. A script runs in the domain of all of them, so it may look
/// at anything between two awaits:
///
/// ```swift
/// let world = try ClientWorld(.virtual)
/// try await world.run { world in
///     let watched = try world.makeClient("pong=off")
///     await watched.client.connect()
///     _ = await watched.log.wait(.seconds(60)) { !$0.closes.isEmpty }
///     #expect(watched.log.closes.first?.cause == .heartbeatTimeout)
/// }
/// ```
///
/// `@unchecked Sendable`: what changes is touched in the domain only.
public final class ClientWorld: @unchecked Sendable {
    /// Where the clients' server is.
    public enum Place: Sendable, Hashable {
        /// An ``Endpoint`` on a virtual network, in virtual time.
        case virtual
        /// An ``Endpoint`` in this process, behind a port of 127.0.0.1.
        case loopback
        /// A server elsewhere.
        case remote(WebSocketURL)
    }

    /// How long a stopped world may take until its last socket and timer are gone.
    public static let windUpLimit = Duration.seconds(5)
    /// The virtual network's port.
    static let virtualPort: UInt16 = 9_001

    /// Where the server is.
    public let place: Place
    /// The domain of everything in the world.
    public let executor: any SessionExecutor
    /// The endpoint, unless the server is elsewhere.
    public let endpoint: Endpoint?
    /// The clients that were made.
    public private(set) var clients: [WatchedClient] = []
    /// Where the clients connect to, without the query.
    let base: String
    private let machinery: Machinery
    private let factory: any TransportFactory
    private let wrap: @Sendable (any TransportFactory) -> any TransportFactory
    private let start: MonotonicInstant

    /// What has to be kept and wound up.
    private enum Machinery {
        case virtual(VirtualExecutor)
        case loopback(EventLoop, TCPListener)
        case remote(EventLoop)
        /// Another transport's domain.
        case foreign(any SessionExecutor)
    }

    /// Makes a world without clients.
    ///
    /// - Parameters:
    ///   - place: Where the client and its server meet.
    ///   - behaviour: Who decides how the endpoint treats a connection. A server elsewhere decides for itself.
    ///   - transport: What makes the clients' connections to a server elsewhere, in a domain of its own; nothing else does.
    ///     `nil`, the default, is sockets.
    ///   - wrap: What stands between each client and its transports; nothing unless told otherwise.
    /// - Throws: `ListenFailure` when no port can be had.
    public init(
        _ place: Place, behaviour: EndpointScript = .byQuery,
        transport: (any TransportFactory)? = nil,
        wrap: @escaping @Sendable (any TransportFactory) -> any TransportFactory = { $0 }
    ) throws(ListenFailure) {
        self.place = place
        self.wrap = wrap
        let book = Book()
        switch place {
        case .virtual:
            let executor = VirtualExecutor()
            let network = VirtualNetwork(executor: executor)
            let endpoint = Endpoint(
                executor: executor, random: SeededRandomSource(seed: 1), behaviour: behaviour,
                journal: { _ in book.world?.poke() })
            network.listen(port: Self.virtualPort) { endpoint.accept($0) }
            let random = SeededRandomSource(seed: 2)
            factory = SocketTransportFactory(
                connector: network, random: Confined(random).give)
            machinery = .virtual(executor)
            self.executor = executor
            self.endpoint = endpoint
            base = "ws://endpoint.test:\(Self.virtualPort)/"
        case .loopback:
            let loop = EventLoop(name: "heartwire-world")
            let endpoint = Endpoint(
                executor: loop, random: SystemRandomSource(), behaviour: behaviour,
                journal: { _ in book.world?.poke() })
            let listener = try TCPListener.listen(on: loop) { channel in
                endpoint.accept(channel)
                channel.start()
            }
            factory = SocketTransportFactory(loop: loop)
            machinery = .loopback(loop, listener)
            executor = loop
            self.endpoint = endpoint
            base = "ws://127.0.0.1:\(listener.port)/"
        case .remote(let url):
            if let transport {
                factory = transport
                machinery = .foreign(transport.executor)
                executor = transport.executor
            } else {
                let loop = EventLoop(name: "heartwire-world")
                factory = SocketTransportFactory(loop: loop)
                machinery = .remote(loop)
                executor = loop
            }
            endpoint = nil
            base = Self.prefix(of: url)
        }
        start = executor.now()
        book.world = self
    }

    /// How much time has passed in the world.
    public var elapsed: Duration { start.duration(to: executor.now()) }

    /// The server's URL with this query in place of its own; without one, the server's URL as it was given.
    ///
    /// - Throws: `WebSocketURLError` for a query that no URL can hold.
    public func url(_ query: String = "") throws(WebSocketURLError) -> WebSocketURL {
        if query.isEmpty, case .remote(let url) = place { return url }
        return try WebSocketURL(query.isEmpty ? base : "\(base)?\(query)")
    }

    /// A URL of this machine, or of the virtual network, at which nobody listens.
    ///
    /// - Throws: `ListenFailure` when no port can be had.
    public func refusedURL() throws -> WebSocketURL {
        switch machinery {
        case .virtual: return try WebSocketURL("ws://endpoint.test:1/")
        case .loopback(let loop, _), .remote(let loop):
            // A port that was free a moment ago; it is given back before the client can ask for it.
            let listener = try TCPListener.listen(on: loop) { $0.abort(reset: true) }
            listener.close()
            return try WebSocketURL("ws://127.0.0.1:\(listener.port)/")
        case .foreign: return try WebSocketURL("ws://127.0.0.1:1/")
        }
    }

    /// A client for ``url(_:)`` that has not connected. Call it in a script.
    ///
    /// - Throws: what ``WatchedClient``'s initialiser throws.
    public func makeClient(
        _ query: String = "", configure: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> WatchedClient {
        try makeClient(url: try url(query), configure: configure)
    }

    /// A client for any URL that has not connected. Call it in a script.
    ///
    /// - Throws: what ``WatchedClient``'s initialiser throws.
    public func makeClient(
        url: WebSocketURL, configure: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> WatchedClient {
        let isVirtual = place == .virtual
        let watched = try WatchedClient(url, transport: factory, wrap: wrap) { configuration in
            if isVirtual { configuration.seed = 3 }
            configure(&configuration)
        }
        clients.append(watched)
        return watched
    }

    /// Waits in the world's time. Returns at once when the task was cancelled.
    public func sleep(for duration: Duration) async {
        let alarm = ClientLog(executor: executor)
        _ = await alarm.wait(duration) { _ in false }
    }

    /// Runs a script in the world's domain, in virtual time to its end. The world is to be used once: run one script, then
    /// let go of it.
    ///
    /// - Throws: what the script throws.
    public func run<Success: Sendable>(
        _ script: @escaping @Sendable (ClientWorld) async throws -> Success
    ) async throws -> Success {
        switch machinery {
        case .virtual(let executor):
            return try await Self.onThread {
                try executor.runScript(patience: .seconds(1)) { try await script(self) }
            }
        case .loopback(let loop, _), .remote(let loop):
            defer { loop.shutdown() }
            return try await run(script, on: loop)
        case .foreign(let executor): return try await run(script, on: executor)
        }
    }

    private func run<Success: Sendable>(
        _ script: @escaping @Sendable (ClientWorld) async throws -> Success,
        on executor: any TaskExecutor
    ) async throws -> Success {
        let task = Task(executorPreference: executor) { try await script(self) }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Does what blocks on a thread of its own: those of Swift's pool are as few as the processors, and other tasks
    /// need them.
    private static func onThread<Success: Sendable>(
        _ body: @escaping @Sendable () throws -> Success
    ) async throws -> Success {
        let result: Result<Success, any Error> = await withHandover { handover in
            let work: @Sendable () -> Void = { handover.resume(returning: Result(catching: body)) }
            if SystemThread.start(name: "heartwire-world", work) != 0 { work() }
        }
        return try result.get()
    }

    /// Disconnects every client, drops every connection and stops listening. The last thing in a script.
    ///
    /// - Returns: what was left after ``windUpLimit``, in words; `nil` when no timer and no socket was (promise R5).
    public func windUp() async -> String? {
        let closing = clients.map { watched in
            Task(executorPreference: executor) { await watched.client.disconnect() }
        }
        await Task.yield()
        if case .loopback(_, let listener) = machinery { listener.close() }
        endpoint?.dropAll()
        for task in closing { await task.value }
        let left = await leftovers(after: Self.windUpLimit)
        for watched in clients { watched.stopWatching() }
        return left
    }

    private func leftovers(after limit: Duration) async -> String? {
        let deadline = executor.now().advanced(by: limit)
        while let left = leftovers {
            guard executor.now() < deadline, !Task.isCancelled else { return left }
            await sleep(for: .milliseconds(1))
        }
        return nil
    }

    /// What stands between the world and silence, apart from whoever asks.
    private var leftovers: String? {
        let (timers, sockets) =
            switch machinery {
            case .virtual(let executor):
                (executor.pendingTimers, endpoint?.counters.living ?? 0)
            case .loopback(let loop, _), .remote(let loop): (loop.timerCount, loop.watchedCount)
            // Nothing can be said of what another transport keeps.
            case .foreign: (0, 0)
            }
        guard timers > 0 || sockets > 0 else { return nil }
        return "\(timers) timers and \(sockets) sockets were left"
    }

    private func poke() {
        for watched in clients { watched.log.poke() }
    }

    /// `url` without its query, and without user information.
    public static func withoutQuery(_ url: WebSocketURL) -> WebSocketURL {
        // What one URL was made of is fit for another.
        (try? WebSocketURL(prefix(of: url))) ?? url
    }

    private static func prefix(of url: WebSocketURL) -> String {
        let path = url.requestTarget.prefix { $0 != "?" }
        return "\(url.scheme)://\(url.hostHeader)\(path)"
    }
}

/// Lets an endpoint's journal reach a world that is made after it.
private final class Book {
    weak var world: ClientWorld?
}

/// Gives one source of random numbers to every connection of a domain, in which alone it is used.
private final class Confined: @unchecked Sendable {
    private let source: SeededRandomSource

    init(_ source: SeededRandomSource) {
        self.source = source
    }

    @Sendable func give() -> any RandomSource { source }
}
