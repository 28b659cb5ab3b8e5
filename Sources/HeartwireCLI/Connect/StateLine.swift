import HeartwireProtocol
import HeartwireSession

/// How a session's states are told on the standard error.
enum StateLine {
    /// One line, not yet escaped; `nil` for a state that is told elsewhere: the end of the session is the
    /// command's last line.
    static func text(
        for state: SessionState, url: WebSocketURL, opened: OpenedConnection?
    ) -> String? {
        switch state {
        case .idle, .stopped: nil
        case .connecting(_, attempt: 0): "connecting to \(url)"
        case .connecting(_, let attempt): "connecting to \(url), attempt \(attempt)"
        case .open: opened?.subprotocol.map { "open, subprotocol \($0)" } ?? "open"
        case .closing: "closing"
        case .waiting(let attempt, let delay, let cause):
            "\(ConnectionEnd.line(for: cause)); attempt \(attempt) follows in \(seconds(delay))"
        case .suspended(let cause?): "\(ConnectionEnd.line(for: cause)); suspended"
        case .suspended(nil): "suspended"
        }
    }

    /// What broke while the command's own close was under way, in the journal's names (field case K10-11).
    static func text(forSymptom cause: CloseCause.Kind, number: Int?) -> String {
        "during the close: \(cause.rawValue)" + (number.map { " (\($0))" } ?? "")
    }

    /// Seconds with one decimal.
    private static func seconds(_ duration: Duration) -> String {
        let tenths = duration.milliseconds / 100
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
