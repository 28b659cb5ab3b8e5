/// Reads the head of an HTTP message, start line and fields, from pieces cut anywhere (RFC 9112 §2).
///
/// Each byte is looked at once, when it arrives, so the time is linear in the bytes however they are
/// cut, and no more than `Limits.headBytes` are ever held. The rules are the strict ones of RFC 9112, because lenient
/// heads are how requests are smuggled: lines end in CRLF, there is no folding, no space before a colon.
struct HeadParser: Sendable {
    /// A whole head: its first line and its fields.
    struct Head: Sendable, Hashable {
        let startLine: String
        let fields: HeaderFields
    }

    enum Step: Sendable, Hashable {
        /// Every byte was taken and the head goes on.
        case needsMore
        /// The blank line was read; the bytes behind it were not taken.
        case complete(Head)
        /// A rule was broken. The parser must not be used further.
        case failed(HeadFault)
    }

    private let ignoresLeadingEmptyLines: Bool
    private var bytesLeft: Int
    private var linesLeft: Int
    private var line: [UInt8] = []
    private var sawCarriageReturn = false
    private var startLine: String?
    private var fields = HeaderFields()

    /// - Parameter ignoresLeadingEmptyLines: for requests, which may follow a stray CRLF (RFC 9112 §2.2).
    init(limits: Limits, ignoresLeadingEmptyLines: Bool) {
        self.ignoresLeadingEmptyLines = ignoresLeadingEmptyLines
        bytesLeft = limits.headBytes
        linesLeft = limits.headLines
    }

    /// Reads on from `start` and gives the index behind the last byte taken.
    mutating func receive(_ bytes: Span<UInt8>, from start: Int = 0) -> (next: Int, step: Step) {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            do throws(HeadFault) {
                if let head = try take(byte) { return (index, .complete(head)) }
            } catch {
                return (index, .failed(error))
            }
        }
        return (index, .needsMore)
    }

    /// Begins another head on what is left of the same limits: a 101 may follow a 100 (RFC 9110 §15.2).
    mutating func startNextHead() {
        startLine = nil
        fields = HeaderFields()
    }

    private mutating func take(_ byte: UInt8) throws(HeadFault) -> Head? {
        guard bytesLeft > 0 else { throw .tooManyBytes }
        bytesLeft -= 1
        if sawCarriageReturn {
            guard byte == HTTPSyntax.lineFeed else { throw .bareCarriageReturn }
            sawCarriageReturn = false
            return try finishLine()
        }
        switch byte {
        case HTTPSyntax.carriageReturn: sawCarriageReturn = true
        case HTTPSyntax.lineFeed: throw .bareLineFeed
        case _ where HTTPSyntax.isFieldValueByte(byte): line.append(byte)
        default: throw .controlCharacter
        }
        return nil
    }

    private mutating func finishLine() throws(HeadFault) -> Head? {
        defer { line.removeAll(keepingCapacity: true) }
        if line.isEmpty {
            if let startLine { return Head(startLine: startLine, fields: fields) }
            guard ignoresLeadingEmptyLines else { throw .missingStartLine }
            return nil
        }
        if startLine == nil {
            startLine = String(decoding: line, as: UTF8.self)
        } else {
            guard linesLeft > 0 else { throw .tooManyLines }
            linesLeft -= 1
            try appendField()
        }
        return nil
    }

    /// RFC 9112 §5: `name ":" OWS value OWS`.
    private mutating func appendField() throws(HeadFault) {
        guard let first = line.first, !HTTPSyntax.isWhitespace(first) else { throw .foldedLine }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .missingColon }
        let name = line[..<colon]
        if let last = name.last, HTTPSyntax.isWhitespace(last) { throw .whitespaceBeforeColon }
        guard HTTPSyntax.isToken(name) else { throw .illegalFieldName }
        fields.append(
            String(decoding: name, as: UTF8.self),
            String(decoding: HTTPSyntax.trimmed(line[(colon + 1)...]), as: UTF8.self))
    }
}

/// Which rule a head broke. It holds nothing of what was read.
enum HeadFault: Error, Sendable, Hashable, CaseIterable {
    case bareLineFeed
    case bareCarriageReturn
    case controlCharacter
    case missingStartLine
    case foldedLine
    case missingColon
    case whitespaceBeforeColon
    case illegalFieldName
    case tooManyBytes
    case tooManyLines

    /// Whether a limit of ours was passed, rather than a rule of HTTP broken.
    var isLimit: Bool {
        switch self {
        case .tooManyBytes, .tooManyLines: true
        case .bareLineFeed, .bareCarriageReturn, .controlCharacter, .missingStartLine, .foldedLine,
            .missingColon, .whitespaceBeforeColon, .illegalFieldName:
            false
        }
    }

    /// What the rule asks for.
    var expected: String {
        switch self {
        case .bareLineFeed, .bareCarriageReturn: "head lines that end in CRLF (RFC 9112 2.2)"
        case .controlCharacter: "no control characters in the head (RFC 9110 5.5)"
        case .missingStartLine: "a start line (RFC 9112 2.1)"
        case .foldedLine: "each header field on one line (RFC 9112 5.2)"
        case .missingColon: "a colon in each header line (RFC 9112 5)"
        case .whitespaceBeforeColon: "no white space before a header's colon (RFC 9112 5.1)"
        case .illegalFieldName: "header names that are tokens (RFC 9110 5.1)"
        case .tooManyBytes: "a head within the limit of bytes"
        case .tooManyLines: "no more header lines than the limit allows"
        }
    }

    /// What stood there instead.
    var seen: String {
        switch self {
        case .bareLineFeed: "a bare LF"
        case .bareCarriageReturn: "a bare CR"
        case .controlCharacter: "a control character"
        case .missingStartLine: "an empty line"
        case .foldedLine: "a folded line"
        case .missingColon: "a line without one"
        case .whitespaceBeforeColon: "white space"
        case .illegalFieldName: "another name"
        case .tooManyBytes: "more bytes"
        case .tooManyLines: "more lines"
        }
    }
}
