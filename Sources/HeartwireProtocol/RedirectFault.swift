/// Why a redirect was not followed although the client follows redirects.
public enum RedirectFault: String, Error, Sendable, Hashable, CaseIterable, CustomStringConvertible
{
    /// The answer has no `Location`, or more than one.
    case noLocation = "no-location"
    /// The `Location` is no URL that can be connected to.
    case badLocation = "bad-location"
    /// It leads from `wss:` to `ws:`: what was asked for over TLS does not go on in the clear.
    case downgrade
    /// It leads to where this attempt has already been.
    case loop
    /// The attempt has followed as many as it may.
    case tooMany = "too-many"

    /// One line for people.
    public var description: String {
        switch self {
        case .noLocation: "it does not say where to, or more than once"
        case .badLocation: "it leads to no URL that can be connected to"
        case .downgrade: "it leads from wss to ws"
        case .loop: "it leads in a circle"
        case .tooMany: "there were too many before it"
        }
    }
}
