/// Puts messages together out of data frames (RFC 6455 §5.4), and knows where in a message the
/// connection stands.
///
///     idle ── text or binary, not final ──▶ in a message ── continuation, final ──▶ idle
///       └─── text or binary, final: the message at once
///
/// A frame that is whole goes from the received bytes straight into its message. Only frames that
/// are fragments, or of which only a part has arrived, pass through the buffer, whose size follows
/// what has arrived, plus at most ``Limits/eagerReservationBytes``. Compressed messages (RFC 7692) go through
/// an ``Inflation`` instead, which has a buffer of its own.
struct MessageAssembler {
    private enum Kind {
        case text
        case binary
    }

    // The small ones stand together: an idle connection pays for the gaps.
    private let limits: Shared<Limits>
    private var frameCount = 0
    private var buffer: [UInt8] = []
    private var validator = UTF8Validator()
    /// The message that has begun and has not ended; `nil` between messages.
    private var kind: Kind?
    /// Whether the message that has begun is compressed.
    private var isInflating = false
    /// What makes ``inflation``; `nil` when compression was not agreed on.
    private var agreement: DeflateAgreement?
    /// Takes the compressed messages; `nil` before the first of them.
    private(set) var inflation: Inflation?

    init(limits: Shared<Limits>) {
        self.limits = limits
    }

    /// Lets compressed messages in from now on.
    mutating func allowCompression(_ agreement: DeflateAgreement) {
        self.agreement = agreement
    }

    /// Whether a message has begun and not ended.
    var isInMessage: Bool { kind != nil }

    /// Judges the header of a data frame before any of its payload is looked at: its place in the
    /// message (§5.4), the size of the message and the number of its frames.
    @inline(__always)
    func admit(_ header: FrameHeader) throws(ProtocolViolation) {
        if header.opcode == .continuation {
            guard isInMessage else { throw .strayContinuation }
            guard frameCount < limits.value.fragments else {
                throw .tooManyFragments(limits.value.fragments)
            }
        } else {
            guard !isInMessage else { throw .interruptedMessage(header.opcode) }
            guard limits.value.fragments > 0 else {
                throw .tooManyFragments(limits.value.fragments)
            }
        }
        if header.isCompressed || isInflating { return try admitCompressed(header) }
        // The buffer never holds more than the limit, so the difference cannot overflow.
        guard header.payloadLength <= limits.value.messageBytes &- buffer.count else {
            throw .messageTooBig(limits.value.messageBytes)
        }
    }

    /// Whether ``admit(_:)`` lets in a frame of so many bytes that is a message by itself and not compressed.
    @inline(__always)
    func admitsWhole(_ payloadLength: Int) -> Bool {
        !isInMessage && limits.value.fragments > 0 && payloadLength <= limits.value.messageBytes
    }

    /// The size that counts is the one after inflating; here it is only kept from running away.
    @inline(never)
    private func admitCompressed(_ header: FrameHeader) throws(ProtocolViolation) {
        let received = isInflating ? inflation?.received ?? 0 : 0
        guard header.payloadLength <= limits.value.compressedBytes &- received else {
            throw .messageTooBig(limits.value.messageBytes)
        }
    }

    /// Makes the message of an admitted frame that is a message by itself and lies whole in `payload`.
    @inline(__always)
    func wholeMessage(
        _ header: FrameHeader, _ payload: Span<UInt8>
    ) throws(ProtocolViolation) -> Message {
        if header.opcode == .text {
            let text: String? =
                if let key = header.maskingKey {
                    String(validatingUTF8: payload, key: key)
                } else {
                    String(validatingUTF8: payload)
                }
            guard let text else { throw .invalidText }
            return .text(text)
        }
        // Copied first and unmasked in place: this is the fastest way there is to fill an array.
        var bytes = unsafe payload.withUnsafeBufferPointer { unsafe [UInt8]($0) }
        if let key = header.maskingKey { key.unmask(&bytes, from: 0) }
        return .binary(bytes)
    }

    /// Begins an admitted frame whose payload will come in pieces.
    mutating func begin(_ header: FrameHeader) {
        switch header.opcode {
        case .text: kind = .text
        case .binary: kind = .binary
        case .continuation, .close, .ping, .pong: break
        }
        frameCount &+= 1
        if header.isCompressed { beginInflating() }
        guard !isInflating else { return }
        let promised = min(header.payloadLength, max(0, limits.value.eagerReservationBytes))
        if buffer.capacity &- buffer.count < promised, buffer.isEmpty {
            buffer.reserveCapacity(promised)
        }
    }

    /// What inflates is made for the first message that needs it, so that a connection without any has none.
    private mutating func beginInflating() {
        let inflation = inflation ?? agreement?.makeInflation(limits: limits)
        self.inflation = inflation
        inflation?.begin(isText: kind == .text)
        isInflating = inflation != nil
    }

    /// Takes the next piece of the payload of the frame that was begun.
    ///
    /// - Parameter key: already advanced to the piece's place in its frame.
    /// - Throws: a violation with 1007 at the first byte that cannot be UTF-8 in a text (§8.1).
    mutating func append(_ piece: Span<UInt8>, key: MaskingKey?) throws(ProtocolViolation) {
        if isInflating, let inflation { return try inflation.append(piece, key: key) }
        let start = buffer.count
        unsafe piece.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
        try arrived(from: start, key: key)
    }

    /// Whether the payload of the frame that was begun is kept as it comes, so that ``fill(_:key:_:)`` can take it.
    var takesDirectly: Bool { isInMessage && !isInflating }

    /// Takes the next piece of the payload of the frame that was begun straight from `source`, which
    /// puts it into the room it is given and answers how much that was.
    ///
    /// - Returns: how much that was, never more than `count`.
    mutating func fill(
        _ count: Int, key: MaskingKey?, _ source: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(ProtocolViolation) -> Int {
        let start = buffer.count
        buffer.append(addingCapacity: count) { room in
            unsafe room.withUnsafeMutableBufferPointer { bytes, filled in
                filled = unsafe min(max(0, source(UnsafeMutableRawBufferPointer(bytes))), count)
            }
        }
        try arrived(from: start, key: key)
        return buffer.count &- start
    }

    /// Looks at what has come into the buffer.
    private mutating func arrived(from start: Int, key: MaskingKey?) throws(ProtocolViolation) {
        if let key { key.unmask(&buffer, from: start) }
        guard kind == .text else { return }
        var judge = validator
        guard judge.consume(buffer.span.extracting(start...)) else { throw .invalidText }
        validator = judge
    }

    /// Ends the frame that was begun.
    ///
    /// - Returns: the message, if that was its last frame.
    /// - Throws: a violation with 1007 when a text ends inside a character.
    mutating func end(_ header: FrameHeader) throws(ProtocolViolation) -> Message? {
        guard header.isFinal, let kind else { return nil }
        if isInflating, let inflation {
            let message = try inflation.end()
            reset()
            return message
        }
        switch kind {
        case .text:
            guard validator.isAtBoundary else { throw .invalidText }
            let text = unsafe String(knownUTF8: buffer.span, isASCII: validator.sawOnlyASCII)
            // A small buffer stays for the next message; a large one is given back.
            buffer.removeAll(keepingCapacity: buffer.capacity <= Self.keptCapacity)
            reset()
            return .text(text)
        case .binary:
            let bytes = buffer
            buffer = []
            reset()
            return .binary(bytes)
        }
    }

    /// Drops the message that has begun, if any, and the storage: nothing is read any more.
    mutating func drop() {
        buffer = []
        agreement = nil
        inflation = nil
        reset()
    }

    /// Gives back the storage that no message needs.
    mutating func releaseStorage() {
        guard !isInMessage else { return }
        buffer = []
        inflation?.releaseStorage()
    }

    /// The bytes that the buffers take.
    var allocated: Int { buffer.capacity &+ (inflation?.allocated ?? 0) }

    private static let keptCapacity = 65_536

    private mutating func reset() {
        kind = nil
        frameCount = 0
        isInflating = false
        validator = UTF8Validator()
    }
}

extension ProtocolViolation {
    fileprivate static var strayContinuation: ProtocolViolation {
        .breach("5.4", expected: "a message to begin", seen: "a continuation frame")
    }

    @inline(never)
    fileprivate static func interruptedMessage(_ opcode: Opcode) -> ProtocolViolation {
        .breach(
            "5.4", expected: "the message that has begun to be continued",
            seen: "a new \(opcode.name) frame")
    }

    @inline(never)
    fileprivate static func tooManyFragments(_ limit: Int) -> ProtocolViolation {
        ProtocolViolation(
            closeCode: .messageTooBig, clause: "10.4",
            expected: "at most \(limit) frames in a message", seen: "more")
    }

    @inline(never)
    fileprivate static func messageTooBig(_ limit: Int) -> ProtocolViolation {
        ProtocolViolation(
            closeCode: .messageTooBig, clause: "10.4",
            expected: "at most \(limit) bytes in a message", seen: "more")
    }

    fileprivate static var invalidText: ProtocolViolation {
        ProtocolViolation(
            closeCode: .invalidPayloadData, clause: "8.1", expected: "UTF-8 in a text message",
            seen: "invalid bytes")
    }
}
