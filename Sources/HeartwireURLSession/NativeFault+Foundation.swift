import Foundation
import HeartwireProtocol
import HeartwireSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension NativeFault {
    /// The class of an error that Foundation's task gave.
    ///
    /// Errors of the protocol come as numbers of POSIX: what is too long, and what is no lawful frame.
    init(_ error: any Error) {
        if let error = error as? URLError {
            self = .failure(ConnectionFailure(error))
            return
        }
        guard let code = Self.systemCode(of: error) else {
            self = .failure(
                ConnectionFailure(.system, systemCode: Int32(clamping: (error as NSError).code)))
            return
        }
        switch code {
        case .EMSGSIZE:
            self = .violation(
                ProtocolViolation(
                    closeCode: .messageTooBig, clause: "7.4.1",
                    expected: "a message within the limit", seen: "a longer one"))
        case .EPROTO:
            self = .violation(
                ProtocolViolation(
                    closeCode: .protocolError, clause: "5", expected: "lawful frames",
                    seen: "what the system does not accept"))
        default:
            self = .failure(ConnectionFailure(Self.kind(of: code), systemCode: code.rawValue))
        }
    }

    private static func systemCode(of error: any Error) -> POSIXError.Code? {
        let error = error as NSError
        guard error.domain == NSPOSIXErrorDomain else { return nil }
        return POSIXError.Code(rawValue: Int32(clamping: error.code))
    }

    private static func kind(of code: POSIXError.Code) -> ConnectionFailure.Kind {
        switch code {
        case .ECONNREFUSED: .refused
        case .ENETUNREACH, .EHOSTUNREACH, .ENETDOWN: .unreachable
        case .ECONNRESET, .ECONNABORTED, .EPIPE: .reset
        case .ENOTCONN: .endOfStream
        case .ETIMEDOUT: .timedOut
        default: .system
        }
    }
}
