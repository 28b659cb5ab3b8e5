/// How a length of time is written on the command line: `500ms`, `2s`, `1.5s`, `3m`, or a plain
/// number, which counts milliseconds.
enum DurationArgument {
    /// What the help text and the error line say about it.
    static let expected = "a duration such as 500ms, 2s, 1.5s or 250 (milliseconds)"

    /// Reads a duration.
    ///
    /// - Throws: ``ValueProblem`` for anything else: signs, spaces, exponents, more than nine decimals,
    ///   and what does not fit in 64 bits of nanoseconds.
    static func parse(_ text: String) throws(ValueProblem) -> Duration {
        let number = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let unit = text[number.endIndex...]
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : "0"
        guard let factor = nanoseconds(in: unit), parts.count <= 2, let count = Int64(parts[0]),
            !decimals.isEmpty, decimals.count <= 9
        else { throw ValueProblem(expected: expected) }

        let (wholeNanoseconds, tooMany) = count.multipliedReportingOverflow(by: factor)
        let (sum, tooLong) = wholeNanoseconds.addingReportingOverflow(
            nanoseconds(decimals: decimals, of: factor))
        guard !tooMany, !tooLong else {
            throw ValueProblem(expected: "\(expected) of at most 292 years")
        }
        return .nanoseconds(sum)
    }

    /// The shortest way to write `duration`, for the help text.
    static func text(_ duration: Duration) -> String {
        let milliseconds = duration.milliseconds
        return milliseconds >= 1000 && milliseconds % 1000 == 0
            ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
    }

    private static func nanoseconds(in unit: Substring) -> Int64? {
        switch unit {
        case "", "ms": 1_000_000
        case "s": 1_000_000_000
        case "m": 60_000_000_000
        default: nil
        }
    }

    /// The value of up to nine digits behind the point; digits below a nanosecond are cut.
    private static func nanoseconds(decimals: Substring, of factor: Int64) -> Int64 {
        var total: Int64 = 0
        var place = factor
        for digit in decimals.utf8 {
            place /= 10
            total += Int64(digit &- 0x30) * place
        }
        return total
    }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero and held within `Int`.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        let (thousands, tooMany) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, tooLong) = thousands.addingReportingOverflow(
            attoseconds / 1_000_000_000_000_000)
        guard !tooMany, !tooLong else { return seconds < 0 ? .min : .max }
        return Int(clamping: sum)
    }
}
