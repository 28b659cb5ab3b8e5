/// Which side of a WebSocket connection an endpoint plays (RFC 6455 §1.3).
///
/// The sides differ in two ways: only the client's frames are masked (§5.1), and only the client
/// asks for the opening handshake (§4.1).
public enum Role: Sendable, Hashable {
    /// The side that asked for the connection. Its frames are masked.
    case client
    /// The side that accepted the connection. Its frames are never masked.
    case server

    /// The other side.
    var peer: Role {
        switch self {
        case .client: .server
        case .server: .client
        }
    }
}
