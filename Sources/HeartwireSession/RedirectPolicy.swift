public import HeartwireProtocol

/// What to do when a server answers the opening handshake with a redirect (RFC 6455 §4.1, RFC 9110 §15.4).
public enum RedirectPolicy: Sendable, Hashable {
    /// Nothing: the attempt ends with the answer, ``CloseCause/refused(_:)``.
    case refuse
    /// Go where 301, 302, 303, 307 and 308 lead, within the same attempt and its deadline.
    ///
    /// At most this often in one attempt, and never more than ``mostRedirects``. Never from `wss:` to `ws:`, and never
    /// twice to one place. To another origin go no credentials, cookies or client certificate.
    case follow(atMost: Int)

    /// The most redirects that one attempt follows: 5.
    public static let mostRedirects = 5

    /// Goes where redirects lead, ``mostRedirects`` times at the most.
    public static var follow: RedirectPolicy { .follow(atMost: mostRedirects) }

    /// What keeps count of them in one attempt; `nil` where none is followed.
    public var trail: RedirectTrail? {
        switch self {
        case .refuse: nil
        case .follow: RedirectTrail(limit: limit)
        }
    }

    /// How many may be followed in one attempt.
    public var limit: Int {
        switch self {
        case .refuse: 0
        case .follow(let limit): max(0, min(limit, Self.mostRedirects))
        }
    }
}
