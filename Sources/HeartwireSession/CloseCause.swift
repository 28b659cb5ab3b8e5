public import HeartwireProtocol

/// Why a connection ended. Each connection ends with exactly one of these (promises G4, H10): the
/// first terminal signal decides, and later ones are symptoms.
///
/// Indirect, so that a connection that is open pays for none: states, events and effects all have room for one.
public indirect enum CloseCause: Sendable, Hashable {
    /// The app asked for the close. `answer` is the peer's Close frame, `nil` when none came in time.
    case closedByApp(sent: CloseCode?, answer: PeerClose?)
    /// The peer sent a Close frame of its own accord.
    case closedByPeer(PeerClose)
    /// No pong in time for a ping (H4, H5, H15).
    case heartbeatTimeout
    /// The connection was not open by its deadline; tells how far it had come.
    case connectTimeout(ConnectPhase)
    /// The connection could not be made.
    case connectFailed(ConnectionFailure)
    /// The server answered the opening handshake with something other than 101.
    case refused(Refusal)
    /// The server's answer to the opening handshake broke a rule of RFC 6455 §4.
    case badHandshake(ProtocolViolation)
    /// The peer broke a rule after the opening; the connection was failed with the violation's code.
    case protocolViolation(ProtocolViolation)
    /// The stream ended without a closing handshake (1006 in the terms of RFC 6455 §7.1.5).
    case connectionLost(ConnectionFailure)
    /// The app's request provider threw instead of giving a request; carries what it said.
    case requestFailed(String)
}

/// The code and reason of a Close frame that the peer sent (RFC 6455 §5.5.1).
public struct PeerClose: Sendable, Hashable {
    /// The code, or `nil` when the Close frame was empty (1005 in the RFC's terms, never on the wire).
    public var code: CloseCode?
    /// The peer's words, valid UTF-8 of at most 123 bytes. Anything may stand here: escape it for display.
    public var reason: String

    /// States what the peer's Close frame held.
    public init(code: CloseCode?, reason: String = "") {
        self.code = code
        self.reason = reason
    }
}

/// How far an attempt to connect had come.
public enum ConnectPhase: String, Sendable, Hashable, CaseIterable {
    /// The app's provider had not answered with a request.
    case request
    /// The host's name was being looked up.
    case resolving
    /// TCP was being connected.
    case tcp
    /// A proxy was being asked for a tunnel.
    case proxy
    /// TLS was being set up.
    case tls
    /// The HTTP upgrade had not been answered in full.
    case upgrade
}

/// What went wrong beneath the WebSocket protocol: in the resolver, in TCP, at a
/// proxy, in TLS.
public struct ConnectionFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The classes of failure that a policy can tell apart.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The name does not resolve.
        case resolution
        /// Nobody listens on the port.
        case refused
        /// No route to the host or network.
        case unreachable
        /// The peer reset the connection.
        case reset
        /// The peer finished its side without a Close frame.
        case endOfStream
        /// The kernel gave up waiting.
        case timedOut
        /// TLS; ``ConnectionFailure/tls`` tells what.
        case tls
        /// A proxy opened no tunnel; ``ConnectionFailure/proxy`` tells why.
        case proxy
        /// The platform does not let this app connect (``LowLevelNetworking``).
        case forbidden
        /// Anything else that the kernel reports.
        case system
    }

    /// The class.
    public let kind: Kind
    /// The system's number for it (`errno`, or `getaddrinfo`'s code for ``Kind/resolution``), 0 where there is none.
    public let systemCode: Int32
    /// What TLS says, where that is what failed.
    public let tls: TLSFailure?
    /// What the proxy says, where that is what failed.
    public let proxy: ProxyFailure?
    /// Whether it was met on the way to a proxy or while that was asked, and not on the way to the server.
    public var isAtProxy = false

    /// States a failure of class `kind` with the system's number for it.
    public init(_ kind: Kind, systemCode: Int32 = 0) {
        self.kind = kind
        self.systemCode = systemCode
        tls = nil
        proxy = nil
    }

    /// States a failure of TLS.
    public init(_ failure: TLSFailure) {
        kind = .tls
        systemCode = 0
        tls = failure
        proxy = nil
    }

    /// States that a proxy opened no tunnel.
    public init(_ failure: ProxyFailure) {
        kind = .proxy
        systemCode = 0
        tls = nil
        proxy = failure
    }

    /// One line for people, such as `connection refused (errno 111)`.
    public var description: String {
        let words =
            switch kind {
            case .resolution: "the host's name does not resolve"
            case .refused: "connection refused"
            case .unreachable: "no route to the host"
            case .reset: "connection reset by the peer"
            case .endOfStream: "the peer ended the stream without a Close frame"
            case .timedOut: "the network timed out"
            case .tls: tls.map { "\($0)" } ?? "TLS failed"
            case .proxy: proxy.map { "\($0)" } ?? "the proxy opened no tunnel"
            case .forbidden:
                "watchOS lets only apps connect that stream audio or hold a call (LowLevelNetworking)"
            case .system: Self.words(forSystemCode: systemCode)
            }
        let place = isAtProxy ? "at the proxy: " : ""
        guard systemCode != 0 else { return place + words }
        let code = kind == .resolution ? "resolver code" : "errno"
        return "\(place)\(words) (\(code) \(systemCode))"
    }

    /// For the few errors that a person can do something about. Their numbers are the same on Linux and Apple's systems.
    private static func words(forSystemCode code: Int32) -> String {
        switch code {
        case 1, 13: "the system does not permit it"
        case 12: "no memory is left"
        case 22: "the system does not take the address"
        case 23: "no file descriptor is left in the system"
        case 24: "no file descriptor is left in the process"
        default: "system error"
        }
    }
}

extension CloseCause {
    /// The closed enumeration of causes without what they carry: safe to log, count and compare.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case closedByApp = "closed-by-app"
        case closedByPeer = "closed-by-peer"
        case heartbeatTimeout = "heartbeat-timeout"
        case connectTimeout = "connect-timeout"
        case connectFailed = "connect-failed"
        case refused = "refused"
        case badHandshake = "bad-handshake"
        case protocolViolation = "protocol-violation"
        case connectionLost = "connection-lost"
        case requestFailed = "request-failed"
    }

    /// This cause without what it carries.
    public var kind: Kind {
        switch self {
        case .closedByApp: .closedByApp
        case .closedByPeer: .closedByPeer
        case .heartbeatTimeout: .heartbeatTimeout
        case .connectTimeout: .connectTimeout
        case .connectFailed: .connectFailed
        case .refused: .refused
        case .badHandshake: .badHandshake
        case .protocolViolation: .protocolViolation
        case .connectionLost: .connectionLost
        case .requestFailed: .requestFailed
        }
    }

    /// A number that goes with the kind and tells nothing private: the close code, the HTTP status,
    /// the SOCKS reply or the system's error number; `nil` where there is none.
    public var number: Int? {
        switch self {
        case .closedByApp(let sent, let answer): (answer?.code ?? sent).map { Int($0.rawValue) }
        case .closedByPeer(let peer): peer.code.map { Int($0.rawValue) }
        case .heartbeatTimeout, .connectTimeout, .requestFailed: nil
        case .connectFailed(let failure), .connectionLost(let failure):
            failure.systemCode == 0 ? failure.proxy?.number : Int(failure.systemCode)
        case .refused(let refusal): refusal.status
        case .badHandshake(let violation), .protocolViolation(let violation):
            Int(violation.closeCode.rawValue)
        }
    }
}

extension CloseCause {
    /// Whether neither side had asked for this end.
    package var isFailure: Bool {
        switch self {
        case .closedByApp, .closedByPeer: false
        case .heartbeatTimeout, .connectTimeout, .connectFailed, .refused, .badHandshake,
            .protocolViolation, .connectionLost, .requestFailed:
            true
        }
    }
}

extension CloseCause: CustomStringConvertible {
    /// One line for people. Holds the peer's reason, so it is not for the journal.
    public var description: String {
        switch self {
        case .closedByApp(let sent, let answer):
            let code = sent.map { "\($0.rawValue)" } ?? "no code"
            guard let answer else {
                return "closed by the app (\(code)), not confirmed by the peer"
            }
            return "closed by the app (\(code)), the peer answered \(answer)"
        case .closedByPeer(let peer): return "closed by the peer: \(peer)"
        case .heartbeatTimeout: return "no pong in time"
        case .connectTimeout(let phase): return "not open in time (\(phase.rawValue))"
        case .connectFailed(let failure): return "cannot connect: \(failure)"
        case .refused(let refusal): return "\(refusal)"
        case .badHandshake(let violation): return "bad opening handshake: \(violation)"
        case .protocolViolation(let violation): return "the peer broke the protocol: \(violation)"
        case .connectionLost(let failure): return "connection lost: \(failure)"
        case .requestFailed(let words): return "no request for the attempt: \(words)"
        }
    }
}

extension PeerClose: CustomStringConvertible {
    /// The code and the quoted reason, such as `1001 "going away"`; `no code` for an empty Close.
    public var description: String {
        guard let code else { return "no code" }
        return reason.isEmpty ? "\(code.rawValue)" : "\(code.rawValue) \(reason.debugDescription)"
    }
}
