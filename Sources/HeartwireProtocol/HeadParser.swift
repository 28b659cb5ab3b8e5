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

    /// Whose head it is.
    enum Kind: Sendable, Hashable {
        /// A client's. May follow a stray CRLF (RFC 9112 §2.2).
        case request
        /// A server's or a proxy's.
        case response
    }

    enum Step: Sendable, Hashable {
        /// Every byte was taken and the head goes on.
        case needsMore
        /// The blank line was read; the bytes behind it were not taken.
        case complete(Head)
        /// A rule was broken. The parser must not be used further.
        case failed(HeadFault)
    }

    private let kind: Kind
    private var bytesLeft: Int
    private var linesLeft: Int
    /// The bytes of the line that has begun; after ``HeadFault/noStatusLine`` and ``HeadFault/noMethod`` what stood
    /// before the wrong byte.
    private(set) var line: [UInt8] = []
    private var sawCarriageReturn = false
    /// Whether the method of the request line has ended.
    private var isBehindMethod = false
    /// The first line, once it was read in full.
    private(set) var startLine: String?
    private var fields = HeaderFields()

    init(_ kind: Kind, limits: Limits) {
        self.kind = kind
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
        if startLine == nil { try checkStart(byte) }
        switch byte {
        case HTTPSyntax.carriageReturn: sawCarriageReturn = true
        case HTTPSyntax.lineFeed: throw .bareLineFeed
        case _ where HTTPSyntax.isFieldValueByte(byte): line.append(byte)
        default: throw .controlCharacter
        }
        return nil
    }

    /// What cannot begin a head is not waited for.
    private mutating func checkStart(_ byte: UInt8) throws(HeadFault) {
        switch kind {
        case .response:
            guard StatusLine.admits(byte, behind: line.count) else { throw .noStatusLine }
        case .request where !isBehindMethod:
            guard RequestLine.admits(byte, behind: line.count) else { throw .noMethod }
            isBehindMethod = byte == HTTPSyntax.space
        case .request: break
        }
    }

    private mutating func finishLine() throws(HeadFault) -> Head? {
        defer { line.removeAll(keepingCapacity: true) }
        if line.isEmpty {
            // Only a request's head may begin with one.
            return startLine.map { Head(startLine: $0, fields: fields) }
        }
        if startLine == nil {
            guard kind == .response || RequestLine.isComplete(line) else { throw .noRequestLine }
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

/// Which rule a head broke. It holds nothing of what was read; of a beginning that is no head the readers show a piece.
enum HeadFault: Error, Sendable, Hashable, CaseIterable {
    case bareLineFeed
    case bareCarriageReturn
    case controlCharacter
    case noStatusLine
    case noMethod
    case noRequestLine
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
        case .bareLineFeed, .bareCarriageReturn, .controlCharacter, .noStatusLine, .noMethod,
            .noRequestLine, .foldedLine, .missingColon, .whitespaceBeforeColon, .illegalFieldName:
            false
        }
    }

    /// What the rule asks for.
    var expected: String {
        switch self {
        case .bareLineFeed, .bareCarriageReturn: "head lines that end in CRLF (RFC 9112 2.2)"
        case .controlCharacter: "no control characters in the head (RFC 9110 5.5)"
        case .noStatusLine: "an HTTP/1.1 status line (RFC 9112 4)"
        case .noMethod: "a request that begins with a method (RFC 9112 3.1)"
        case .noRequestLine: "a request line (RFC 9112 3)"
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
        case .noStatusLine, .noMethod: "another beginning"
        case .noRequestLine: "another first line"
        case .foldedLine: "a folded line"
        case .missingColon: "a line without one"
        case .whitespaceBeforeColon: "white space"
        case .illegalFieldName: "another name"
        case .tooManyBytes: "more bytes"
        case .tooManyLines: "more lines"
        }
    }
}
