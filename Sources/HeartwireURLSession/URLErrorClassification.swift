public import Foundation
public import HeartwireSession

extension ConnectionFailure {
    /// The class of failure that an error of URLSession stands for.
    ///
    /// The system's number is the `URLError` code, which is negative and so cannot be taken for an `errno`.
    public init(_ error: URLError) {
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
}
