/// The number in a Close frame that says why a connection ends (RFC 6455 §7.4).
///
/// Any 16-bit number can be held; ``mayBeReceived`` and ``mayBeSent`` tell which are lawful on the
/// wire. The names are those of the IANA registry that RFC 6455 §11.7 set up.
public struct CloseCode: RawRepresentable, Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// The number as it stands on the wire.
    public let rawValue: UInt16

    /// Holds any number, lawful or not.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Holds the number of an integer literal, so that `client.close(4000)` can be written.
    public init(integerLiteral value: UInt16) {
        self.rawValue = value
    }

    /// 1000: the purpose of the connection is fulfilled.
    public static let normalClosure: CloseCode = 1000
    /// 1001: the endpoint goes away: a server stops, or a page is left.
    public static let goingAway: CloseCode = 1001
    /// 1002: the other side broke a rule of the protocol.
    public static let protocolError: CloseCode = 1002
    /// 1003: a kind of data arrived that the endpoint cannot take.
    public static let unsupportedData: CloseCode = 1003
    /// 1005: the Close frame held no code. Never on the wire.
    public static let noStatusReceived: CloseCode = 1005
    /// 1006: the connection ended without a Close frame. Never on the wire.
    public static let abnormalClosure: CloseCode = 1006
    /// 1007: a text message was not UTF-8.
    public static let invalidPayloadData: CloseCode = 1007
    /// 1008: a message offends the endpoint's policy.
    public static let policyViolation: CloseCode = 1008
    /// 1009: a message is too big to process.
    public static let messageTooBig: CloseCode = 1009
    /// 1010: the server did not grant an extension that the client needs.
    public static let mandatoryExtension: CloseCode = 1010
    /// 1011: the endpoint met a condition of its own that it cannot go on from.
    public static let internalError: CloseCode = 1011
    /// 1012: the service restarts.
    public static let serviceRestart: CloseCode = 1012
    /// 1013: the service is overloaded; try again later.
    public static let tryAgainLater: CloseCode = 1013
    /// 1014: a gateway got a bad answer from the server behind it.
    public static let badGateway: CloseCode = 1014
    /// 1015: the TLS handshake failed. Never on the wire.
    public static let tlsHandshake: CloseCode = 1015

    /// Whether a Close frame may lawfully hold this code (RFC 6455 §7.4.1, §7.4.2 and the registry):
    /// 1000–1003, 1007–1014 and 3000–4999.
    ///
    /// 1004 has no meaning yet; 1005, 1006 and 1015 stand for what was *not* on the wire; 1016–2999
    /// are kept for the protocol's future.
    public var mayBeReceived: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// Whether an application may ask for a Close frame with this code: the same set as
    /// ``mayBeReceived``.
    public var mayBeSent: Bool { mayBeReceived }
}

extension CloseCode: CustomStringConvertible {
    /// The number, and its name in words where it has one: `1000 (normal closure)`.
    public var description: String {
        guard let name else { return "\(rawValue)" }
        return "\(rawValue) (\(name))"
    }

    private var name: String? {
        switch self {
        case .normalClosure: "normal closure"
        case .goingAway: "going away"
        case .protocolError: "protocol error"
        case .unsupportedData: "unsupported data"
        case .noStatusReceived: "no code in the Close frame"
        case .abnormalClosure: "no Close frame"
        case .invalidPayloadData: "invalid payload data"
        case .policyViolation: "policy violation"
        case .messageTooBig: "message too big"
        case .mandatoryExtension: "mandatory extension missing"
        case .internalError: "internal error"
        case .serviceRestart: "service restart"
        case .tryAgainLater: "try again later"
        case .badGateway: "bad gateway"
        case .tlsHandshake: "TLS handshake failed"
        default: nil
        }
    }
}
