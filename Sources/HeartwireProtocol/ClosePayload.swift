/// What a Close frame holds (RFC 6455 §5.5.1).
public struct ClosePayload: Sendable, Hashable {
    /// The most bytes of UTF-8 that a reason has room for: 125, less two for the code.
    public static let longestReasonBytes = 123

    /// The code; `nil` when the frame was empty, which RFC 6455 §7.1.5 calls 1005.
    public let code: CloseCode?
    /// Words beside the code; may be empty. From a peer anything may stand here: escape it for display.
    public let reason: String

    /// States what a Close frame holds, lawful or not.
    public init(code: CloseCode?, reason: String = "") {
        self.code = code
        self.reason = reason
    }
}

extension ClosePayload {
    /// Reads the unmasked payload of a received Close frame.
    ///
    /// - Throws: a violation with 1002 for a single byte or a code that may not be on the wire
    ///   (§7.4), and with 1007 for a reason that is not UTF-8 (§5.5.1).
    init(parsing payload: Span<UInt8>) throws(ProtocolViolation) {
        guard !payload.isEmpty else {
            self.init(code: nil)
            return
        }
        guard payload.count >= 2 else {
            throw .breach("5.5.1", expected: "a close code of two bytes", seen: "one byte")
        }
        let code = CloseCode(rawValue: UInt16(payload[0]) &<< 8 | UInt16(payload[1]))
        guard code.mayBeReceived else {
            throw .breach(
                "7.4", expected: "a close code that may be on the wire", seen: "\(code.rawValue)")
        }
        guard let reason = String(validatingUTF8: payload.extracting(droppingFirst: 2)) else {
            throw ProtocolViolation(
                closeCode: .invalidPayloadData, clause: "5.5.1",
                expected: "UTF-8 in a close reason", seen: "invalid bytes")
        }
        self.init(code: code, reason: reason)
    }

    /// Judges what the caller wants to send.
    ///
    /// - Throws: ``SendError/reservedCloseCode(_:)``, ``SendError/reasonWithoutCode`` or
    ///   ``SendError/reasonTooLong(_:)``.
    public func validateForSending() throws(SendError) {
        if let code {
            guard code.mayBeSent else { throw .reservedCloseCode(code) }
        } else {
            guard reason.isEmpty else { throw .reasonWithoutCode }
        }
        let length = reason.utf8.count
        guard length <= Self.longestReasonBytes else { throw .reasonTooLong(length) }
    }

    /// A lawful payload that is as near as can be: a code that may not be sent becomes 1011, and a
    /// long reason is cut at the end of a character.
    static func adapted(_ code: CloseCode, reason: String) -> ClosePayload {
        let lawful = code.mayBeSent ? code : .internalError
        guard reason.utf8.count > longestReasonBytes else {
            return ClosePayload(code: lawful, reason: reason)
        }
        var cut = String.UnicodeScalarView()
        var length = 0
        for scalar in reason.unicodeScalars {
            length &+= UTF8.width(scalar)
            guard length <= longestReasonBytes else { break }
            cut.append(scalar)
        }
        return ClosePayload(code: lawful, reason: String(cut))
    }

    /// The payload's bytes: nothing at all without a code.
    var bytes: [UInt8] {
        guard let code else { return [] }
        let high = UInt8(truncatingIfNeeded: code.rawValue &>> 8)
        let low = UInt8(truncatingIfNeeded: code.rawValue)
        return [high, low] + reason.utf8
    }
}
