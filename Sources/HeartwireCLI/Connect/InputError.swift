/// Why the standard input cannot be sent on.
enum InputError: Error, Hashable, CustomStringConvertible {
    /// A line is longer than `--max-line` allows. It was not sent, not even in part.
    case lineTooLong(line: Int, limit: Int)
    /// A line is not UTF-8, and so cannot be a text message (RFC 6455 §8.1).
    case notUTF8(line: Int)
    /// The system could not read, with this `errno`.
    case failed(Int32)

    /// One line that says what to do where something can be done.
    var description: String {
        switch self {
        case .lineTooLong(let line, let limit):
            "line \(line) of the input has more than \(limit) bytes: raise --max-line"
        case .notUTF8(let line):
            "line \(line) of the input is not UTF-8 and cannot be a text message: try --binary"
        case .failed(let code): "cannot read the input: \(systemErrorText(code))"
        }
    }
}
