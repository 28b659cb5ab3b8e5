/// The *peer* broke a rule: what was expected, what was seen, and where the rule stands.
///
/// Its counterpart for faults of the caller is ``SendError``. A violation never holds payload bytes
/// or header values, so it can be logged. Of a peer that speaks no HTTP at all it shows the first 32 bytes at most, escaped.
public struct ProtocolViolation: Error, Sendable, Hashable {
    /// The code that the connection is failed with (RFC 6455 §7.1.7).
    public let closeCode: CloseCode
    /// The number of the RFC that was broken: 6455, or 7692 for compression.
    public let rfc: Int
    /// The clause of that RFC, such as `5.1`.
    public let clause: String
    /// What the clause asks for, as a phrase.
    public let expected: String
    /// What was there instead, as a phrase without payload bytes or header values.
    public let seen: String

    /// States a violation of `clause` of an RFC.
    public init(
        closeCode: CloseCode, clause: String, expected: String, seen: String, rfc: Int = 6_455
    ) {
        self.rfc = rfc
        self.closeCode = closeCode
        self.clause = clause
        self.expected = expected
        self.seen = seen
    }

    /// A rule of RFC 6455 that the peer broke and that has no close code of its own: 1002.
    static func breach(_ clause: String, expected: String, seen: String) -> ProtocolViolation {
        ProtocolViolation(
            closeCode: .protocolError, clause: clause, expected: expected, seen: seen)
    }
}

extension ProtocolViolation: CustomStringConvertible {
    /// One line for people and logs: `RFC 6455 5.1: expected …, saw …`.
    public var description: String {
        "RFC \(rfc) \(clause): expected \(expected), saw \(seen)"
    }
}
