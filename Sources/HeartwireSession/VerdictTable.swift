public import HeartwireProtocol

/// What to do after a connection ended (promise R3).
public enum Verdict: Sendable, Hashable {
    /// Connect again after the backoff's delay.
    case retry
    /// Connect again after this long, or after the backoff's delay where that is longer.
    case retryAfter(Duration)
    /// Connect again with fresh credentials, once in a row of attempts; a second time stops.
    case refreshCredentials
    /// Do not connect again.
    case stop
}

/// The verdict for each cause, as a value that the app can change:
/// `policy.verdicts[.closeCode(1008)] = .retry`.
///
/// Without a change the verdicts are these.
///
/// Close codes from the peer (RFC 6455 §7.4, IANA's registry):
/// - 1000, 1001, no code (1005): retry. A server that restarts or sheds load says so in these words.
/// - 1006, 1011–1014, and codes that nobody registered: retry. The fault is the server's and may pass.
/// - 1002, 1003, 1007, 1009, 1010: stop. The server says that this client's own bytes are at fault.
/// - 1008: stop. What broke a policy once breaks it again.
/// - 1015: stop. It is never lawful on the wire.
/// - 3000 (Unauthorized), 4401: refresh credentials. 3003 (Forbidden), 4403: stop.
/// - Others of 3000–4999: retry. Only the app knows what its server means by them.
///
/// Answers to the opening handshake (RFC 9110 §15):
/// - 401, 407: refresh credentials.
/// - 408, 425, 429, 5xx: retry, after `Retry-After` where the answer has one.
/// - 2xx: retry. A captive portal answers 200 with a page of its own; it passes.
/// - 3xx: stop. A redirect is followed within its attempt (``RedirectPolicy``), or not at all. Other 4xx, such as 403, 404, 410, 426: stop.
/// - Any other number is no HTTP status: stop.
///
/// TLS:
/// - A certificate that is not trusted, for another name, out of its time, or not pinned: stop. Connecting
///   again would not change it, and somebody may be listening on the way.
/// - No `http/1.1`, no common version, no TLS at all, certificates of our own that cannot be used: stop.
/// - An alert from the peer, a stream cut short, a broken record: retry.
///
/// Proxies:
/// - HTTP 407, credentials refused: refresh credentials. The request is asked for anew, and it may name
///   another proxy. No way to authenticate that both know: stop.
/// - HTTP 408, 425, 429, 5xx: retry. Another status, such as 403: stop.
/// - SOCKS replies 2 (not allowed), 7 and 8 (not supported): stop. Others, such as host unreachable: retry.
/// - An answer that makes no sense, or none: retry.
///
/// Everything else:
/// - The platform forbids it: stop. It would again.
/// - Closed by the app: stop.
/// - Could not connect, not open in time, no pong, connection lost, no request: retry.
/// - A bad opening handshake: retry. Proxies and restarting servers cut handshakes short, and a
///   server that never gets it right uses up the backoff's attempts.
/// - A peer that breaks the protocol once open: retry. One damaged stream is no proof of the next.
public struct VerdictTable: Sendable, Hashable {
    /// What a verdict can be set for. A code, status or failure is looked up before the kind of its cause.
    public enum Key: Sendable, Hashable {
        /// A Close frame from the peer with this code; 1005 for one without a code.
        case closeCode(CloseCode)
        /// An answer to the opening handshake with this HTTP status.
        case status(Int)
        /// A failure of TLS, before or after the opening.
        case tls(TLSFailure.Kind)
        /// A proxy that opened no tunnel, for this reason.
        case proxy(ProxyFailure)
        /// Another failure beneath the protocol, of this class, before or after the opening.
        case failure(ConnectionFailure.Kind)
        /// Every cause of this kind.
        case kind(CloseCause.Kind)
    }

    private var changes: [Key: Verdict]

    /// Makes the table with the verdicts that are listed above.
    public init() {
        changes = [:]
    }

    /// The verdict for a key; set it to change the table.
    public subscript(key: Key) -> Verdict {
        get { changes[key] ?? Self.standard(for: key) }
        set { changes[key] = newValue }
    }

    /// The verdict for a cause: a change of its code, status or failure, else a change of its kind, else
    /// what is listed above.
    public func verdict(for cause: CloseCause) -> Verdict {
        guard let key = Self.specificKey(of: cause) else { return self[.kind(cause.kind)] }
        return changes[key] ?? changes[.kind(cause.kind)] ?? Self.standard(for: key)
    }

    private static func specificKey(of cause: CloseCause) -> Key? {
        switch cause {
        case .closedByPeer(let peer): .closeCode(peer.code ?? 1005)
        case .refused(let refusal): .status(refusal.status)
        case .connectFailed(let failure), .connectionLost(let failure):
            failure.tls.map { .tls($0.kind) } ?? failure.proxy.map { .proxy($0) }
                ?? .failure(failure.kind)
        case .closedByApp, .heartbeatTimeout, .connectTimeout, .badHandshake, .protocolViolation,
            .requestFailed:
            nil
        }
    }

    private static func standard(for key: Key) -> Verdict {
        switch key {
        case .closeCode(let code): standard(forCloseCode: code.rawValue)
        case .status(let status): standard(forStatus: status)
        case .tls(let failure): standard(forTLS: failure)
        case .proxy(let failure): standard(for: failure)
        case .failure(let kind): kind == .forbidden ? .stop : .retry
        case .kind(let kind): standard(for: kind)
        }
    }

    private static func standard(forCloseCode code: UInt16) -> Verdict {
        switch code {
        case 3000, 4401: .refreshCredentials
        case 1002, 1003, 1007, 1008, 1009, 1010, 1015, 3003, 4403: .stop
        default: .retry
        }
    }

    private static func standard(forStatus status: Int) -> Verdict {
        switch status {
        case 401, 407: .refreshCredentials
        case 408, 425, 429, 200...299, 500...599: .retry
        default: .stop
        }
    }

    private static func standard(forTLS failure: TLSFailure.Kind) -> Verdict {
        switch failure {
        case .untrusted, .nameMismatch, .expired, .notYetValid, .pinMismatch, .applicationProtocol,
            .version, .notTLS, .plainHTTP, .configuration, .unavailable:
            .stop
        case .alert, .truncated, .broken: .retry
        }
    }

    private static func standard(for failure: ProxyFailure) -> Verdict {
        switch failure {
        case .status(407), .credentialsRefused: .refreshCredentials
        case .status(408), .status(425), .status(429), .status(500...599): .retry
        case .status, .noAcceptableMethod, .unavailable: .stop
        case .reply(2), .reply(7), .reply(8): .stop
        case .reply, .malformedAnswer, .ended: .retry
        }
    }

    private static func standard(for kind: CloseCause.Kind) -> Verdict {
        switch kind {
        case .closedByApp: .stop
        case .refused: .stop
        case .closedByPeer, .heartbeatTimeout, .connectTimeout, .connectFailed, .badHandshake,
            .protocolViolation, .connectionLost, .requestFailed:
            .retry
        }
    }
}
