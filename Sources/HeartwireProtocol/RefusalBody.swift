/// Collects the beginning of a refusal's body, whichever way its end is marked (RFC 9112 §6.3).
struct RefusalBody: Sendable {
    private enum Framing: Sendable {
        case length(left: Int)
        case chunked(ChunkedDecoder)
        case untilEOF
    }

    private var framing: Framing
    private let limit: Int

    /// The decoded bytes so far, never more than the limit.
    private(set) var bytes: [UInt8] = []
    /// Whether there is nothing more to wait for: the body is complete, or broken, or the limit is reached.
    private(set) var isFinished: Bool

    init(status: Int, headers: HeaderFields, limit: Int) {
        self.limit = limit
        framing = Self.framing(of: headers)
        // RFC 9110 §6.4.1: these two never have a body.
        isFinished = status == 204 || status == 304 || limit <= 0
        if case .length(left: 0) = framing { isFinished = true }
    }

    /// Reads on from `index` until the body is finished; leaves it behind the last byte taken.
    mutating func receive(_ span: Span<UInt8>, from index: inout Int) {
        while !isFinished, index < span.count {
            take(span[index])
            index += 1
        }
    }

    private mutating func take(_ byte: UInt8) {
        switch framing {
        case .untilEOF: keep(byte)
        case .length(let left):
            framing = .length(left: left - 1)
            keep(byte)
            if left <= 1 { isFinished = true }
        case .chunked(var decoder):
            let step = decoder.take(byte)
            framing = .chunked(decoder)
            switch step {
            case .framing: break
            case .content: keep(byte)
            case .finished, .malformed: isFinished = true
            }
        }
    }

    private mutating func keep(_ byte: UInt8) {
        bytes.append(byte)
        if bytes.count >= limit { isFinished = true }
    }

    /// A transfer coding outweighs a length; one that does not end in `chunked` goes on to the stream's end,
    /// and so does a body whose length makes no sense.
    private static func framing(of headers: HeaderFields) -> Framing {
        let codings = headers.all("Transfer-Encoding").flatMap(HTTPSyntax.listElements)
        if let last = codings.last {
            return HTTPSyntax.equalsIgnoringCase(last, "chunked")
                ? .chunked(ChunkedDecoder()) : .untilEOF
        }
        let lengths = headers.all("Content-Length").flatMap(HTTPSyntax.listElements)
        // RFC 9110 §8.6: the same length more than once is that length.
        guard let first = lengths.first, lengths.allSatisfy({ $0 == first }),
            first.utf8.allSatisfy(HTTPSyntax.isDigit), let length = Int(first)
        else { return .untilEOF }
        return .length(left: length)
    }
}
