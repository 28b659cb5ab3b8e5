/// Why a proxy opened no tunnel. Holds numbers only.
public enum ProxyFailure: Error, Sendable, Hashable {
    /// The proxy answered CONNECT with this HTTP status (RFC 9110 §9.3.6); 407 asks for credentials.
    case status(Int)
    /// The proxy answered a SOCKS5 request with this reply (RFC 1928 §6).
    case reply(UInt8)
    /// The SOCKS5 proxy takes none of the ways to authenticate that this client offered (RFC 1928 §3).
    case noAcceptableMethod
    /// The SOCKS5 proxy refused the user name and password (RFC 1929 §2).
    case credentialsRefused
    /// What the proxy answered is not the protocol that it was addressed in.
    case malformedAnswer
    /// The proxy ended the stream before it had answered.
    case ended
    /// This transport cannot go through a proxy here.
    case unavailable
}

extension ProxyFailure: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .status(407): "the proxy wants credentials, or others than it was given (HTTP 407)"
        case .status(let status): "the proxy answered HTTP \(status)"
        case .reply(let reply):
            "the proxy refused: \(Self.words(for: reply)) (SOCKS5 reply \(reply))"
        case .noAcceptableMethod: "the proxy wants another way to authenticate"
        case .credentialsRefused: "the proxy refused the user name and password"
        case .malformedAnswer: "the proxy's answer makes no sense"
        case .ended: "the proxy ended the connection without an answer"
        case .unavailable: "this transport cannot go through a proxy here"
        }
    }

    /// The status or reply; `nil` where there is none.
    public var number: Int? {
        switch self {
        case .status(let status): status
        case .reply(let reply): Int(reply)
        case .noAcceptableMethod, .credentialsRefused, .malformedAnswer, .ended, .unavailable: nil
        }
    }

    /// RFC 1928 §6.
    private static func words(for reply: UInt8) -> String {
        switch reply {
        case 1: "general failure"
        case 2: "not allowed by its rules"
        case 3: "network unreachable"
        case 4: "host unreachable"
        case 5: "connection refused"
        case 6: "time to live expired"
        case 7: "command not supported"
        case 8: "kind of address not supported"
        default: "for a reason without a name"
        }
    }
}
