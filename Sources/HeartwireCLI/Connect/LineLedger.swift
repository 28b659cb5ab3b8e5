import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

/// Counts what becomes of the lines of the input, so that none is lost in silence.
///
/// A line that was sent has arrived for certain once the server has answered a ping that went out behind it. What becomes
/// of the others is decided by how their connection ends, see ``End``. Whether our own close was confirmed is known at the
/// end of the session only, so until then the lines of the last connection wait for ``settle(_:)``.
final class LineLedger: Sendable {
    /// What a connection's end says of the lines that no pong came behind.
    enum End: Sendable, Hashable {
        /// The server closed as one that has what it wanted: they count as arrived (field case K12-01).
        case inOrder
        /// The server closed for a reason of its own, and may have passed over what crossed its Close: that is told.
        case closed
        /// The connection broke: they may not have arrived.
        case broken
    }

    private struct Counts {
        var read = 0
        /// Handed to a connection, whatever became of them.
        var sent = 0
        /// Sent over the present connection and not known to have arrived.
        var open = 0
        /// How many of those stand ahead of the ping that waits for its pong.
        var pinged = 0
        /// Those of the connection that ended last.
        var last = 0
        var lastEnd = End.inOrder
        /// Lines behind which a server closed that may have passed over them.
        var unconfirmed = 0
        /// Lines that may not have arrived.
        var unsure = 0
        /// How many connections have ended.
        var ended = 0
        var isWithinLine = false
        var hasEnded = false
        var isCut = false

        /// A line was handed to the connection before which `before` others had ended, perhaps some time ago.
        mutating func noteSent(_ before: Int) {
            sent += 1
            switch ended - before {
            case 0: open += 1
            case 1: last += 1
            default: unsure += 1
            }
        }

        mutating func endConnection(_ end: End) {
            bookLast()
            (last, lastEnd) = (open, end)
            open = 0
            pinged = 0
            ended += 1
        }

        mutating func bookLast() {
            switch lastEnd {
            case .inOrder: break
            case .closed: unconfirmed += last
            case .broken: unsure += last
            }
            last = 0
        }
    }

    private let counts = Locked(Counts())

    // MARK: The input

    /// So many more lines were taken from the input, and perhaps the beginning of one.
    func noteRead(_ count: Int, isWithinLine: Bool = false) {
        counts.withLock { counts in
            counts.read += count
            counts.isWithinLine = isWithinLine
        }
    }

    /// The input was read to its end.
    func noteEnd() {
        counts.withLock { $0.hasEnded = true }
    }

    /// Whether the input was read to its end.
    var hasEnded: Bool { counts.withLock { $0.hasEnded } }

    /// Whether what was read last ends within a line.
    var isWithinLine: Bool { counts.withLock { $0.isWithinLine } }

    /// There is more than was counted.
    func noteMore() {
        counts.withLock { $0.isCut = true }
    }

    // MARK: The connections

    /// How many connections have ended: asked right before a line is sent.
    var endedConnections: Int { counts.withLock { $0.ended } }

    /// What became of one of the lines.
    func note(_ outcome: LineOutcome) {
        counts.withLock { counts in
            switch outcome {
            case .sent(let ended): counts.noteSent(ended)
            case .ended: break
            }
        }
    }

    /// A ping goes out behind what was sent. At most one is on its way.
    func notePing() {
        counts.withLock { $0.pinged = $0.open }
    }

    /// The server has answered it, and so has read what was ahead of it.
    func notePong() {
        counts.withLock { counts in
            counts.open -= counts.pinged
            counts.pinged = 0
        }
    }

    /// A connection has ended, or an attempt to make one.
    func noteConnectionEnd(_ end: End) {
        counts.withLock { $0.endConnection(end) }
    }

    /// The session is over, and its last connection ended for `cause`.
    func settle(_ cause: CloseCause) {
        counts.withLock { counts in
            if CommandEnd(cause) == .done { counts.lastEnd = .inOrder }
            counts.bookLast()
        }
    }

    // MARK: The balance

    /// Which lines did not go out, in words; `nil` when all of them did.
    var loss: String? {
        let counts = counts.withLock { $0 }
        let unsent = counts.read - counts.sent
        var parts: [String] = []
        if unsent > 0 {
            let bound = counts.isCut ? "at least " : ""
            parts.append("\(bound)\(Self.lines(unsent)) of the input could not be sent")
        }
        if counts.unsure > 0 {
            parts.append("\(Self.lines(counts.unsure)) may not have arrived")
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// Which lines a server's close has left open, in words; `nil` when it has left none.
    var remark: String? {
        let count = counts.withLock { $0.unconfirmed }
        guard count > 0 else { return nil }
        return
            "the server closed behind \(Self.lines(count)) without confirming that it had read them"
    }

    private static func lines(_ count: Int) -> String {
        count == 1 ? "1 line" : "\(count) lines"
    }
}
