import Foundation
import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Faults of Foundation's task")
struct NativeFaultTests {
    private func posix(_ code: POSIXError.Code) -> NSError {
        NSError(domain: NSPOSIXErrorDomain, code: Int(code.rawValue))
    }

    @Test(
        "T3: an error of the system has its class and its number",
        arguments: [
            (POSIXError.Code.ECONNREFUSED, ConnectionFailure.Kind.refused),
            (.ENETUNREACH, .unreachable), (.EHOSTUNREACH, .unreachable), (.ENETDOWN, .unreachable),
            (.ECONNRESET, .reset), (.ECONNABORTED, .reset), (.EPIPE, .reset),
            (.ENOTCONN, .endOfStream), (.ETIMEDOUT, .timedOut), (.EACCES, .system),
        ])
    func system(_ code: POSIXError.Code, _ kind: ConnectionFailure.Kind) {
        #expect(
            NativeFault(posix(code)) == .failure(ConnectionFailure(kind, systemCode: code.rawValue))
        )
    }

    @Test("T3: what is too long and what is no lawful frame are the peer's faults")
    func violations() {
        for (code, closeCode) in [
            (POSIXError.Code.EMSGSIZE, CloseCode.messageTooBig), (.EPROTO, .protocolError),
        ] {
            guard case .violation(let violation) = NativeFault(posix(code)) else {
                Issue.record("\(code) is no violation")
                continue
            }
            #expect(violation.closeCode == closeCode)
        }
    }

    @Test("T3: other errors keep their number, if it is one of the system's size")
    func others() {
        #expect(
            NativeFault(URLError(.timedOut)) == .failure(ConnectionFailure(URLError(.timedOut))))
        #expect(
            NativeFault(NSError(domain: "other", code: 7))
                == .failure(ConnectionFailure(.system, systemCode: 7)))
        #expect(
            NativeFault(NSError(domain: NSPOSIXErrorDomain, code: .max))
                == .failure(ConnectionFailure(.system, systemCode: .max)))
    }

    @Test("T3: a Close frame is told with its code, without one, or not at all")
    func closes() {
        #expect(PeerClose(.invalid, reason: nil) == nil)
        #expect(PeerClose(.noStatusReceived, reason: nil) == PeerClose(code: nil))
        #expect(
            PeerClose(.goingAway, reason: Data("bye".utf8)) == PeerClose(code: 1_001, reason: "bye")
        )
        #expect(PeerClose(.goingAway, reason: Data([0xFF]))?.reason == "\u{FFFD}")
    }

    @Test("T3: messages come over as they are")
    func messages() {
        #expect(Message(.string("ä")) == .text("ä"))
        #expect(Message(.data(Data([1, 2]))) == .binary([1, 2]))
    }
}
