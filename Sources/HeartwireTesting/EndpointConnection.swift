public import HeartwireProtocol
public import HeartwireSession
public import HeartwireSocket

/// One connection of an ``Endpoint``, and a test's handle on it.
///
/// Theory of operation. Bytes go into the engine, its events are handled, and what that queued leaves in one
/// write at the end of the turn. While more than `limits.outgoingHighWater` bytes wait, nothing is read. What the
/// behaviour wants to happen later hangs on timers, all of which go when the connection ends.
///
/// Lives in the endpoint's domain, and so must every call (`executor.perform` from a test's body).
public final class EndpointConnection: ByteChannelHandler, TurnFlushable {
    /// Where a connection stands.
    public enum State: Sendable, Hashable {
        /// The opening request has not come in full. → answering, refused, open, ended.
        case awaitingRequest
        /// The request came; its answer is held back. → refused, open, ended.
        case answering
        /// Something other than a right 101 was the answer, or nothing. → ended.
        case refused
        /// The 101 went out, and the closing handshake is not complete. → leaving, frozen, ended.
        case open
        /// What is queued still goes out, and then FIN. → ended.
        case leaving
        /// The socket is kept, and nothing else is done. → ended.
        case frozen
        /// Over.
        case ended
    }

    /// The number of this connection on its endpoint; the first is 1.
    public let number: Int
    /// Where the connection stands.
    public internal(set) var state = State.awaitingRequest
    /// How the connection is treated; the default until the request has come.
    public internal(set) var behaviour: EndpointBehaviour {
        get { treatment.value }
        set { treatment = Shared(newValue, unless: Self.usualTreatment) }
    }
    /// What the client asked for, once it has. Kept as bytes, so each call reads them anew.
    public internal(set) var request: OpeningRequestHead? {
        get { requestBytes.flatMap { OpeningRequestHead(bytes: $0) } }
        set { requestBytes = newValue?.bytes }
    }

    /// The behaviour; the usual one is stored once for all connections.
    private(set) var treatment = EndpointConnection.usualTreatment
    private static let usualTreatment = Shared(EndpointBehaviour())
    private var requestBytes: [UInt8]?
    let endpoint: Endpoint
    let channel: any ByteChannel
    /// Exclusive by confinement: the engine calls nobody but its random source and the channel, which reports nothing from within.
    @exclusivity(unchecked) var engine: ConnectionEngine
    /// Hello messages that are still to be queued.
    var helloRemaining: Int32 = 0
    /// Whether the time of the behaviour's Close frame has come while hello messages were still to be queued.
    var isClosePending = false
    /// Whether an unlawful Close frame went out: the client's answer to it is not answered again.
    var hasSentRawClose = false
    /// Whether the journal has our Close frame: there is one at the most.
    var closeRecorded = false
    var latePongs: Int32 = 0
    private var lastTimer: Int32 = 0
    private var openingTimer: Int32 = 0
    private var timers: [Int32: TimerID] = [:]
    private var isFlushScheduled = false
    var isBlocked = false
    /// Whether the handshake or a ping came last, and no message: the connection may be idle for long now.
    var mayBeIdle = true
    private(set) var isReading = true
    /// When bytes came last while a frame was under way, and how long ago that may be.
    var stallWatch: FrameStallWatch
    /// Whether a timer is set for the frame that has begun.
    var isLookingForStall = false

    init(_ endpoint: Endpoint, number: Int, channel: any ByteChannel) {
        self.endpoint = endpoint
        self.number = number
        self.channel = channel
        engine = ConnectionEngine(accepting: endpoint.limits, random: endpoint.random)
        stallWatch = FrameStallWatch(limit: endpoint.limits.frameStall)
        // So that what came ahead of a Close in one read is still echoed ahead of its answer.
        engine.answersAutomatically = false
    }

    /// Begins to listen, and bounds how long the client may take to ask.
    func start() {
        record(.accepted)
        openingTimer = after(Endpoint.patience) { $0.leave() }
        channel.handler = self
    }

    // MARK: ByteChannelHandler

    /// Nothing: the channel was up when it came.
    public func channelConnected() {}

    /// Takes bytes from the client.
    public func channelReceived(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .awaitingRequest, .answering, .open:
            let bytes = bytes.bindMemory(to: UInt8.self)
            let rest = bytes[echoWhole(bytes.span)...]
            if !rest.isEmpty { engine.receive(UnsafeBufferPointer(rebasing: rest).span) }
            handleEvents()
            noteProgress()
        case .refused, .leaving, .frozen, .ended: return
        }
    }

    /// How much is to come of a long message that the endpoint is in the middle of.
    public var channelDirectBytes: Int {
        switch state {
        case .open: engine.directBytes
        case .awaitingRequest, .answering, .refused, .leaving, .frozen, .ended: 0
        }
    }

    /// Takes bytes of a long message to where they stay.
    public func channelReceivesDirectly(
        atMost limit: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int
    ) {
        guard engine.receiveDirectly(atMost: limit, from: read) else { return }
        handleEvents()
        noteProgress()
    }

    /// The client has finished its side: so does the endpoint, after what is queued.
    public func channelReceivedEOF() {
        switch state {
        case .awaitingRequest, .answering, .open:
            engine.receiveEOF()
            handleEvents()
            leave()
        case .refused, .leaving: leave()
        case .frozen, .ended: return
        }
    }

    /// There is room again.
    public func channelBecameWritable() {
        isBlocked = false
        flush()
    }

    /// The stream is over.
    public func channelFailed(_ failure: ConnectionFailure) {
        end()
    }

    // MARK: Output

    /// Lets go what was queued in this turn.
    public func flush() {
        isFlushScheduled = false
        guard state != .frozen, state != .ended else { return }
        writeAll()
        adjustReading()
        guard engine.outgoingCount == 0 else { return }
        if state == .leaving || engine.shouldCloseTransport {
            channel.finish()
            end()
        } else if mayBeIdle, state == .open {
            engine.releaseBuffers()
        }
    }

    func scheduleFlush() {
        guard !isFlushScheduled, state != .frozen, state != .ended else { return }
        isFlushScheduled = true
        endpoint.executor.flushAtEndOfTurn(self)
    }

    /// Writes as much as the channel takes of what is queued, and of the hello messages behind it.
    func writeAll() {
        guard state != .frozen else { return }
        writeOut()
        while pumpHello() { writeOut() }
    }

    /// Writes as much as the channel takes of what is queued.
    func writeOut() {
        while !isBlocked, engine.outgoingCount > 0 {
            let offered = engine.outgoingCount
            let channel = channel
            let taken = engine.withOutgoing { channel.write($0) }
            engine.didWrite(taken)
            isBlocked = taken < offered
        }
    }

    private func adjustReading() {
        let limits = endpoint.limits
        let bound = isReading ? limits.outgoingHighWater : limits.outgoingLowWater
        let hasRoom = engine.outgoingCount <= bound
        guard hasRoom != isReading else { return }
        isReading = hasRoom
        if isReading { noteProgress() }
        channel.setReading(hasRoom)
    }

    // MARK: The end

    /// Sends FIN after what is queued, for which the client gets a bounded time.
    func leave() {
        switch state {
        case .awaitingRequest, .answering, .refused, .open:
            state = .leaving
            cancelTimers()
            after(Endpoint.patience) { $0.abandon() }
            scheduleFlush()
        case .leaving, .frozen, .ended: return
        }
    }

    /// Ends a connection that had its time.
    func abandon() {
        guard state != .ended else { return }
        channel.abort(reset: true)
        end()
    }

    func end() {
        guard state != .ended else { return }
        state = .ended
        cancelTimers()
        channel.handler = nil
        endpoint.forget(self)
        record(.ended)
    }

    // MARK: Timers and the journal

    func record(_ kind: EndpointEvent.Kind) {
        endpoint.record(number, kind)
    }

    /// Does something later, unless the connection has ended by then.
    @discardableResult
    func after(_ delay: Duration, _ action: @escaping (EndpointConnection) -> Void) -> Int32 {
        at(endpoint.executor.now().advanced(by: delay), action)
    }

    /// Does something at `deadline`, unless the connection has ended by then.
    @discardableResult
    func at(
        _ deadline: MonotonicInstant, _ action: @escaping (EndpointConnection) -> Void
    ) -> Int32 {
        lastTimer &+= 1
        let number = lastTimer
        timers[number] = endpoint.executor.schedule(at: deadline) {
            // Held until it fires or is cancelled, which the end of the connection does.
            guard self.takeTimer(number) != nil else { return }
            action(self)
        }
        return number
    }

    /// The client has asked: it need not hurry any more.
    func stopOpeningTimer() {
        guard let timer = takeTimer(openingTimer) else { return }
        endpoint.executor.cancel(timer)
    }

    /// Forgets a timer, and gives the table's storage back with the last of them.
    private func takeTimer(_ number: Int32) -> TimerID? {
        defer { if timers.isEmpty { timers = [:] } }
        return timers.removeValue(forKey: number)
    }

    func cancelTimers() {
        for timer in timers.values {
            endpoint.executor.cancel(timer)
        }
        timers = [:]
    }
}
