/// Cuts received bytes into frames and hands on what each of them means (RFC 6455 §5.2–5.6).
///
/// Only three things are kept between pieces: at most 13 bytes of a header that is not whole, the
/// payload of one control frame, and the assembler's message.
@usableFromInline
struct FrameReader {
    /// A whole control frame.
    enum Control: Hashable {
        case ping([UInt8])
        case pong([UInt8])
        case close(ClosePayload)
    }

    private struct Partial {
        var header: FrameHeader
        var received = 0
        var wanting: Int { header.payloadLength &- received }
    }

    private let sender: Role
    /// Whether compressed messages were agreed on, and so RSV1 is lawful (RFC 7692 §6).
    private var allowsCompression = false
    /// Whether `headerBytes` is empty and `partial` is `nil`: one test in place of two.
    @usableFromInline private(set) var isBetweenFrames = true
    private var assembler: MessageAssembler
    /// The beginning of a header whose end has not arrived; empty otherwise.
    private var headerBytes: [UInt8] = []
    /// The frame whose header is there and whose payload is not; `nil` between frames.
    private var partial: Partial?
    /// What has arrived of the payload of a control frame.
    private var controlPayload: [UInt8] = []

    /// - Parameter sender: the side whose bytes are read.
    init(sender: Role, limits: Shared<Limits>) {
        self.sender = sender
        self.assembler = MessageAssembler(limits: limits)
    }

    /// Whether a frame has begun that has not arrived in full.
    @inlinable
    var isInFrame: Bool { !isBetweenFrames }

    /// Lets compressed messages in from now on.
    mutating func allowCompression(_ agreement: DeflateAgreement) {
        allowsCompression = true
        assembler.allowCompression(agreement)
    }

    /// Reads on from `offset`, which must be before the end, up to the end of the next frame or of
    /// `bytes`, and moves `offset` behind what was read. A message that it completes goes to `events`.
    ///
    /// - Returns: the control frame that it completed, if it was one.
    @inline(__always)
    mutating func step(
        _ bytes: Span<UInt8>, _ offset: inout Int, _ events: inout EventQueue
    ) throws(ProtocolViolation) -> Control? {
        guard isBetweenFrames else { return try resume(bytes, &offset, &events) }
        let read = try FrameHeader.read(
            bytes, at: offset, from: sender, allowsCompression: allowsCompression)
        guard let header = read else {
            while offset < bytes.count {
                headerBytes.append(bytes[offset])
                offset &+= 1
            }
            isBetweenFrames = false
            return nil
        }
        offset &+= header.size
        guard bytes.count &- offset >= header.payloadLength else {
            try begin(header)
            return try resume(bytes, &offset, &events)
        }
        let start = offset
        offset &+= header.payloadLength
        let payload = bytes.extracting(start..<offset)
        if header.isFinal, !header.isCompressed,
            header.opcode == .text || header.opcode == .binary
        {
            try assembler.admit(header)
            events.append(.message(try assembler.wholeMessage(header, payload)))
            return nil
        }
        return try whole(header, payload, &events)
    }

    /// The header of the frame that `bytes` begin with, where that is whole, lawful and a plain binary message by
    /// itself. `nil` for all else: ``step(_:_:_:)`` tells what that is.
    @inline(__always)
    func wholeBinary(_ bytes: Span<UInt8>) -> FrameHeader? {
        guard let header = wholeData(bytes, at: 0), header.opcode == .binary else { return nil }
        return header
    }

    /// The message that the frame at `offset` is by itself, which `offset` is moved behind. `nil` for all else:
    /// ``step(_:_:_:)`` tells what that is.
    @inline(__always)
    func wholeMessage(_ bytes: Span<UInt8>, at offset: inout Int) -> Message? {
        guard let header = wholeData(bytes, at: offset) else { return nil }
        let start = offset &+ header.size
        let end = start &+ header.payloadLength
        let payload = bytes.extracting(start..<end)
        guard let message = try? assembler.wholeMessage(header, payload) else { return nil }
        offset = end
        return message
    }

    /// The header of the frame that begins at `offset`, where that is whole, its header lawful, and it a message by itself.
    @inline(__always)
    private func wholeData(_ bytes: Span<UInt8>, at offset: Int) -> FrameHeader? {
        guard isBetweenFrames,
            let header = FrameHeader.plain(bytes, at: offset, from: sender),
            bytes.count &- offset &- header.size >= header.payloadLength,
            assembler.admitsWhole(header.payloadLength)
        else { return nil }
        return header
    }

    /// How many bytes are to come of a data frame that has begun, where they are kept as they come; else 0.
    @usableFromInline
    var directBytes: Int {
        guard let partial, !partial.header.opcode.isControl, assembler.takesDirectly else {
            return 0
        }
        return partial.wanting
    }

    /// Takes the next bytes straight from `source`, at most `limit` of them and at most ``directBytes``.
    mutating func fill(
        atMost limit: Int, _ events: inout EventQueue,
        _ source: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(ProtocolViolation) {
        guard var frame = partial, directBytes > 0, limit > 0 else { return }
        let key = frame.header.maskingKey?.advanced(by: frame.received)
        frame.received &+= unsafe try assembler.fill(min(frame.wanting, limit), key: key, source)
        partial = frame
        guard frame.wanting == 0 else { return }
        partial = nil
        isBetweenFrames = true
        _ = try end(frame.header, &events)
    }

    /// Lets go of everything that was begun, with the storage.
    mutating func drop() {
        assembler.drop()
        headerBytes = []
        controlPayload = []
        partial = nil
        isBetweenFrames = true
    }

    /// Gives back the storage of what is empty.
    mutating func releaseStorage() {
        assembler.releaseStorage()
        if headerBytes.isEmpty { headerBytes = [] }
        if controlPayload.isEmpty { controlPayload = [] }
    }

    /// The bytes that the buffers take.
    var allocated: Int {
        assembler.allocated &+ headerBytes.capacity &+ controlPayload.capacity
    }

    /// Goes on with a header or a payload that an earlier piece began.
    @inline(never)
    private mutating func resume(
        _ bytes: Span<UInt8>, _ offset: inout Int, _ events: inout EventQueue
    ) throws(ProtocolViolation) -> Control? {
        while partial == nil, offset < bytes.count {
            headerBytes.append(bytes[offset])
            offset &+= 1
            let header = try FrameHeader.read(
                headerBytes.span, at: 0, from: sender, allowsCompression: allowsCompression)
            if let header {
                headerBytes.removeAll(keepingCapacity: true)
                try begin(header)
            }
        }
        guard var frame = partial else { return nil }
        let count = min(frame.wanting, bytes.count &- offset)
        let key = frame.header.maskingKey?.advanced(by: frame.received)
        try take(bytes.extracting(offset..<(offset &+ count)), key: key, of: frame.header)
        offset &+= count
        frame.received &+= count
        guard frame.wanting == 0 else {
            partial = frame
            return nil
        }
        partial = nil
        isBetweenFrames = true
        return try end(frame.header, &events)
    }

    /// A frame that lies whole in the piece but does not make a message by itself.
    private mutating func whole(
        _ header: FrameHeader, _ payload: Span<UInt8>, _ events: inout EventQueue
    ) throws(ProtocolViolation) -> Control? {
        if header.opcode.isControl {
            try take(payload, key: header.maskingKey, of: header)
        } else {
            try assembler.admit(header)
            assembler.begin(header)
            try assembler.append(payload, key: header.maskingKey)
        }
        return try end(header, &events)
    }

    private mutating func begin(_ header: FrameHeader) throws(ProtocolViolation) {
        if !header.opcode.isControl {
            try assembler.admit(header)
            assembler.begin(header)
        }
        partial = Partial(header: header)
        isBetweenFrames = false
    }

    private mutating func take(
        _ piece: Span<UInt8>, key: MaskingKey?, of header: FrameHeader
    ) throws(ProtocolViolation) {
        guard header.opcode.isControl else {
            try assembler.append(piece, key: key)
            return
        }
        controlPayload.reserveCapacity(header.payloadLength)
        for index in piece.indices {
            controlPayload.append(piece[index] ^ (key?.byte(at: index) ?? 0))
        }
    }

    private mutating func end(
        _ header: FrameHeader, _ events: inout EventQueue
    ) throws(ProtocolViolation) -> Control? {
        switch header.opcode {
        case .continuation, .text, .binary:
            if let message = try assembler.end(header) { events.append(.message(message)) }
            return nil
        case .close:
            let close = try ClosePayload(parsing: controlPayload.span)
            controlPayload.removeAll(keepingCapacity: true)
            return .close(close)
        case .ping:
            return .ping(takeControlPayload())
        case .pong:
            return .pong(takeControlPayload())
        }
    }

    private mutating func takeControlPayload() -> [UInt8] {
        let payload = controlPayload
        controlPayload = []
        return payload
    }
}
