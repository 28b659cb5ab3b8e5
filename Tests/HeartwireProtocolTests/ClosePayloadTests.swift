import Testing

@testable import HeartwireProtocol

@Suite("5.5.1: what a Close frame holds")
struct ClosePayloadTests {
    private func parse(_ bytes: [UInt8]) throws -> ClosePayload {
        try ClosePayload(parsing: bytes.span)
    }

    private func fault(_ bytes: [UInt8]) -> ProtocolViolation? {
        do throws(ProtocolViolation) {
            _ = try ClosePayload(parsing: bytes.span)
            return nil
        } catch {
            return error
        }
    }

    @Test("Nothing, a code, a code with a reason")
    func lawful() throws {
        #expect(try parse([]) == ClosePayload(code: nil))
        #expect(try parse(hex("03e8")) == ClosePayload(code: .normalClosure))
        #expect(
            try parse(hex("1387") + Array("schön".utf8))
                == ClosePayload(code: 4999, reason: "schön"))
    }

    @Test("A single byte, an illegal code and a bad reason are violations")
    func unlawful() {
        #expect(fault([3])?.closeCode == .protocolError)
        #expect(fault(hex("03ee"))?.closeCode == .protocolError)
        #expect(fault(hex("03ee"))?.seen == "1006")
        #expect(fault(hex("03e8ff"))?.closeCode == .invalidPayloadData)
        // The code is judged first, as it stands first.
        #expect(fault(hex("03eeff"))?.closeCode == .protocolError)
    }

    @Test("What was made into bytes is read again")
    func roundTrip() throws {
        for payload in [
            ClosePayload(code: nil), ClosePayload(code: 1000),
            ClosePayload(code: 4000, reason: "€"),
        ] {
            #expect(try parse(payload.bytes) == payload)
        }
    }

    private func sendFault(_ code: CloseCode?, _ reason: String) -> SendError? {
        do throws(SendError) {
            try ClosePayload(code: code, reason: reason).validateForSending()
            return nil
        } catch {
            return error
        }
    }

    @Test("K10-05: the caller's illegal codes and long reasons are refused")
    func sending() {
        #expect(sendFault(1000, String(repeating: "x", count: 123)) == nil)
        #expect(sendFault(nil, "") == nil)
        #expect(sendFault(1000, String(repeating: "x", count: 124)) == .reasonTooLong(124))
        #expect(
            sendFault(4000, String(repeating: "x", count: 118) + "🫀🫀🫀🫀🫀") == .reasonTooLong(138))
        #expect(sendFault(nil, "why") == .reasonWithoutCode)
        for code in [999, 1004, 1005, 1006, 1015, 2999, 5000] as [CloseCode] {
            #expect(sendFault(code, "") == .reservedCloseCode(code))
        }
    }

    @Test("A reason of our own is cut at the end of a character, an illegal code becomes 1011")
    func adapted() {
        #expect(
            ClosePayload.adapted(1002, reason: "short") == ClosePayload(code: 1002, reason: "short")
        )
        #expect(ClosePayload.adapted(1006, reason: "").code == .internalError)
        for length in 115...130 {
            let reason = String(repeating: "x", count: length) + "€🫀ü"
            let cut = ClosePayload.adapted(4000, reason: reason)
            #expect(cut.reason.utf8.count <= 123)
            #expect(reason.hasPrefix(cut.reason))
            #expect(cut.reason.utf8.count > 119)
            #expect(cut.bytes.count <= 125)
        }
    }
}
