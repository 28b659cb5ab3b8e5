public import HeartwireProtocol
import HeartwireSocket

// What a test can do to a connection at will. Each call must be made in the domain, and leaves in
// one write at the end of the turn.

extension EndpointConnection {
    /// Sends a message.
    ///
    /// - Throws: `SendError` when the connection is not open.
    public func send(_ message: Message) throws(SendError) {
        try engine.send(message)
        scheduleFlush()
    }

    /// Sends a text message.
    ///
    /// - Throws: `SendError` when the connection is not open.
    public func send(text: String) throws(SendError) {
        try send(.text(text))
    }

    /// Sends a binary message.
    ///
    /// - Throws: `SendError` when the connection is not open.
    public func send(binary: [UInt8]) throws(SendError) {
        try send(.binary(binary))
    }

    /// Sends a ping.
    ///
    /// - Throws: `SendError` when the connection is not open or the payload too long.
    public func ping(_ payload: [UInt8] = []) throws(SendError) {
        try engine.sendPing(payload)
        scheduleFlush()
    }

    /// Sends a pong that nobody asked for (RFC 6455 §5.5.3).
    ///
    /// - Throws: `SendError` when the connection is not open or the payload too long.
    public func pong(_ payload: [UInt8] = []) throws(SendError) {
        try engine.sendPong(payload)
        scheduleFlush()
    }

    /// Sends a Close frame, an unlawful one too, and ends the connection when the client has answered
    /// it, or ``Endpoint/patience`` later. Does nothing unless the connection is open.
    public func close(_ code: CloseCode?, reason: String = "") {
        send(EndpointBehaviour.Close(code: code, reason: reason))
        scheduleFlush()
    }

    /// Sends bytes as they are, behind what is queued: half a frame, a reserved opcode, anything.
    public func send(raw bytes: [UInt8]) {
        engine.queueRaw(bytes)
        scheduleFlush()
    }

    /// Ends the stream without a closing handshake, after what is queued.
    public func drop(_ kind: EndpointBehaviour.DropKind) {
        guard state != .ended, state != .leaving else { return }
        writeAll()
        record(.dropped(kind))
        switch kind {
        case .fin:
            if state == .frozen { state = .open }
            leave()
        case .rst:
            abandon()
        }
    }

    /// Keeps the socket, and from now on neither reads nor writes.
    public func freeze() {
        guard state != .ended, state != .frozen else { return }
        writeAll()
        state = .frozen
        cancelTimers()
        channel.setReading(false)
        record(.frozen)
        after(Endpoint.keepTime) { $0.abandon() }
    }

    func send(_ close: EndpointBehaviour.Close) {
        guard state == .open, !closeRecorded else { return }
        do {
            try engine.close(close.code, reason: close.reason)
        } catch {
            guard engine.state == .open else { return }
            hasSentRawClose = true
            engine.queueRaw(Self.closeFrame(close))
        }
        recordCloseSent(close.code)
        after(Endpoint.patience) { $0.leave() }
    }

    /// An unmasked Close frame (RFC 6455 §5.5.1), whatever its code; a reason that does not fit is cut.
    private static func closeFrame(_ close: EndpointBehaviour.Close) -> [UInt8] {
        var payload: [UInt8] = []
        if let code = close.code?.rawValue {
            payload = [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)]
        }
        payload += close.reason.utf8.prefix(EndpointBehaviour.reasonByteLimit)
        return [0x88, UInt8(truncatingIfNeeded: payload.count)] + payload
    }
}
