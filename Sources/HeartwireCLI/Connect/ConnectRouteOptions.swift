import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

/// How `heartwire connect` gets to the server.
struct ConnectRouteOptions: Sendable, Hashable {
    /// The proxy to go through, if any.
    var proxy = ProxyConfiguration.direct
    /// Whether redirects are followed.
    var redirects = RedirectPolicy.refuse

    private static let proxyOption = Option.text(
        "proxy", "URL|env",
        "Go through this proxy, http://… or socks5://…, or as the environment says.")
    private static let redirectsOption = Option.flag(
        "follow-redirects", "Go where up to five redirects lead.")

    static let options = [proxyOption.spec, redirectsOption.spec]

    static let helpText = """
        With --proxy=env the proxy is that of HTTPS_PROXY for wss://, HTTP_PROXY for
        ws://, or ALL_PROXY, and what NO_PROXY lists is reached directly: names with all
        below them, .names for only those below, addresses, networks such as 10.0.0.0/8,
        each of them with :PORT if you like, or *. Without --proxy the environment is not
        looked at.
        """

    /// Goes straight to the server.
    init() {}

    /// Reads the values.
    ///
    /// - Parameter environment: what `env` stands for.
    /// - Throws: ``UsageError`` for a proxy that is none. It does not repeat the URL, which may hold a password.
    init(
        _ parsed: ParsedArguments,
        environment: () throws(ProxyURLError) -> ProxyConfiguration = ProxyConfiguration.environment
    ) throws(UsageError) {
        if try parsed.value(of: Self.redirectsOption) { redirects = .follow }
        guard let text = try parsed.value(of: Self.proxyOption) else { return }
        do throws(ProxyURLError) {
            proxy = text == "env" ? try environment() : .server(try ProxyServer(text))
        } catch {
            throw UsageError(
                "the proxy cannot be used: \(displaySafe(error.description))", command: "connect")
        }
    }
}
