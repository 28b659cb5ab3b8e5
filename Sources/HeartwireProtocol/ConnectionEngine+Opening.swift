// The opening handshake (RFC 6455 §4), which the readers of the two heads judge.

/// How far the opening handshake has come: at most one of the first three is there. A connection has it until it is
/// answered, refused or given up: an open one pays nothing for it. Not an enum, so that a reader's buffer is changed in place.
final class Opening {
    /// Client: judges the answer that the request waits for.
    var responseReader: ResponseReader?
    /// Server: judges the request, of which nothing or a part has arrived.
    var requestReader: RequestReader?
    /// Server: the request that was reported to the owner and not answered yet.
    var request: OpeningRequestHead?
    /// Server: what arrived behind the request before it was answered.
    private(set) var early: [UInt8] = []
    /// Client: what compression was offered. `nil` when that was none.
    let offered: (options: DeflateOptions, codec: any DeflateCodec)?

    /// A client's, whose request goes out.
    init(
        _ responseReader: ResponseReader,
        offered: (options: DeflateOptions, codec: any DeflateCodec)?
    ) {
        self.responseReader = responseReader
        self.offered = offered
    }

    /// A server's, which waits for a request.
    init(_ requestReader: RequestReader) {
        self.requestReader = requestReader
        offered = nil
    }

    /// Keeps what a client sent before its request was answered. Answers whether there was room for it.
    func keepEarly(_ bytes: Span<UInt8>, atMost limit: Int) -> Bool {
        guard bytes.count <= limit &- early.count else { return false }
        for index in bytes.indices { early.append(bytes[index]) }
        return true
    }
}

extension ConnectionEngine {
    /// Accepts the opening request: queues the 101 and opens the connection.
    ///
    /// Does nothing unless a request was reported and not answered yet.
    ///
    /// - Parameters:
    ///   - subprotocol: one of those that the request offers, or `nil`.
    ///   - headers: further headers for the answer.
    ///   - compression: whether to take up an offer of permessage-deflate, and how (RFC 7692).
    ///   - codec: what compresses and inflates. No offer is taken up without one.
    public mutating func accept(
        subprotocol: String? = nil, headers: HeaderFields = [:],
        compression: Compression = .off, codec: (any DeflateCodec)? = nil
    ) {
        guard let opening, let request = opening.request else { return }
        self.opening = nil
        let options = compression.options(with: codec)
        let agreed = options.flatMap { $0.accepted(outOf: request.extensionElements) }
        outgoing.append(
            OpeningResponse.accept(
                key: request.key, subprotocol: subprotocol, extensions: agreed?.answer,
                headers: headers))
        become(.open)
        if let agreed, let options, let codec { compress(agreed.parameters, options, codec) }
        receiveFrames(opening.early.span)
    }

    /// Rejects the opening request: queues an HTTP answer and closes the connection.
    ///
    /// Does nothing unless a request was reported and not answered yet.
    ///
    /// - Parameters:
    ///   - status: the HTTP status, which should say why.
    ///   - headers: further headers for the answer.
    ///   - body: text for people, sent as `text/plain`.
    public mutating func reject(status: Int, headers: HeaderFields = [:], body: String = "") {
        guard opening?.request != nil else { return }
        outgoing.append(OpeningResponse.reject(status: status, headers: headers, body: body))
        become(.closed)
    }

    /// Lets compressed messages in, and makes long ones of our own compressed.
    private mutating func compress(
        _ agreed: DeflateParameters, _ options: DeflateOptions, _ codec: any DeflateCodec
    ) {
        let agreement = DeflateAgreement(agreed, of: role, options: options, codec: codec)
        frames.allowCompression(agreement)
        self.agreement = agreement
    }

    /// Client: the refusal as far as it has arrived, while the end of its body has not: what to report
    /// when the time for the opening handshake is up.
    public var pendingRefusal: Refusal? { opening?.responseReader?.pendingRefusal }

    /// Goes on with the head, and behind it with frames: bytes glued to the 101 are not lost.
    mutating func receiveOpening(_ bytes: Span<UInt8>) {
        switch role {
        case .client:
            let step = opening?.responseReader?.receive(bytes)
            guard let step, let outcome = step.outcome else { return }
            settle(outcome)
            if state == .open { receiveFrames(bytes.extracting(droppingFirst: step.consumed)) }
        case .server:
            guard opening?.request == nil else { return receiveEarly(bytes) }
            let step = opening?.requestReader?.receive(bytes)
            guard let step, let outcome = step.outcome else { return }
            settle(outcome)
            if state == .connecting {
                receiveEarly(bytes.extracting(droppingFirst: step.consumed))
            }
        }
    }

    /// A client that waits for an answer learns how far it had come.
    mutating func receiveOpeningEOF() {
        guard let outcome = opening?.responseReader?.receiveEOF() else { return }
        settle(outcome)
    }

    private mutating func settle(_ outcome: ResponseReader.Outcome) {
        let offered = opening?.offered
        opening = nil
        switch outcome {
        case .opened(let result):
            become(.open)
            if let agreed = result.compression, let offered {
                compress(agreed, offered.options, offered.codec)
            }
            events.append(.opened(result))
        case .refused(let refusal):
            become(.closed)
            events.append(.refused(refusal))
        case .failed(let violation):
            failForPeer(violation)
        }
    }

    private mutating func settle(_ outcome: RequestReader.Outcome) {
        let isHead = opening?.requestReader?.isHead == true
        opening?.requestReader = nil
        switch outcome {
        case .received(let request):
            opening?.request = request
            events.append(.requestReceived(request))
        case .invalid(let status, let reason):
            outgoing.append(
                OpeningResponse.reject(status: status, body: reason, isToHead: isHead))
            failForPeer(
                .breach(
                    "4.2.1", expected: "a lawful opening request",
                    seen: "one that is answered with HTTP \(status): \(reason)"))
        }
    }

    /// Keeps what a client sent before its request was answered. A client has to wait for the answer
    /// (§4.1), so this is little or it is abuse.
    private mutating func receiveEarly(_ bytes: Span<UInt8>) {
        let limit = limits.value.headBytes
        guard opening?.keepEarly(bytes, atMost: limit) == false else { return }
        failForPeer(
            ProtocolViolation(
                closeCode: .policyViolation, clause: "4.1",
                expected: "the client to wait for the answer to its request",
                seen: "more than \(limit) bytes behind it"))
    }
}
