import HeartwireProtocol
import HeartwireSession

// What the channel reports, and what the engine makes of it.
extension SocketTransport: ByteChannelHandler {
    /// Bytes that are given to an inflating engine at once: at a ratio of a thousand that is 4 MiB.
    static let inflatedSliceBytes = 4_096
    /// Bytes that one read takes at most where they inflate: what comes of them is there at once, and more than the
    /// processor's caches hold costs more than the further reads.
    static let inflatedReadBytes = 12_288

    func channelProgressed(_ phase: ConnectPhase) {
        observer?.transportProgressed(generation, phase)
    }

    func channelConnected() {
        isStreamUp = true
        observer?.transportProgressed(generation, .upgrade)
        flushOutgoing()
    }

    func channelReceived(_ bytes: UnsafeRawBufferPointer) {
        guard engine.inflates || state == .connecting else { return takeMessages(bytes) }
        let taken = takeInSlices(bytes)
        guard taken < bytes.count else { return }
        withheld.append(UnsafeRawBufferPointer(rebasing: bytes[taken...]))
    }

    /// Reading is paused for consumers who are behind: what they have not taken yet is not to be lost.
    var channelReadsToTheEnd: Bool { true }

    var channelDirectBytes: Int { state == .open ? engine.directBytes : 0 }

    func channelReceivesDirectly(
        atMost limit: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int
    ) {
        // TLS may have a record whose end has not come.
        guard engine.receiveDirectly(atMost: limit, from: read) else { return }
        pump()
        noteProgress()
    }

    /// Reports the messages that the bytes begin with as they are read, without a queue in between.
    private func takeMessages(_ bytes: UnsafeRawBufferPointer) {
        let span = bytes.bindMemory(to: UInt8.self).span
        var offset = 0
        // Counted once for all messages of a read.
        if let observer {
            while state == .open, let message = engine.message(in: span, at: &offset) {
                hasDelivered = true
                observer.transportReceived(generation, message)
            }
        }
        guard state != .ended else { return }
        guard offset < bytes.count else { return finishBatch() }
        take(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        engine.receive(bytes.bindMemory(to: UInt8.self).span)
        pump()
        noteProgress()
        // A redirect's body says nothing more than its head, and may never end.
        if state == .connecting, trail != nil, let refusal = engine.pendingRefusal,
            RedirectTrail.isRedirect(refusal.status)
        {
            refused(refusal)
        }
    }

    /// One read of compressed bytes may inflate a thousandfold, so consumers are asked between slices of it.
    ///
    /// - Returns: how many bytes are done with: those taken, and all of them when nobody wants the rest any more.
    private func takeInSlices(_ bytes: UnsafeRawBufferPointer) -> Int {
        var rest = bytes[...]
        let source = channel
        // A redirect goes on with another channel, which these bytes are not from.
        while isReading, !rest.isEmpty, state != .ended, channel === source {
            take(UnsafeRawBufferPointer(rebasing: rest.prefix(Self.inflatedSliceBytes)))
            rest = rest.dropFirst(Self.inflatedSliceBytes)
        }
        return state == .open && channel === source ? rest.startIndex : bytes.count
    }

    /// Goes on where reading was suspended in the middle of a read.
    func takeWithheld() {
        guard state == .open, isReading else { return }
        var bytes = withheld
        withheld = ByteQueue()
        bytes.drop(bytes.withUnsafeBytes { takeInSlices($0) })
        bytes.release()
        withheld = bytes
        if isReading, withheld.isEmpty { channel?.setReading(true) }
    }

    func channelReceivedEOF() {
        settleEnding()
        engine.receiveEOF()
        pump()
        if state == .lingering { windUp() }
    }

    func channelBecameWritable() {
        isBlocked = false
        flushOutgoing()
    }

    func channelFailed(_ failure: ConnectionFailure) {
        channel = nil
        settleEnding()
        switch state {
        case .connecting:
            if let refusal = refusal() { return refused(refusal) }
            report(.connectFailed(failure))
        case .open: report(.connectionLost(failure))
        case .fresh, .lingering, .ended: break
        }
        end(reset: false)
    }

    /// A server that said no and then broke the stream said no.
    func refusal() -> Refusal? {
        engine.receiveEOF()
        while let event = engine.nextEvent() {
            if case .refused(let refusal) = event { return refusal }
        }
        return nil
    }

    // MARK: Events

    func pump() {
        // Counted once for all messages of a read.
        let listener = observer
        while let event = engine.nextEvent() {
            handle(event, listener)
            if state == .ended { return }
        }
        finishBatch()
    }

    private func finishBatch() {
        if ending != nil, !hasDelivered { return settleEnding() }
        observer?.transportFinishedBatch(generation)
        if hasDelivered || engine.outgoingCount > 0 { markDirty() }
    }

    /// `listener` is who observed when the read began, and gets messages while the connection is open.
    private func handle(_ event: consuming EngineEvent, _ listener: (any TransportObserver)?) {
        // Consumed, so that a message is moved to its consumers and not copied on the way.
        switch consume event {
        case .message(let message):
            hasDelivered = true
            if state == .open { listener?.transportReceived(generation, message) }
        case .opened(let result):
            state = .open
            trail = nil
            releaseIdleBuffers()
            if engine.inflates { channel?.limitReads(to: Self.inflatedReadBytes) }
            observer?.transportOpened(
                generation, OpenedConnection(subprotocol: result.subprotocol))
        case .pingReceived(let payload):
            observer?.transportReceivedPing(generation, payload: payload)
        case .pongReceived(let payload): pongReceived(payload)
        case .closeReceived(let code, let reason):
            ending = .close(PeerClose(code: code, reason: reason))
        case .refused(let refusal): refused(refusal)
        case .failed(let violation):
            if state == .connecting { return finish(.badHandshake(violation)) }
            ending = .violation(violation)
        case .ended: finish(.connectionLost(ConnectionFailure(.endOfStream)))
        case .requestReceived: break  // The server's role only.
        }
    }

    /// An unsolicited pong is lawful and means nothing (RFC 6455 §5.5.3).
    func pongReceived(_ payload: [UInt8]) {
        guard let id = awaited, id.isNamed(by: payload) else { return }
        awaited = nil
        releaseIdleBuffers()
        observer?.transportReceivedPong(generation, id)
    }

    /// Behind the handshake and at each heartbeat: often enough to leave an idle connection without buffers.
    private func releaseIdleBuffers() {
        if engine.outgoingCount == 0 { engine.releaseBuffers() }
    }
}
