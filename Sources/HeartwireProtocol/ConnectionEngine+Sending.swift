// What the application asks to be sent.

extension ConnectionEngine {
    /// Queues a message as one frame, masked with a fresh key if we are the client (RFC 6455 §5.3), and
    /// compressed if that was agreed on and the message is long enough (RFC 7692).
    ///
    /// - Throws: ``SendError/notOpen``, ``SendError/closing`` or ``SendError/closed`` by state.
    public mutating func send(_ message: Message) throws(SendError) {
        try requireOpen()
        switch message {
        case .text(let text):
            // A variable only because a string bridged from Objective-C is made native first.
            var text = text
            text.withUTF8 { unsafe queueData(.text, UnsafeRawBufferPointer($0)) }
        case .binary(let bytes):
            unsafe bytes.withUnsafeBytes { unsafe queueData(.binary, $0) }
        }
    }

    /// From this size on a message is better sent by ``send(_:writing:)`` where the network takes bytes now.
    public static let longMessageBytes = 262_144

    /// Queues a message as ``send(_:)`` does, and lets it go in pieces while they are warm in the cache: `write`
    /// is lent all bytes that wait and answers how many it took. It is called no more once it
    /// takes less than that; what is left stays queued. A server's message, which is not masked, is lent from
    /// where it is but for its beginning, which goes along with the header.
    ///
    /// - Returns: whether `write` took all that it was lent.
    /// - Throws: as ``send(_:)`` does.
    public mutating func send(
        _ message: Message, writing write: (UnsafeRawBufferPointer) -> Int
    ) throws(SendError) -> Bool {
        try requireOpen()
        // What is compressed is made in one piece.
        guard agreement == nil, case .binary(let bytes) = message else {
            try send(message)
            defer { answerHeldPing() }
            return unsafe writeOut(write)
        }
        let key = freshKey()
        var hasRoom = true
        FrameWriter.appendHeader(.binary, length: bytes.count, key: key, to: &outgoing)
        unsafe bytes.withUnsafeBytes { payload in
            var offset = 0
            while offset < payload.count {
                if key == nil, offset > 0, hasRoom {
                    let rest = unsafe UnsafeRawBufferPointer(rebasing: payload[offset...])
                    hasRoom = unsafe writeThrough(rest, write)
                    break
                }
                let end = min(offset &+ Self.writtenPieceBytes, payload.count)
                unsafe FrameWriter.appendPayload(
                    UnsafeRawBufferPointer(rebasing: payload[offset..<end]),
                    key: key?.advanced(by: offset), to: &outgoing)
                offset = end
                if hasRoom { hasRoom = unsafe writeOut(write) }
            }
        }
        answerHeldPing()
        return hasRoom
    }

    /// Bytes of a long message that are masked and written at a time: they stay in the second cache.
    private static let writtenPieceBytes = 131_072

    /// Answers whether all that waits was taken. A ping that was held back is not answered here: a frame may have
    /// been queued in part.
    private mutating func writeOut(_ write: (UnsafeRawBufferPointer) -> Int) -> Bool {
        let waiting = outgoingCount
        let written = unsafe withOutgoing(write)
        outgoing.removeFirst(written)
        return written >= waiting
    }

    /// Lends the rest of a payload from where it is, while nothing waits, and queues what is not taken.
    private mutating func writeThrough(
        _ rest: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer) -> Int
    ) -> Bool {
        let written = unsafe min(max(0, write(rest)), rest.count)
        unsafe FrameWriter.appendPayload(
            UnsafeRawBufferPointer(rebasing: rest[written...]), key: nil, to: &outgoing)
        return written == rest.count
    }

    /// Queues a ping (RFC 6455 §5.5.2); the peer's pong will carry the same payload.
    ///
    /// - Parameter payload: at most 125 bytes.
    /// - Throws: ``SendError/controlPayloadTooLong(_:)``, or by state as ``send(_:)`` does.
    public mutating func sendPing(_ payload: [UInt8]) throws(SendError) {
        try sendControl(.ping, payload)
    }

    /// Queues a pong that nobody asked for: a one-way heartbeat (RFC 6455 §5.5.3). Pings are
    /// answered without it.
    ///
    /// - Parameter payload: at most 125 bytes.
    /// - Throws: ``SendError/controlPayloadTooLong(_:)``, or by state as ``send(_:)`` does.
    public mutating func sendPong(_ payload: [UInt8]) throws(SendError) {
        try sendControl(.pong, payload)
    }

    /// Answers a ping as it is answered where ``answersPings`` is on: of pongs that nobody reads no more wait than
    /// ``Limits/pendingPongs``, and behind those the newest ping (RFC 6455 §5.5.3).
    ///
    /// - Parameter payload: what the pong carries, at most 125 bytes.
    /// - Throws: ``SendError/controlPayloadTooLong(_:)``, ``SendError/notOpen`` or ``SendError/closed``.
    public mutating func answerPing(_ payload: [UInt8]) throws(SendError) {
        switch state {
        case .connecting: throw .notOpen
        // §5.5.2: only the peer's Close frees from the pong.
        case .open, .closing: break
        case .closed: throw .closed
        }
        try checkControl(payload)
        answer(payload)
    }

    /// Whether a ping waits for room to be answered, which ``didWrite(_:)`` makes.
    public var holdsPing: Bool { pongs.held != nil }

    /// Begins the closing handshake behind what is queued (RFC 6455 §7.1.2). The peer's answer comes as
    /// ``EngineEvent/closeReceived(_:reason:)``; how long to wait for it is the owner's affair.
    ///
    /// - Parameters:
    ///   - code: `nil` for a Close frame without a code, and then without a reason.
    ///   - reason: at most 123 bytes of UTF-8.
    /// - Throws: ``SendError/reservedCloseCode(_:)``, ``SendError/reasonWithoutCode``,
    ///   ``SendError/reasonTooLong(_:)``, or by state as ``send(_:)`` does. Nothing was queued then.
    public mutating func close(_ code: CloseCode?, reason: String = "") throws(SendError) {
        try requireOpen()
        let payload = ClosePayload(code: code, reason: reason)
        try payload.validateForSending()
        queueClose(payload)
        become(.closing)
    }

    /// Fails the connection of our own accord (RFC 6455 §7.1.7): if it is open a Close frame is queued,
    /// and whatever comes in afterwards is thrown away. Reports no event; the caller knows.
    ///
    /// - Parameters:
    ///   - code: a code that may not be sent counts as 1011.
    ///   - reason: cut at the end of a character if it is longer than 123 bytes of UTF-8.
    public mutating func fail(_ code: CloseCode, reason: String = "") {
        switch state {
        case .open: queueClose(.adapted(code, reason: reason))
        case .connecting, .closing, .closed: break
        }
        become(.closed)
    }

    /// Answers the peer's Close with its own code (RFC 6455 §5.5.1), which completes the closing
    /// handshake. Only for owners that turned ``answersEndings`` off; does nothing when there
    /// is no Close to answer.
    public mutating func answerClose() {
        guard state == .open, let closeReceived else { return }
        queueClose(ClosePayload(code: closeReceived.code))
        become(.closed)
    }

    /// Queues our one Close frame.
    mutating func queueClose(_ payload: ClosePayload) {
        sentClose = Shared(payload)
        queue(.close, payload: payload.bytes)
    }

    /// Queues one frame, masked if we are the client.
    mutating func queue(_ opcode: Opcode, payload: [UInt8]) {
        unsafe payload.withUnsafeBytes { unsafe queue(opcode, $0) }
    }

    private mutating func queue(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer) {
        let key = freshKey()
        unsafe FrameWriter.append(opcode, payload: payload, key: key, to: &outgoing)
    }

    /// Queues the one frame of a message. Control frames never come here (RFC 7692 §6.1).
    @inline(__always)
    private mutating func queueData(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer) {
        if let agreement, payload.count >= agreement.thresholdBytes {
            unsafe queueCompressed(opcode, payload, agreement)
        } else {
            unsafe queue(opcode, payload)
        }
    }

    /// Apart from the way of every message, which it would make longer.
    @inline(never)
    private mutating func queueCompressed(
        _ opcode: Opcode, _ payload: UnsafeRawBufferPointer, _ agreement: DeflateAgreement
    ) {
        let compressor = compressor ?? agreement.makeCompressor()
        self.compressor = compressor
        let key = freshKey()
        let isCompressed = unsafe compressor.compress(payload) { compressed in
            unsafe FrameWriter.append(
                opcode, isCompressed: true, payload: compressed, key: key, to: &outgoing)
        }
        guard !isCompressed else { return }
        unsafe FrameWriter.append(opcode, payload: payload, key: key, to: &outgoing)
    }

    /// The key of one frame (§5.3); a server has none. One random word is good for two keys.
    private mutating func freshKey() -> MaskingKey? {
        switch role {
        case .client:
            if let half = spareRandomness.take() { return MaskingKey(random: UInt64(half)) }
            let word = random.next()
            spareRandomness = UInt32(truncatingIfNeeded: word &>> 32)
            return MaskingKey(random: word)
        case .server: return nil
        }
    }

    private mutating func sendControl(
        _ opcode: Opcode, _ payload: [UInt8]
    ) throws(SendError) {
        try requireOpen()
        try checkControl(payload)
        queue(opcode, payload: payload)
    }

    private func checkControl(_ payload: [UInt8]) throws(SendError) {
        guard payload.count <= 125 else { throw .controlPayloadTooLong(payload.count) }
    }

    private func requireOpen() throws(SendError) {
        switch state {
        case .connecting: throw .notOpen
        case .open: break
        case .closing: throw .closing
        case .closed: throw .closed
        }
    }
}
