/// Reads the server's answer to an opening handshake, from pieces cut anywhere (RFC 6455 §4.1).
///
/// Interim answers (100, 103) are passed over, within the same limits. A 101 that keeps every rule opens
/// the connection; any other status is a ``Refusal`` with the beginning of its body; everything else fails, and what
/// is no HTTP at its first wrong byte: a server that speaks first gives itself away at once.
public struct ResponseReader: Sendable {
    /// What the answer turned out to be.
    public enum Outcome: Sendable, Hashable {
        /// The 101 was verified.
        case opened(OpeningResult)
        /// The server answered with another status.
        case refused(Refusal)
        /// The answer broke a rule, or the stream ended before there was one.
        case failed(ProtocolViolation)
    }

    private let verifier: ResponseVerifier
    private let refusalBodyBytes: Int
    private var parser: HeadParser
    /// Whether a head is awaited, the first or one after an interim answer.
    private var isReadingHead = true
    /// Set while a refusal's body is read. `nil` with no head awaited: the outcome was given.
    private var refusal: (head: Refusal, body: RefusalBody)?

    /// Waits for the answer to the request that had `key` as its nonce.
    public init(key: String, offeredSubprotocols: [String] = [], limits: Limits = Limits()) {
        self.init(
            key: key, offeredSubprotocols: offeredSubprotocols, deflate: nil, limits: limits)
    }

    /// Waits for an answer that may also take up an offer of permessage-deflate (RFC 7692 §5).
    init(
        key: String, offeredSubprotocols: [String], deflate: DeflateOptions?, limits: Limits
    ) {
        verifier = ResponseVerifier(
            acceptValue: OpeningRequest.acceptValue(for: key), subprotocols: offeredSubprotocols,
            deflate: deflate)
        refusalBodyBytes = limits.refusalBodyBytes
        parser = HeadParser(.response, limits: limits)
    }

    /// The refusal as far as it has arrived, while its body is still being read: what to
    /// report when the time is up before the body's end.
    public var pendingRefusal: Refusal? {
        refusal.map { $0.head.withBody($0.body.bytes) }
    }

    /// Reads on. The bytes behind a 101's blank line are not consumed: they are frames. Nothing is
    /// consumed after the outcome, which is given once.
    public mutating func receive(_ bytes: Span<UInt8>) -> (consumed: Int, outcome: Outcome?) {
        var index = 0
        while isReadingHead {
            let (next, step) = parser.receive(bytes, from: index)
            index = next
            switch step {
            case .needsMore: return (index, nil)
            case .failed(.noStatusLine):
                let rest = bytes.extracting(droppingFirst: index - 1)
                return (index, finish(.failed(noStatusLine(behind: parser.line, rest))))
            case .failed(let fault): return (index, finish(.failed(ProtocolViolation(fault))))
            case .complete(let head):
                if let outcome = judge(head) { return (index, finish(outcome)) }
            }
        }
        refusal?.body.receive(bytes, from: &index)
        guard let refusal, refusal.body.isFinished else { return (index, nil) }
        return (index, finish(.refused(refusal.head.withBody(refusal.body.bytes))))
    }

    private mutating func finish(_ outcome: Outcome) -> Outcome {
        isReadingHead = false
        refusal = nil
        return outcome
    }

    /// Ends the answer: a refusal with what came of its body, or a failure. To be asked before the outcome.
    public mutating func receiveEOF() -> Outcome {
        if let pendingRefusal { return finish(.refused(pendingRefusal)) }
        return finish(
            .failed(
                ProtocolViolation(
                    closeCode: .abnormalClosure, clause: "4.1",
                    expected: "an answer to the opening handshake",
                    seen: "the connection closed during the handshake")))
    }

    /// What spoke instead of HTTP, as far as it has come.
    private func noStatusLine(behind line: [UInt8], _ rest: Span<UInt8>) -> ProtocolViolation {
        var shown = line
        for index in 0..<min(rest.count, Greeting.shownBytes + 1) { shown.append(rest[index]) }
        return .handshake(expected: HeadFault.noStatusLine.expected, seen: Greeting.words(shown))
    }

    /// The outcome that a head decides, or `nil` when the next head or the body will.
    private mutating func judge(_ head: HeadParser.Head) -> Outcome? {
        let line = StatusLine(head.startLine)
        switch line.status {
        case 101: return verifier.verify(line, head.fields)
        case 100..<200: parser.startNextHead()
        default:
            isReadingHead = false
            refusal = (
                Refusal(
                    status: line.status, reasonPhrase: line.reasonPhrase, headers: head.fields),
                RefusalBody(status: line.status, headers: head.fields, limit: refusalBodyBytes)
            )
        }
        return nil
    }
}

extension Refusal {
    fileprivate func withBody(_ body: [UInt8]) -> Refusal {
        Refusal(status: status, reasonPhrase: reasonPhrase, headers: headers, body: body)
    }
}
