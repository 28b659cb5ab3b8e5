import HeartwireSession
import HeartwireURLSession

/// What makes the clients' connections.
enum TransportChoice: String, Sendable, Hashable, CaseIterable {
    /// The project's own transport.
    case socket
    /// Foundation's.
    case urlsession

    /// Why there are no such connections here; `nil` when there are.
    var obstacle: String? {
        switch self {
        case .socket: nil
        case .urlsession where URLSessionTransportFactory.isSupported: nil
        case .urlsession: "this platform's URLSession has no WebSocket support"
        }
    }

    /// What makes connections in a domain of its own; `nil` for sockets, which share that of their world.
    func makeFactory() -> (any TransportFactory)? {
        switch self {
        case .socket: nil
        case .urlsession:
            URLSessionTransportFactory(executor: DispatchExecutor(label: "heartwire-world"))
        }
    }
}
