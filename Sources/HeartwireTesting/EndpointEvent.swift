public import HeartwireProtocol
import HeartwireSession

/// One line of the endpoint's journal. It can hold numbers only: no contents, no header values, no
/// query strings (promise J1).
public struct EndpointEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// A channel was handed over.
        case accepted
        /// A whole opening request came.
        case requested
        /// The 101 was queued.
        case opened
        /// The request got something else: this HTTP status, or `nil` for what is no HTTP answer.
        case refused(status: Int?)
        /// A message of so many bytes came.
        case message(isText: Bool, bytes: Int)
        /// A ping with so many bytes of payload came.
        case ping(bytes: Int)
        /// A pong with so many bytes of payload came.
        case pong(bytes: Int)
        /// The client's Close frame came.
        case closeReceived(CloseCode?)
        /// A Close frame was queued: an answer, a scripted one, or one for a fault of the client.
        case closeSent(CloseCode?)
        /// The stream was ended without a closing handshake.
        case dropped(EndpointBehaviour.DropKind)
        /// From now on the endpoint neither reads nor writes.
        case frozen
        /// The endpoint is done with the connection.
        case ended
    }

    /// When it happened, on the endpoint's executor, counted from when the endpoint was made.
    public let time: Duration
    /// Which connection it happened to; the first is 1.
    public let connection: Int
    /// What happened.
    public let kind: Kind

    /// Describes what happened.
    public init(time: Duration, connection: Int, kind: Kind) {
        self.time = time
        self.connection = connection
        self.kind = kind
    }
}

extension EndpointEvent {
    /// This event as one line of JSON, without the line's end:
    /// `{"t_ms":12.5,"connection":1,"event":"message","opcode":1,"bytes":5}`.
    public var jsonLine: String {
        let head = "{\"t_ms\":\(milliseconds),\"connection\":\(connection),\"event\":"
        return "\(head)\"\(kind.name)\"\(kind.numbers)}"
    }

    /// Milliseconds with as many of three decimals as are needed.
    private var milliseconds: String {
        let microseconds = time.wholeNanoseconds / 1_000
        let (whole, part) = microseconds.quotientAndRemainder(dividingBy: 1_000)
        guard part != 0 else { return "\(whole)" }
        var decimals = String(1_000 + part).dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        return "\(whole).\(decimals)"
    }
}

extension EndpointEvent.Kind {
    /// The name that stands in the journal.
    public var name: String {
        switch self {
        case .accepted: "accepted"
        case .requested: "requested"
        case .opened: "opened"
        case .refused: "refused"
        case .message: "message"
        case .ping: "ping"
        case .pong: "pong"
        case .closeReceived: "close-received"
        case .closeSent: "close-sent"
        case .dropped: "dropped"
        case .frozen: "frozen"
        case .ended: "ended"
        }
    }

    /// What goes with the name, as further JSON members.
    fileprivate var numbers: String {
        switch self {
        case .accepted, .requested, .opened, .frozen, .ended: ""
        case .refused(let status): status.map { ",\"status\":\($0)" } ?? ""
        case .message(let isText, let bytes): ",\"opcode\":\(isText ? 1 : 2),\"bytes\":\(bytes)"
        case .ping(let bytes), .pong(let bytes): ",\"bytes\":\(bytes)"
        case .closeReceived(let code), .closeSent(let code):
            code.map { ",\"code\":\($0.rawValue)" } ?? ""
        case .dropped(let kind): ",\"reset\":\(kind == .rst ? 1 : 0)"
        }
    }
}
