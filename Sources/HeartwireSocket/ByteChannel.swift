public import HeartwireProtocol
public import HeartwireSession

/// A stream of bytes in both directions: TCP in production, a pair of queues under the virtual clock.
///
/// Lives in its executor's domain, like the handler that it reports to. The handler hears nothing
/// after `abort()`, after `channelReceivedEOF`+`finish`, or after `channelFailed`.
public protocol ByteChannel: AnyObject {
    /// The domain.
    var executor: any SessionExecutor { get }

    /// Who hears about this channel. Held strongly until the channel has ended.
    var handler: (any ByteChannelHandler)? { get set }

    /// Hands over as much as fits.
    ///
    /// - Returns: how many bytes were taken. Fewer than offered means that the channel is full;
    ///   `channelBecameWritable` follows once. A broken channel takes everything and reports its failure; it takes
    ///   nothing where that has to wait, see ``ByteChannelHandler/channelReadsToTheEnd``.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int

    /// How many bytes of what was written wait here or in the system until the peer's system acknowledges them.
    /// The default does not know, and tells 0.
    var unacknowledgedBytes: Int { get }

    /// Stops or resumes reading.
    func setReading(_ isReading: Bool)

    /// Asks for so many bytes at most in one report from now on. A channel may do without; the default does.
    func limitReads(to bytes: Int)

    /// Sends FIN after what was written, waits for the peer's FIN for a bounded time out of
    /// anybody's sight, and closes. The handler hears nothing more.
    func finish()

    /// Sends FIN after what was written and goes on reading.
    func finishWriting()

    /// Says that nothing more will be written, where there is a way to say so within the stream: `close_notify` of TLS
    /// (RFC 8446 §6.1). The stream stays up, and what comes is read. The default has nothing to say.
    func announceEnd()

    /// Closes at once, with RST where `reset` asks for it. The handler hears nothing more.
    func abort(reset: Bool)
}

extension ByteChannel {
    /// 0: not known.
    public var unacknowledgedBytes: Int { 0 }

    /// Nothing: it is a wish.
    public func limitReads(to bytes: Int) {}

    /// Nothing: the FIN says it.
    public func announceEnd() {}
}

/// What a ``ByteChannel`` reports.
public protocol ByteChannelHandler: AnyObject {
    /// The attempt to connect has come to `phase`. Does nothing unless it is implemented.
    func channelProgressed(_ phase: ConnectPhase)
    /// The stream is up. Not reported for channels that were up when they were handed over.
    func channelConnected()
    /// Bytes arrived; they are valid only during the call.
    func channelReceived(_ bytes: UnsafeRawBufferPointer)
    /// How many of the bytes that come next the handler would have where they stay, by
    /// ``channelReceivesDirectly(atMost:_:)``. 0 unless it is implemented.
    var channelDirectBytes: Int { get }
    /// Bytes are there to be read: the handler calls `read` once with room for at most `limit` of them, which answers how many
    /// it put there. Called only while ``channelDirectBytes`` is not 0, by channels that can.
    func channelReceivesDirectly(
        atMost limit: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int)
    /// Whether a failure that is met while reading is paused waits until all that was received before it has been read.
    /// Without that it is reported at once, which is the default: who pauses for want of room to write would never
    /// go on.
    var channelReadsToTheEnd: Bool { get }
    /// The peer has finished writing.
    func channelReceivedEOF()
    /// There is room again after a write that took less than offered.
    func channelBecameWritable()
    /// The stream is over; the channel has closed itself.
    func channelFailed(_ failure: ConnectionFailure)
}

extension ByteChannelHandler {
    /// Nothing: who does not ask how far it has come need not hear it.
    public func channelProgressed(_ phase: ConnectPhase) {}

    /// 0: the bytes come by `channelReceived`.
    public var channelDirectBytes: Int { 0 }

    /// No.
    public var channelReadsToTheEnd: Bool { false }

    /// Nothing: it is never called where there are no direct bytes.
    public func channelReceivesDirectly(
        atMost limit: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int
    ) {}
}

/// Makes byte channels to a host: the system's TCP, or a virtual network.
public protocol ChannelConnector: Sendable {
    /// The domain in which the channels live.
    var executor: any SessionExecutor { get }

    /// Begins to connect to the URL's host and port. The handler hears `channelConnected` or
    /// `channelFailed` later, never from within.
    func connect(to url: WebSocketURL, handler: any ByteChannelHandler) -> any ByteChannel
}
