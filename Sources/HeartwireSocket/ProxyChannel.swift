import HeartwireProtocol
import HeartwireSession

/// A byte channel through a proxy.
///
/// Theory of operation. The channel beneath leads to the proxy. Once it is up, the handshake asks for the tunnel; when
/// that stands, `channelConnected` is reported, what came behind the proxy's answer is handed over, and from then on
/// everything passes through untouched. `@unchecked Sendable`: lives in its executor's domain.
final class ProxyChannel: ByteChannel, ByteChannelHandler, @unchecked Sendable {
    private enum State {
        /// The channel to the proxy is being made. → asking, ended.
        case connecting
        /// → up, ended.
        case asking
        /// → ended.
        case up
        case ended
    }

    let executor: any SessionExecutor
    var handler: (any ByteChannelHandler)?
    private var base: (any ByteChannel)?
    private var handshake: ProxyHandshake
    private var state = State.connecting
    private var isReading = true
    private var owesWritable = false
    /// What the proxy has not been told yet for want of room.
    private var unsent: ArraySlice<UInt8> = []
    /// What came behind the proxy's answer while reading was off.
    private var early: [UInt8] = []

    init(
        _ handshake: ProxyHandshake, on executor: any SessionExecutor,
        handler: any ByteChannelHandler
    ) {
        self.handshake = handshake
        self.executor = executor
        self.handler = handler
    }

    /// Hands over the channel whose handler this one is.
    func start(over base: any ByteChannel) {
        self.base = base
    }

    // MARK: The channel beneath

    func channelProgressed(_ phase: ConnectPhase) {
        handler?.channelProgressed(phase)
    }

    func channelConnected() {
        guard state == .connecting else { return }
        state = .asking
        handler?.channelProgressed(.proxy)
        tell()
    }

    func channelReceived(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .up: handler?.channelReceived(bytes)
        case .asking: ask(bytes)
        case .connecting, .ended: break
        }
    }

    var channelReadsToTheEnd: Bool { handler?.channelReadsToTheEnd == true }

    func channelReceivedEOF() {
        switch state {
        case .up: handler?.channelReceivedEOF()
        case .asking: fail(handshake.receiveEOF())
        case .connecting, .ended: break
        }
    }

    func channelBecameWritable() {
        switch state {
        case .asking: sendUnsent()
        case .up: reportRoom()
        case .connecting, .ended: break
        }
    }

    func channelFailed(_ failure: ConnectionFailure) {
        base = nil
        let handler = self.handler
        var failure = failure
        switch state {
        case .connecting, .asking: failure.isAtProxy = true
        case .up, .ended: break
        }
        end()
        handler?.channelFailed(failure)
    }

    // MARK: The proxy

    private func ask(_ bytes: UnsafeRawBufferPointer) {
        let step = handshake.receive(bytes.bindMemory(to: UInt8.self).span)
        switch step.outcome {
        case nil: tell()
        case .failed(let failure)?: fail(failure)
        case .established?:
            state = .up
            handler?.channelConnected()
            guard state == .up else { return }
            if !isReading { base?.setReading(false) }
            reportRoom()
            hand(over: UnsafeRawBufferPointer(rebasing: bytes[step.consumed...]))
        }
    }

    /// Bytes of the server's that stood in one read with the proxy's answer.
    private func hand(over rest: UnsafeRawBufferPointer) {
        guard state == .up, !rest.isEmpty else { return }
        if isReading {
            handler?.channelReceived(rest)
        } else {
            early = Array(rest)
        }
    }

    private func tell() {
        unsent += handshake.takeOutgoing()
        sendUnsent()
    }

    private func sendUnsent() {
        guard let base, !unsent.isEmpty else { return }
        unsent = unsent.dropFirst(unsent.withUnsafeBytes { base.write($0) })
    }

    private func fail(_ failure: ProxyFailure) {
        let (handler, base) = (self.handler, self.base)
        end()
        base?.abort(reset: false)
        handler?.channelFailed(ConnectionFailure(failure))
    }

    private func reportRoom() {
        guard owesWritable, state == .up else { return }
        owesWritable = false
        handler?.channelBecameWritable()
    }

    // MARK: ByteChannel

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch state {
        case .up:
            guard let base else { return bytes.count }
            let written = base.write(bytes)
            owesWritable = written < bytes.count
            return written
        case .connecting, .asking:
            owesWritable = true
            return 0
        case .ended: return bytes.count
        }
    }

    /// What the proxy's system has not acknowledged; of the server's nobody here can tell.
    var unacknowledgedBytes: Int { base?.unacknowledgedBytes ?? 0 }

    /// While the proxy is asked, its answers are read whatever the handler wants.
    func setReading(_ isReading: Bool) {
        guard self.isReading != isReading, state != .ended else { return }
        self.isReading = isReading
        guard state == .up else { return }
        guard isReading, !early.isEmpty else {
            base?.setReading(isReading)
            return
        }
        // In a later turn, as for any channel, and ahead of what is still to be read.
        executor.execute { self.handOverEarly() }
    }

    private func handOverEarly() {
        guard state == .up, isReading else { return }
        let bytes = early
        early = []
        bytes.withUnsafeBytes { handler?.channelReceived($0) }
        if state == .up, isReading { base?.setReading(true) }
    }

    func limitReads(to bytes: Int) { base?.limitReads(to: bytes) }

    func finishWriting() {
        if state == .up { base?.finishWriting() }
    }

    func announceEnd() {
        if state == .up { base?.announceEnd() }
    }

    func finish() {
        guard state == .up else { return abort(reset: false) }
        let base = self.base
        end()
        base?.finish()
    }

    func abort(reset: Bool) {
        let base = self.base
        end()
        base?.abort(reset: reset)
    }

    private func end() {
        state = .ended
        handler = nil
        base = nil
        early = []
    }
}
