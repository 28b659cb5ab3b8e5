import HeartwireSocket

/// Counts what becomes of the lines of the input, so that none is lost in silence.
final class LineLedger: Sendable {
    private struct Counts {
        var read = 0
        var sent = 0
        var unsure = 0
        var isWithinLine = false
        var hasEnded = false
        var isCut = false
    }

    private let counts = Locked(Counts())

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

    /// What became of one of them.
    func note(_ outcome: LineOutcome) {
        counts.withLock { counts in
            switch outcome {
            case .sent: counts.sent += 1
            case .unsure: counts.unsure += 1
            case .ended: break
            }
        }
    }

    /// Which lines did not go out, in words; `nil` when all of them did.
    var loss: String? {
        let counts = counts.withLock { $0 }
        let unsent = counts.read - counts.sent - counts.unsure
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

    private static func lines(_ count: Int) -> String {
        count == 1 ? "1 line" : "\(count) lines"
    }
}
