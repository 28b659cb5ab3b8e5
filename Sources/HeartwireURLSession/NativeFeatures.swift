import HeartwireProtocol
import HeartwireSession

/// What Foundation's task can do beyond the plain case, which differs by platform.
struct NativeFeatures: OptionSet, Sendable {
    let rawValue: Int

    /// It goes through the proxies of its configuration.
    static let proxies = NativeFeatures(rawValue: 1)
    /// It asks its delegate about the server's certificates.
    static let serverTrust = NativeFeatures(rawValue: 2)
    /// It can be told the oldest version of TLS.
    static let minimumVersion = NativeFeatures(rawValue: 4)

    /// What it can do here.
    static let here: NativeFeatures = {
        #if canImport(Security)
            [.proxies, .serverTrust, .minimumVersion]
        #else
            []
        #endif
    }()

    /// Why a request cannot be made with these features, as a typed refusal; `nil` when it can.
    func obstacle(to request: ConnectionRequest) -> ConnectionFailure? {
        if request.proxy?.server(for: request.url) != nil, !contains(.proxies) {
            return ConnectionFailure(ProxyFailure.unavailable)
        }
        guard request.url.isSecure, let tls = request.tls else { return nil }
        if tls.identity != nil {
            return Self.unavailable("URLSession takes no client certificate from PEM text")
        }
        if tls.minimumVersion != .tls12, !contains(.minimumVersion) {
            return Self.unavailable("URLSession cannot be told a version of TLS here")
        }
        let asksDelegate = tls.trust != .system || !tls.pins.isEmpty || tls.acceptsAnyCertificate
        if asksDelegate, !contains(.serverTrust) {
            return Self.unavailable("URLSession asks nobody about certificates here")
        }
        return nil
    }

    private static func unavailable(_ words: String) -> ConnectionFailure {
        ConnectionFailure(TLSFailure.configuration(words))
    }
}
