public import Heartwire

/// How far one of the own lines has come.
public enum ChatMark: Sendable, Hashable {
    /// It waits for a connection.
    case waiting
    /// It went out.
    case sent
    /// Somebody has it.
    case heard
    /// It was given up.
    case lost

    /// The mark for what a receipt says.
    public init(_ state: Receipt.State) {
        switch state {
        case .stored: self = .waiting
        case .written: self = .sent
        case .confirmed: self = .heard
        case .expired, .rejected: self = .lost
        }
    }

    /// The mark beside a line.
    public var symbol: String {
        switch self {
        case .waiting: "…"
        case .sent: "✓"
        case .heard: "✓✓"
        case .lost: "✗"
        }
    }
}
