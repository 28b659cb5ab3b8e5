/// Cuts a stream of bytes into lines, wherever the pieces that it arrives in begin and end (field case K12-05).
///
/// A line ends with LF, which is not part of it; a CR before the LF is. What stands behind the last LF is
/// a line too, unless it is empty.
struct LineSplitter: Sendable {
    /// The most bytes that a line may have without its LF.
    let maximumBytes: Int
    /// How many lines were given out.
    private(set) var count = 0

    private var partial: [UInt8] = []
    private var isOverrun = false

    /// Begins with nothing.
    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Whether a line has begun that has not ended.
    var isWithinLine: Bool { !partial.isEmpty }

    /// Takes the next piece.
    ///
    /// - Returns: the lines that it completes, and whether the line behind them is longer than allowed: nothing
    ///   is taken any more then. A line is never cut.
    mutating func append(_ piece: [UInt8]) -> (lines: [[UInt8]], isTooLong: Bool) {
        var lines: [[UInt8]] = []
        var rest = piece[...]
        while !isOverrun, !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A)
            let part = rest[..<(end ?? rest.endIndex)]
            guard part.count <= maximumBytes - partial.count else {
                isOverrun = true
                partial = []
                break
            }
            partial += part
            guard let end else { break }
            lines.append(partial)
            partial = []
            rest = rest[(end + 1)...]
        }
        count += lines.count
        return (lines, isOverrun)
    }

    /// Takes the end of the stream.
    ///
    /// - Returns: the last line, when it had no LF.
    mutating func finish() -> [UInt8]? {
        guard !partial.isEmpty else { return nil }
        count += 1
        defer { partial = [] }
        return partial
    }
}
