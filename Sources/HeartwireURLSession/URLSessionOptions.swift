public import HeartwireSession

/// How Foundation's session is set up for each connection (promise T3).
public struct URLSessionOptions: Sendable, Hashable {
    /// Whether an attempt waits for a network instead of failing at once when there is none. The client's own deadline
    /// for an attempt goes on meanwhile. Default: it does not wait, so the client's back-off decides.
    public var waitsForConnectivity = false

    /// How long Foundation gives the task in all, `timeoutIntervalForResource`. Default: 300 s.
    ///
    /// Foundation documents it as the time for a whole resource. Where it counts the life of an open connection
    /// too, that ends then, and the client connects again.
    public var resourceTimeout = Duration.seconds(300)

    /// How long Foundation waits for the next byte, `timeoutIntervalForRequest`. The client's heartbeat is the better
    /// judge, so the default is `nil`: as long as ``resourceTimeout``.
    public var requestTimeout: Duration?

    /// Whether this app may connect on watchOS, which lets some apps only. Default: it is refused there, with a
    /// typed failure, as soon as it begins to connect.
    public var networking = LowLevelNetworking.whereAllowedToAll

    /// The defaults.
    public init() {}
}

extension Duration {
    /// This duration in seconds, as Foundation counts.
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
