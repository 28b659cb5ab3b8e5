public import HeartwireSession

/// Something that happened on one of a client's connections (promise S6).
public struct ClientEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// The opening handshake succeeded, with this outcome. At most once for a connection.
        case opened(OpenedConnection)
        /// A text arrived.
        case text(String)
        /// A binary message arrived.
        case binary([UInt8])
        /// The peer pinged, with this payload, and was answered.
        case ping([UInt8])
        /// The peer answered our ping.
        case pong(PingID)
        /// The connection failed, or could not be made. ``closed(_:)`` follows at once, with the same cause. An orderly
        /// close, the app's or the peer's, is no error.
        case error(CloseCause)
        /// The connection, or the attempt, is over. Exactly once, and the last event of its generation.
        case closed(CloseCause)
    }

    /// The connection that it happened on.
    public let generation: Generation
    /// What happened.
    public let kind: Kind

    /// States what happened on which connection.
    public init(_ generation: Generation, _ kind: Kind) {
        self.generation = generation
        self.kind = kind
    }
}

extension ClientEvent: Weighed {
    var weight: Int {
        let payload =
            switch kind {
            case .text(let text): text.utf8.count
            case .binary(let bytes), .ping(let bytes): bytes.count
            case .opened, .pong, .error, .closed: 0
            }
        return payload + BufferBounds.elementOverheadBytes
    }
}

extension CloseCause {
    /// Whether the connection ended by an orderly close, the app's or the peer's.
    var isOrderly: Bool {
        switch self {
        case .closedByApp, .closedByPeer: true
        case .heartbeatTimeout, .connectTimeout, .connectFailed, .refused, .badHandshake,
            .protocolViolation, .connectionLost, .requestFailed:
            false
        }
    }
}
