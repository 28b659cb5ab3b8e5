/// What the variables of an environment say about proxies.
///
/// - `HTTPS_PROXY` names the proxy for `wss:`, `HTTP_PROXY` the one for `ws:`, and `ALL_PROXY` the one for
///   both where the other is absent or empty. Values are as in ``ProxyServer/init(_:)``.
/// - `NO_PROXY` lists the servers that are reached directly; see ``ProxyExceptions``.
/// - Each may be written in lower case, which wins where both are there.
/// - `HTTP_PROXY` in capitals counts for nothing where `REQUEST_METHOD` is there: in a CGI program
///   anybody can set it by a header called `Proxy`.
public struct ProxyVariables: Sendable, Hashable {
    private let secure: ProxyServer?
    private let plain: ProxyServer?
    private let exceptions: ProxyExceptions

    /// Reads the variables out of an environment.
    ///
    /// - Throws: ``ProxyURLError`` for a proxy that cannot be understood. To connect directly in its place would
    ///   tell the network what somebody wanted to go through a proxy.
    public init(_ environment: [String: String]) throws(ProxyURLError) {
        let isCGI = environment["REQUEST_METHOD"] != nil
        let all = Self.value("ALL_PROXY", environment)
        let http = Self.value("HTTP_PROXY", environment, capitalsCount: !isCGI) ?? all
        let https = Self.value("HTTPS_PROXY", environment) ?? all
        plain = try http.map { text throws(ProxyURLError) in try ProxyServer(text) }
        secure = try https.map { text throws(ProxyURLError) in try ProxyServer(text) }
        exceptions = ProxyExceptions(Self.value("NO_PROXY", environment) ?? "")
    }

    /// The proxy to reach `url` through; `nil` for a direct connection.
    public func server(for url: WebSocketURL) -> ProxyServer? {
        exceptions.contain(url) ? nil : url.isSecure ? secure : plain
    }

    /// An empty value is the way to take a variable back.
    private static func value(
        _ name: String, _ environment: [String: String], capitalsCount: Bool = true
    ) -> String? {
        if let value = environment[name.lowercased()] { return value.isEmpty ? nil : value }
        guard capitalsCount, let value = environment[name], !value.isEmpty else { return nil }
        return value
    }
}
