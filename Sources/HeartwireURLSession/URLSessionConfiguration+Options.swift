import Foundation
import HeartwireProtocol
import HeartwireSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// The configuration for one connection. It shares neither cookies nor caches nor credentials with anything else.
    static func heartwire(
        _ options: URLSessionOptions, request: ConnectionRequest
    ) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = options.resourceTimeout.seconds
        configuration.timeoutIntervalForRequest =
            (options.requestTimeout ?? options.resourceTimeout).seconds
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        #if canImport(Darwin)
            configuration.waitsForConnectivity = options.waitsForConnectivity
            configuration.tlsMinimumSupportedProtocolVersion =
                request.tls?.minimumVersion == .tls13 ? .TLSv13 : .TLSv12
            if let server = request.proxy?.server(for: request.url) {
                configuration.connectionProxyDictionary = ProxySettings.dictionary(for: server)
                    .mapValues { $0.value }
            }
        #endif
        return configuration
    }
}
