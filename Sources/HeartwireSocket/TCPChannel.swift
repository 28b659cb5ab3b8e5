import HeartwireProtocol
public import HeartwireSession

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A TCP connection on an event loop, either being made or accepted.
///
/// One read takes what there is into the loop's shared buffer and hands it over; a connection without data
/// holds no buffer. What the peer sent before it reset the connection is handed over before the failure is
/// reported, so a Close frame in front of a reset is not lost (K10-06).
///
/// Confinement: all stored state belongs to the loop's thread, and none is changed while it is handed to a call, so
/// what each read and write looks at is not checked for exclusive access at run time.
public final class TCPChannel: ByteChannel, ReadinessHandler, @unchecked Sendable {
    /// How long `finish()` waits for the peer's FIN.
    static let finishTimeout = Duration.seconds(1)

    enum State {
        /// Being resolved or connected. Next: up, ended.
        case connecting
        /// In use. Next: draining, ended.
        case up
        /// Finished by us, waiting for the peer's FIN. Next: ended.
        case draining
        /// Closed. Final.
        case ended
    }

    let loop: EventLoop
    private var token: UInt64?
    private var interest: Readiness = []
    @exclusivity(unchecked) var state: State
    @exclusivity(unchecked) var isReading = true
    @exclusivity(unchecked) private var wantsWrite = false
    @exclusivity(unchecked) var receivedEOF = false
    /// Whether more of the message that is under way was to come than one direct read takes.
    @exclusivity(unchecked) var isInLongMessage = false
    @exclusivity(unchecked) var descriptor: Int32
    /// What one read takes at most.
    @exclusivity(unchecked) var readBytes = Int32(EventLoop.readBufferBytes)
    /// A write that failed; reported when everything that was received has been handed over.
    @exclusivity(unchecked) var brokenWrite: Shared<ConnectionFailure>?
    private var pending: ChannelDuty?

    /// Who hears about this channel.
    @exclusivity(unchecked) public var handler: (any ByteChannelHandler)?
    /// The loop that it lives on.
    public var executor: any SessionExecutor { loop }

    /// A channel whose connection is still to be made.
    init(connectingOn loop: EventLoop, handler: any ByteChannelHandler) {
        self.loop = loop
        self.handler = handler
        state = .connecting
        descriptor = -1
    }

    /// A channel on a socket that is up. Reading begins once a handler is set and `start()` is called.
    init(accepted descriptor: Int32, on loop: EventLoop) {
        self.loop = loop
        self.descriptor = descriptor
        state = .up
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    // MARK: Connecting

    func connect(to host: String, port: UInt16, _ resolve: Resolver.Function = Resolver.resolve) {
        resolve(host, port, loop) { answer in
            // Held until the resolver answers, however late that is; then it may have ended long ago.
            guard self.state == .connecting else { return }
            switch answer {
            case .failure(let failure): self.fail(failure)
            case .success(let addresses):
                self.handler?.channelProgressed(.tcp)
                self.race(addresses)
            }
        }
    }

    private func race(_ addresses: [SocketAddress]) {
        let race = ConnectRace(addresses, on: loop) { result in
            self.pending = nil
            switch result {
            case .failure(let failure): self.fail(failure)
            case .success(let descriptor):
                self.descriptor = descriptor
                self.state = .up
                self.updateInterest()
                self.handler?.channelConnected()
            }
        }
        pending = .race(race)
        race.start()
    }

    /// What the kernel holds until it is acknowledged.
    public var unacknowledgedBytes: Int {
        state == .up ? TCPSocket.unacknowledgedBytes(descriptor) : 0
    }

    /// Begins to read from an accepted socket.
    public func start() {
        updateInterest()
    }

    // MARK: Events

    func becameReady(_ readiness: Readiness) {
        if readiness.contains(.write), wantsWrite {
            wantsWrite = false
            updateInterest()
            handler?.channelBecameWritable()
        }
        guard readiness.contains(.read) || readiness.contains(.hangup) else { return }
        switch state {
        case .up where isReading && !receivedEOF: readOnce()
        case .draining: discard()
        case .up:
            // Reading is paused, and the kernel goes on telling that the peer is gone. Look away
            // until reading goes on; what was received before is still to be read then.
            stopWatching()
        case .connecting, .ended: break
        }
    }

    func fail(_ failure: ConnectionFailure) {
        let handler = self.handler
        end()
        handler?.channelFailed(failure)
    }

    // MARK: Commands

    /// Hands over as much as the kernel takes; see ``ByteChannel/write(_:)``.
    public func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard state == .up, brokenWrite == nil else { return awaitsReading ? 0 : bytes.count }
        var written = 0
        while written < bytes.count {
            switch TCPSocket.send(descriptor, UnsafeRawBufferPointer(rebasing: bytes[written...])) {
            case .bytes(let count):
                written += count
            case .wouldBlock:
                wantsWrite = true
                updateInterest()
                return written
            case .failed(let failure):
                writeBroke(failure)
                return awaitsReading ? written : bytes.count
            }
        }
        return written
    }

    /// Whether what was received is to be read before a failure is reported. Until then nothing is taken that cannot go
    /// out.
    private var awaitsReading: Bool {
        state == .up && !isReading && !receivedEOF && handler?.channelReadsToTheEnd == true
    }

    private func writeBroke(_ failure: ConnectionFailure) {
        brokenWrite = Shared(failure)
        guard receivedEOF || !isReading, !awaitsReading else { return }
        loop.execute {
            guard self.state == .up else { return }
            self.fail(failure)
        }
    }

    /// Stops or resumes reading.
    public func setReading(_ isReading: Bool) {
        guard self.isReading != isReading else { return }
        self.isReading = isReading
        updateInterest()
    }

    /// Sends FIN after what was written and goes on reading.
    public func finishWriting() {
        guard state == .up else { return }
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Sends FIN after what was written and closes when the peer has too, after a second at the latest.
    public func finish() {
        guard state == .up, !receivedEOF, brokenWrite == nil else { return abort(reset: false) }
        shutdown(descriptor, Int32(SHUT_WR))
        handler = nil
        state = .draining
        wantsWrite = false
        updateInterest()
        // Held by the timer until then, whoever lets go of it.
        let deadline = loop.now().advanced(by: Self.finishTimeout)
        pending = .timer(loop.schedule(at: deadline) { self.end() })
    }

    /// Closes at once, with RST where `reset` asks for it.
    public func abort(reset: Bool) {
        if reset, descriptor >= 0 { TCPSocket.resetOnClose(descriptor) }
        end()
    }

    func end() {
        guard state != .ended else { return }
        state = .ended
        handler = nil
        switch pending.take() {
        case nil: break
        case .race(let race): race.cancel()
        case .timer(let timer): loop.cancel(timer)
        }
        stopWatching()
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    // MARK: Interest

    func updateInterest() {
        guard state == .up || state == .draining else { return }
        var wanted: Readiness = []
        if state == .draining || (isReading && !receivedEOF) { wanted.insert(.read) }
        if wantsWrite { wanted.insert(.write) }
        if let token {
            guard wanted != interest else { return }
            interest = wanted
            loop.poller.modify(descriptor, token: token, interest: wanted)
        } else if !wanted.isEmpty {
            interest = wanted
            token = loop.watch(descriptor, wanted, self)
        }
    }

    private func stopWatching() {
        guard let token else { return }
        loop.unwatch(descriptor, token: token)
        self.token = nil
        interest = []
    }
}
