import Foundation
import HeartwireSession
import Testing

@testable import HeartwireURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Errors of URLSession")
struct URLErrorClassificationTests {
    @Test(
        "T3: an error of URLSession has the class that a policy can tell apart, and keeps its code",
        arguments: [
            (URLError.Code.cannotFindHost, ConnectionFailure.Kind.resolution),
            (.dnsLookupFailed, .resolution),
            (.cannotConnectToHost, .refused),
            (.notConnectedToInternet, .unreachable),
            (.networkConnectionLost, .reset),
            (.timedOut, .timedOut),
            (.badServerResponse, .system),
        ])
    func classified(_ code: URLError.Code, _ kind: ConnectionFailure.Kind) {
        let failure = ConnectionFailure(URLError(code))
        #expect(failure.kind == kind)
        #expect(failure.systemCode == Int32(code.rawValue))
    }

    @Test(
        "T3, P3: what TLS has to do with is told as TLS",
        arguments: [
            (URLError.Code.serverCertificateUntrusted, TLSFailure.Kind.untrusted),
            (.serverCertificateHasUnknownRoot, .untrusted),
            (.serverCertificateHasBadDate, .expired),
            (.serverCertificateNotYetValid, .notYetValid),
            (.clientCertificateRequired, .configuration),
            (.clientCertificateRejected, .configuration), (.secureConnectionFailed, .broken),
        ])
    func tls(_ code: URLError.Code, _ kind: TLSFailure.Kind) {
        #expect(ConnectionFailure(URLError(code)).tls?.kind == kind)
    }
}
