import HeartwireProtocol
public import HeartwireSession
public import HeartwireSocket

/// One end of a connection of a ``VirtualNetwork``. Lives in the network's domain.
///
/// It behaves as TCP does towards the program: order is kept, a slow reader makes the
/// writer's channel full, bytes for an end that has closed itself are answered with RST, and nothing
/// is ever reported from within a call.
public final class VirtualChannel: ByteChannel {
    private enum State {
        /// → up, ended.
        case connecting
        /// → finished, ended.
        case up
        /// `finish` was called: what still comes in is thrown away. → ended.
        case finished
        case ended
    }

    /// The number that Linux has for a reset connection.
    static let resetCode: Int32 = 104
    /// The number that Linux has for a refused connection.
    static let refusedCode: Int32 = 111

    /// The domain.
    public let executor: any SessionExecutor
    /// Who hears about this channel.
    public var handler: (any ByteChannelHandler)?
    /// The most bytes that one report holds; 1 makes every byte a read of its own.
    public var readSize: Int
    private var state: State
    private let outgoing: VirtualPipe
    private let incoming: VirtualPipe
    private var unread: ArraySlice<UInt8> = []
    private var hasUnreportedEOF = false
    private var hasReadAll = false
    private var isAccepted = false
    private var isReading = true
    private var isWritingFinished = false
    private var isDeliveryScheduled = false

    init(
        executor: any SessionExecutor, outgoing: VirtualPipe, incoming: VirtualPipe,
        readSize: Int, isUp: Bool
    ) {
        self.executor = executor
        self.outgoing = outgoing
        self.incoming = incoming
        self.readSize = max(1, readSize)
        state = isUp ? .up : .connecting
        outgoing.sender = self
        incoming.receiver = self
    }

    /// How many bytes this end has written that the other has not read.
    public var unacknowledgedBytes: Int { outgoing.outstandingBytes }

    // MARK: ByteChannel

    /// Takes as many bytes as the other end's reading allows.
    public func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard state == .up, !isWritingFinished else { return bytes.count }
        return outgoing.write(bytes)
    }

    /// Stops or resumes reading. What came meanwhile is reported in a later turn.
    public func setReading(_ isReading: Bool) {
        self.isReading = isReading
        if isReading { scheduleDelivery() }
    }

    /// Sends FIN behind what was written; what still comes in is thrown away.
    public func finish() {
        switch state {
        case .connecting: abort(reset: true)
        case .up:
            finishWriting()
            state = .finished
            handler = nil
            let count = unread.count
            unread = []
            incoming.didRead(count)
            if hasReadAll { end() }
        case .finished, .ended: return
        }
    }

    /// Sends FIN behind what was written and goes on reading.
    public func finishWriting() {
        guard state == .up, !isWritingFinished else { return }
        isWritingFinished = true
        outgoing.send(.endOfStream)
    }

    /// Closes at once. Without `reset` the other end sees FIN, and RST for what it sends afterwards;
    /// as in a kernel, bytes that nobody has read turn the FIN into RST.
    public func abort(reset: Bool) {
        switch state {
        case .up, .finished:
            if reset || !unread.isEmpty {
                outgoing.send(.reset)
            } else if !isWritingFinished {
                outgoing.send(.endOfStream)
            }
            end()
        case .connecting:
            if isAccepted { outgoing.send(.reset) }
            end()
            incoming.receiver = nil
        case .ended: return
        }
    }

    // MARK: Faults

    /// Makes the line go dead: from now on nothing arrives at either end, not even FIN or RST, and
    /// neither end hears of it. Writes are taken until the channel is full.
    public func freeze() {
        outgoing.freeze()
        incoming.freeze()
    }

    /// Brings a frozen line back. What was on its way arrives now, in order.
    public func thaw() {
        outgoing.thaw()
        incoming.thaw()
    }

    // MARK: The network's side

    var isConnecting: Bool { state == .connecting }

    /// The listener has the other end: from now on it must hear how this end fares.
    func accepted() {
        isAccepted = true
    }

    func connected() {
        guard state == .connecting else { return }
        state = .up
        handler?.channelConnected()
    }

    func failed(_ failure: ConnectionFailure) {
        guard state != .ended else { return }
        let listener = handler
        end()
        listener?.channelFailed(failure)
    }

    func pipeHasRoom() {
        guard state == .up else { return }
        handler?.channelBecameWritable()
    }

    func pipeBrought(_ item: VirtualPipe.Item) {
        switch (item, state) {
        case (.bytes(let bytes), .up), (.bytes(let bytes), .connecting):
            unread += bytes
            scheduleDelivery()
        case (.bytes(let bytes), .finished): incoming.didRead(bytes.count)
        case (.bytes(let bytes), .ended):
            incoming.didRead(bytes.count)
            outgoing.send(.reset)
        case (.endOfStream, .up), (.endOfStream, .connecting):
            hasUnreportedEOF = true
            hasReadAll = true
            scheduleDelivery()
        case (.endOfStream, .finished):
            end()
            incoming.receiver = nil
        case (.reset, .up), (.reset, .connecting), (.reset, .finished): resetArrived()
        case (.endOfStream, .ended), (.reset, .ended): incoming.receiver = nil
        }
    }

    /// What came ahead of the reset is still read, unless reading is off. The other end has gone, so
    /// nothing is left that could arrive on either side.
    private func resetArrived() {
        while state == .up, isReading, !unread.isEmpty { deliver() }
        failed(ConnectionFailure(.reset, systemCode: Self.resetCode))
        incoming.receiver = nil
        outgoing.receiver = nil
    }

    // MARK: Inside

    private func scheduleDelivery() {
        guard !isDeliveryScheduled, isReading, !unread.isEmpty || hasUnreportedEOF else { return }
        isDeliveryScheduled = true
        _ = executor.schedule(at: executor.now()) {
            self.isDeliveryScheduled = false
            self.deliver()
        }
    }

    /// One report a turn, as a loop that reads once per readiness does.
    private func deliver() {
        guard state == .up, isReading else { return }
        guard !unread.isEmpty else {
            guard hasUnreportedEOF else { return }
            hasUnreportedEOF = false
            handler?.channelReceivedEOF()
            return
        }
        let piece = [UInt8](unread.prefix(readSize))
        unread.removeFirst(piece.count)
        incoming.didRead(piece.count)
        piece.withUnsafeBytes { handler?.channelReceived($0) }
        scheduleDelivery()
    }

    private func end() {
        state = .ended
        handler = nil
        outgoing.sender = nil
        if hasReadAll { incoming.receiver = nil }
        unread = []
        hasUnreportedEOF = false
    }
}
