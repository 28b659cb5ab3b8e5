public import Foundation
public import HeartwireSession

extension ConnectionFailure {
    /// The class of failure that an error of URLSession stands for.
    ///
    /// The system's number is the `URLError` code, which is negative and so cannot be taken for an `errno`.
    public init(_ error: URLError) {
        if let failure = Self.tlsFailure(error.code) {
            self.init(failure)
            return
        }
        let kind: Kind =
            switch error.code {
            case .cannotFindHost, .dnsLookupFailed: .resolution
            case .cannotConnectToHost: .refused
            case .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed: .unreachable
            case .networkConnectionLost: .reset
            case .timedOut: .timedOut
            default: .system
            }
        self.init(kind, systemCode: Int32(clamping: error.code.rawValue))
    }

    private static func tlsFailure(_ code: URLError.Code) -> TLSFailure? {
        switch code {
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot:
            .untrusted("the system does not trust it")
        case .serverCertificateHasBadDate: .expired
        case .serverCertificateNotYetValid: .notYetValid
        case .clientCertificateRequired, .clientCertificateRejected:
            .configuration("the server wants another client certificate")
        case .secureConnectionFailed: .broken("the system's TLS failed")
        default: nil
        }
    }
}
