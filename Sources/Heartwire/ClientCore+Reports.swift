import HeartwireProtocol
import HeartwireSession

// What the transport reports, and the reading that is suspended when consumers are behind.
extension ClientCore {
    func transportProgressed(_ generation: Generation, _ phase: ConnectPhase) {
        handle(.connectProgressed(generation, phase))
    }

    func transportOpened(_ generation: Generation, _ opened: OpenedConnection) {
        if generation == transportGeneration { self.opened = opened }
        handle(.transportOpened(generation))
        // What consumers are behind by may be from earlier connections.
        pauseReadingIfFull(generation)
    }

    func transportReceived(_ generation: Generation, _ message: consuming Message) {
        guard machine.admitsMessage(from: generation) else { return }
        if isClosing, backlog > receiveBufferBytes { return messages.noteDropped(1) }
        delivery?.received(message)
        hand(generation, message)
    }

    func transportFinishedBatch(_ generation: Generation) {
        // Also where a read has brought a part of a frame and nothing else.
        if countsInboundFrames, machine.admitsSend { handle(.frameReceived(generation)) }
        guard hasArrivals else { return }
        hasArrivals = false
        wakeConsumers()
        pauseReadingIfFull(generation)
    }

    func transportReceivedPing(_ generation: Generation, payload: [UInt8]) {
        let isAdmitted = machine.admitsMessage(from: generation)
        if isAdmitted, !isClosing || backlog <= receiveBufferBytes {
            events.append(generation, .ping(payload))
            hasArrivals = true
        }
        guard journal != nil else { return }
        record(isAdmitted ? .pingReceived : .stale, generation)
    }

    func transportReceivedPong(_ generation: Generation, _ id: PingID) {
        handle(.pongReceived(generation, id))
    }

    func transportBecameWritable(_ generation: Generation) {
        guard machine.admitsMessage(from: generation) else { return }
        delivery?.becameWritable()
        guard delivery?.isBlocked != true else { return }
        resumeOutgoing()
        resumeWriters(.free)
    }

    func transportClosed(_ generation: Generation, _ cause: CloseCause) {
        wakeConsumers()
        handle(.transportClosed(generation, cause))
    }

    // MARK: Back-pressure

    private func pauseReadingIfFull(_ generation: Generation) {
        guard !isReadingPaused, !isClosing, backlog > receiveBufferBytes, let transport,
            machine.admitsMessage(from: generation)
        else { return }
        isReadingPaused = true
        transport.setReading(false)
        handle(.readingPaused(generation))
    }

    func consumerTook() {
        guard isReadingPaused, backlog <= receiveBufferBytes / 2, let transport else {
            return
        }
        isReadingPaused = false
        transport.setReading(true)
        handle(.readingResumed(transportGeneration))
    }

    /// The app has asked for the close, and the peer's answer stands behind messages that perhaps nobody
    /// reads any more: from here on they are read, and dropped where there is no room.
    func stopPausing() {
        isClosing = true
        guard isReadingPaused else { return }
        isReadingPaused = false
        transport?.setReading(true)
    }
}
