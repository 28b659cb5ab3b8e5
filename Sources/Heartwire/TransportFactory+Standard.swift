public import HeartwireSession
public import HeartwireSocket
public import HeartwireURLSession

// The transports by name, so that one line switches: `$0.transport = .sockets`.

extension TransportFactory where Self == SocketTransportFactory {
    /// Sockets on the shared event loop, with the project's own protocol engine. The default but on Apple.
    public static var sockets: SocketTransportFactory { StandardTransport.sockets }
}

extension TransportFactory where Self == URLSessionTransportFactory {
    /// Foundation's WebSocket task on a queue of its own. The default on Apple.
    ///
    /// On Linux its connections fail unless `URLSessionTransportFactory.isSupported`.
    ///
    /// - Parameter options: How Foundation's session is set up for each connection.
    public static func urlSession(
        _ options: URLSessionOptions = URLSessionOptions()
    ) -> URLSessionTransportFactory {
        URLSessionTransportFactory(options: options)
    }
}

/// What a client has unless it is told otherwise.
enum StandardTransport {
    /// One factory for all clients on the shared loop.
    static let sockets = SocketTransportFactory()

    static func make() -> any TransportFactory {
        #if canImport(Darwin)
            URLSessionTransportFactory()
        #else
            sockets
        #endif
    }
}
