// What arrives once the opening handshake is done.

extension ConnectionEngine {
    /// Reads frames to the end of `bytes`, or to where the connection ends.
    mutating func receiveFrames(_ bytes: Span<UInt8>) {
        var offset = 0
        do throws(ProtocolViolation) {
            while offset < bytes.count {
                guard let control = try frames.step(bytes, &offset, &events) else { continue }
                switch control {
                case .ping(let payload): pingArrived(payload)
                case .pong(let payload): events.append(.pongReceived(payload))
                case .close(let close):
                    closeArrived(close)
                    // §1.4: what follows a Close frame is discarded.
                    return
                }
            }
        } catch {
            failForPeer(error)
        }
    }

    /// Takes the message that begins at `offset` in `bytes`, which have arrived, and moves `offset` behind it: the short
    /// way of what most reads bring.
    ///
    /// Only where that is the same as to receive them and to take the first event: the message lies whole in one frame, is
    /// lawful and not compressed, and nothing that came before it waits to be taken.
    ///
    /// - Returns: `nil` for all else, which is for ``receive(_:)`` then; nothing was taken.
    package mutating func message(in bytes: Span<UInt8>, at offset: inout Int) -> Message? {
        guard agreement == nil, !isDeaf, events.count == 0 else { return nil }
        switch state {
        case .open, .closing: return frames.wholeMessage(bytes, at: &offset)
        case .connecting, .closed: return nil
        }
    }

    /// Fails the connection for the peer's fault (§7.1.7).
    @inline(never)
    mutating func failForPeer(_ violation: ProtocolViolation) {
        events.append(.failed(violation))
        if state == .open {
            guard answersEndings else { return waitForOwner() }
            queueClose(.adapted(violation.closeCode, reason: violation.description))
        }
        become(.closed)
    }

    private mutating func pingArrived(_ payload: [UInt8]) {
        events.append(.pingReceived(payload))
        guard answersPings else { return }
        answer(payload)
    }

    /// Queues the pong ahead of whatever is sent later (§5.5.2), or keeps the ping until there is room.
    /// A ping that is kept is answered as soon as there is, so none can be overtaken here.
    mutating func answer(_ ping: [UInt8]) {
        if pongs.hasRoom(written: outgoing.written) {
            queuePong(ping)
        } else {
            pongs.hold(ping)
        }
    }

    /// Answers the ping that found no room earlier, if there is one and there is room now.
    mutating func answerHeldPing() {
        guard pongs.held != nil, pongs.hasRoom(written: outgoing.written) else { return }
        if let payload = pongs.takeHeld() { queuePong(payload) }
    }

    private mutating func queuePong(_ payload: [UInt8]) {
        queue(.pong, payload: payload)
        pongs.noteQueued(end: outgoing.end)
    }

    /// Answers the peer's Close with its own code, unless it is itself the answer to ours (§5.5.1).
    private mutating func closeArrived(_ close: ClosePayload) {
        receivedClose = Shared(close)
        events.append(.closeReceived(close.code, reason: close.reason))
        if state == .open {
            guard answersEndings else { return waitForOwner() }
            queueClose(ClosePayload(code: close.code))
        }
        become(.closed)
    }

    /// The peer has said its last, and the owner is to answer: nothing more is read.
    private mutating func waitForOwner() {
        isDeaf = true
        frames.drop()
    }
}
