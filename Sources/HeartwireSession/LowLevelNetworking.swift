/// Whether this app may open connections beneath HTTP, which a WebSocket is.
///
/// Every platform lets every app, but for watchOS. There it takes an app that streams audio, holds a call by CallKit,
/// or is found by an app on a television through DeviceDiscoveryUI, while it does so (Apple's technical note TN3135). What
/// any other app begins there waits for a network that never comes, Foundation's WebSocket task too, so it is
/// refused at once: the session stops with ``ConnectionFailure/Kind/forbidden`` and does not try again.
public enum LowLevelNetworking: Sendable, Hashable, CaseIterable {
    /// Connect where the platform lets every app.
    case whereAllowedToAll
    /// Connect on watchOS as well: this app is one of those, and connects only while it may.
    case allowedToThisApp

    /// Whether this platform lets some apps only.
    public static var isRestricted: Bool {
        #if os(watchOS)
            true
        #else
            false
        #endif
    }

    /// What an attempt to connect ends with at once; `nil` where it may begin.
    ///
    /// - Parameter isRestricted: Whether the platform lets some apps only.
    package func obstacle(isRestricted: Bool = Self.isRestricted) -> ConnectionFailure? {
        switch self {
        case .whereAllowedToAll: isRestricted ? ConnectionFailure(.forbidden) : nil
        case .allowedToThisApp: nil
        }
    }
}
