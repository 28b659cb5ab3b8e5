public import Heartwire

/// What there is to show.
public enum ChatNews: Sendable, Hashable {
    /// The session is in another state.
    case state(SessionState)
    /// Somebody is there.
    case joined(ChatPerson)
    /// Somebody is going.
    case left(ChatPerson)
    /// Somebody else said something.
    case said(ChatLine)
    /// An own line has come further.
    case marked(ChatLine, ChatMark)

    /// One line for people. Names, texts and reasons are other people's, so nothing in it moves a cursor.
    public var text: String {
        switch self {
        case .state(let state): Self.printable(Self.text(of: state))
        case .joined(let person): Self.printable("\(person.name) is here")
        case .left(let person): Self.printable("\(person.name) has left")
        case .said(let line): Self.printable("\(line.id.author.name): \(line.text)")
        case .marked(let line, let mark): Self.printable("\(mark.symbol) \(line.text)")
        }
    }

    /// A state in words.
    public static func text(of state: SessionState) -> String {
        switch state {
        case .idle: "not connected"
        case .connecting: "connecting"
        case .open: "connected"
        case .closing: "closing"
        case .waiting(_, let delay, let cause):
            "\(cause); again in \(seconds(delay)) s"
        case .suspended: "away"
        case .stopped(let cause): "ended: \(cause)"
        }
    }

    /// Seconds with one decimal.
    private static func seconds(_ duration: Duration) -> String {
        let tenths = duration / .milliseconds(100)
        return "\(Int(tenths) / 10).\(Int(tenths) % 10)"
    }

    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse:
                        "\u{FFFD}"
                    default: scalar
                    }
                }))
    }
}
