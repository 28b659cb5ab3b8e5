/// Whether and through which proxy a server is reached (promise P6).
public enum ProxyConfiguration: Sendable, Hashable {
    /// Through none.
    case direct
    /// Through this one, whatever the server.
    case server(ProxyServer)
    /// As variables of the environment have it, for each server.
    case variables(ProxyVariables)

    /// Through the HTTP proxy at this URL, such as `http://user:password@proxy.example:3128`. A `ws:` server is
    /// reached by CONNECT, too.
    ///
    /// - Throws: ``ProxyURLError`` for a URL that is none of an HTTP proxy.
    public static func http(_ url: String) throws(ProxyURLError) -> ProxyConfiguration {
        try server(url, .http)
    }

    /// Through the SOCKS5 proxy at this URL, such as `socks5://127.0.0.1:1080`. Names are resolved by the proxy.
    ///
    /// - Throws: ``ProxyURLError`` for a URL that is none of a SOCKS5 proxy.
    public static func socks5(_ url: String) throws(ProxyURLError) -> ProxyConfiguration {
        try server(url, .socks5)
    }

    private static func server(
        _ url: String, _ kind: ProxyServer.Kind
    ) throws(ProxyURLError) -> ProxyConfiguration {
        let server = try ProxyServer(url)
        guard server.kind == kind else { throw .unsupportedScheme }
        return .server(server)
    }

    /// The proxy to reach `url` through; `nil` for a direct connection.
    public func server(for url: WebSocketURL) -> ProxyServer? {
        switch self {
        case .direct: nil
        case .server(let server): server
        case .variables(let variables): variables.server(for: url)
        }
    }
}
