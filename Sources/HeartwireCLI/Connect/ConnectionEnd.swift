import HeartwireProtocol
import HeartwireSession

extension CommandEnd {
    /// What the end of `connect`'s last connection means for the command (field case K12-01): it went well when
    /// this side's close was confirmed, or when the server closed with 1000 or without a code. An answer with a failing
    /// code of its own, such as 1011, confirms nothing: it may have crossed our close.
    init(_ cause: CloseCause) {
        switch cause {
        case .closedByApp(let sent, let answer?)
        where answer.isInOrder || answer.code == sent || answer.code == .goingAway:
            self = .done
        case .closedByPeer(let peer) where peer.isInOrder:
            self = .done
        case .closedByApp, .closedByPeer, .heartbeatTimeout, .connectTimeout,
            .connectFailed, .refused, .badHandshake, .protocolViolation, .connectionLost,
            .requestFailed:
            self = .failed(ConnectionEnd.line(for: cause), as: ConnectionEnd.status(for: cause))
        }
    }
}

extension PeerClose {
    /// Whether it is the close of a server that has what it wanted.
    var isInOrder: Bool { code == nil || code == .normalClosure }
}

/// How an end is told to a person.
enum ConnectionEnd {
    /// The most bytes of a refusal's body that are shown.
    static let shownBodyBytes = 300

    /// The header fields of a refusal that tell why or what to do.
    private static let shownHeaders = [
        "Location", "Retry-After", "WWW-Authenticate", "Upgrade", "Sec-WebSocket-Version",
        "Content-Type",
    ]

    /// The status that tells a script which kind of end it was, where it was none that went well.
    static func status(for cause: CloseCause) -> ExitStatus {
        switch cause {
        case .connectFailed(let failure): status(for: failure)
        case .refused: .refused
        case .badHandshake, .protocolViolation: .protocolBroken
        case .closedByApp, .closedByPeer, .connectionLost: .closedAbnormally
        case .heartbeatTimeout, .connectTimeout: .timedOut
        case .requestFailed: .failure
        }
    }

    private static func status(for failure: ConnectionFailure) -> ExitStatus {
        switch failure.kind {
        case .tls: .insecure
        case .timedOut: .timedOut
        case .resolution, .refused, .unreachable, .reset, .endOfStream, .proxy, .forbidden,
            .system:
            .failure
        }
    }

    /// Who or what ended a connection, with the code and reason of a close (field case K12-09). Not yet escaped.
    static func line(for cause: CloseCause) -> String {
        switch cause {
        case .refused(let refusal): line(for: refusal)
        case .closedByApp, .closedByPeer, .heartbeatTimeout, .connectTimeout, .connectFailed,
            .badHandshake, .protocolViolation, .connectionLost, .requestFailed:
            "\(cause)"
        }
    }

    /// The status, the header fields that help, and the beginning of the body (field case K12-09). Not yet
    /// escaped: that is done once, where the line is written.
    static func line(for refusal: Refusal) -> String {
        var line = refusal.description
        for name in shownHeaders {
            // A server may offer several ways to log in, each in a field of its own (RFC 9110 §11.6.1).
            let values = refusal.headers.all(name)
            guard !values.isEmpty else { continue }
            let value = values.map { name == "Location" ? withoutSecrets($0) : $0 }
            line += "; \(name): \(value.joined(separator: ", "))"
        }
        guard !refusal.body.isEmpty else { return line }
        let shown = refusal.body.prefix(shownBodyBytes)
        // A line's end at the end of the body says nothing.
        let end = shown.lastIndex { $0 != 0x0A && $0 != 0x0D }.map { $0 + 1 } ?? 0
        let text = String(decoding: shown[..<end], as: UTF8.self)
        return "\(line); it says: \(text)\(shown.count < refusal.body.count ? "…" : "")"
    }

    /// Where a redirect leads, without credentials and with `?…` for a query, as our own URLs are shown (K05-18).
    static func withoutSecrets(_ location: String) -> String {
        let end = location.firstIndex { $0 == "?" || $0 == "#" } ?? location.endIndex
        var shown = String(location[..<end])
        if let start = shown.firstRange(of: "//")?.upperBound {
            let authority = shown[start...].prefix { $0 != "/" }
            if let at = authority.lastIndex(of: "@") { shown.removeSubrange(start...at) }
        }
        return end < location.endIndex && location[end] == "?" ? shown + "?…" : shown
    }
}
