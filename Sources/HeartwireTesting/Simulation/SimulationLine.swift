import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

/// The client's end of one connection, with the faults of the way on it.
///
/// It stands between the transport and a ``VirtualChannel``, hands everything on in both directions, and loses the
/// connection where it was told to: behind so many bytes, within the n-th write or read, or at a moment.
final class SimulationLine: ByteChannel, ByteChannelHandler {
    /// Where the connection is lost.
    struct Cuts {
        /// Before the first byte goes out.
        var beforeRequest = false
        /// When so many bytes of the answer have come.
        var answerBytes: Int?
        /// Within this write behind the request; the first is 1.
        var write: Int?
        /// Within this read behind the answer; the first is 1.
        var read: Int?
    }

    let executor: any SessionExecutor
    var handler: (any ByteChannelHandler)?
    /// The end of the virtual network; `nil` when the line is over.
    private(set) var channel: VirtualChannel?
    var cuts = Cuts()
    private let auditor: SimulationAuditor
    private var writes = 0
    private var reads = 0
    private var isLost = false

    init(_ auditor: SimulationAuditor, executor: any SessionExecutor) {
        self.auditor = auditor
        self.executor = executor
    }

    func begin(_ channel: VirtualChannel, handler: any ByteChannelHandler) {
        self.channel = channel
        self.handler = handler
    }

    /// Whether neither end can do anything more with it.
    var isOver: Bool { channel == nil }

    // MARK: Faults

    /// The connection is lost for both ends, behind what was written. Never reported from within a call.
    func lose() {
        guard !isLost, let channel else { return }
        isLost = true
        channel.abort(reset: true)
        self.channel = nil
        _ = executor.schedule(at: executor.now()) {
            let handler = self.handler.take()
            handler?.channelFailed(
                ConnectionFailure(.reset, systemCode: VirtualChannel.resetCode))
        }
    }

    /// The client's process is gone: the system resets the connection, and nobody is there to hear of it.
    func die() {
        handler = nil
        channel?.abort(reset: true)
        channel = nil
    }

    /// Nothing arrives at either end, for ever or for `duration`.
    func freeze(for duration: Duration?, _ alarms: SimulationAlarms) {
        guard let channel else { return }
        channel.freeze()
        guard let duration else { return }
        alarms.after(duration) { channel.thaw() }
    }

    // MARK: ByteChannel

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let channel else { return bytes.count }
        writes += 1
        let isCut = writes == 1 ? cuts.beforeRequest : writes - 1 == cuts.write
        guard isCut else {
            let taken = channel.write(bytes)
            auditor.note(UnsafeRawBufferPointer(rebasing: bytes.prefix(taken)))
            return taken
        }
        let kept = UnsafeRawBufferPointer(
            rebasing: bytes.prefix(cuts.beforeRequest ? 0 : (bytes.count + 1) / 2))
        auditor.note(kept)
        _ = channel.write(kept)
        lose()
        return bytes.count
    }

    func setReading(_ isReading: Bool) { channel?.setReading(isReading) }

    func finish() {
        handler = nil
        channel?.finish()
        channel = nil
    }

    func finishWriting() { channel?.finishWriting() }

    func abort(reset: Bool) {
        handler = nil
        channel?.abort(reset: reset)
        channel = nil
    }

    // MARK: ByteChannelHandler

    func channelConnected() { handler?.channelConnected() }

    func channelReceived(_ bytes: UnsafeRawBufferPointer) {
        reads += 1
        auditor.note(bytes)
        if let left = cuts.answerBytes {
            guard bytes.count >= left else {
                cuts.answerBytes = left - bytes.count
                handler?.channelReceived(bytes)
                return
            }
            handler?.channelReceived(UnsafeRawBufferPointer(rebasing: bytes.prefix(left)))
            lose()
        } else if reads - 1 == cuts.read {
            let kept = bytes.prefix((bytes.count + 1) / 2)
            handler?.channelReceived(UnsafeRawBufferPointer(rebasing: kept))
            lose()
        } else {
            handler?.channelReceived(bytes)
        }
    }

    func channelReceivedEOF() { handler?.channelReceivedEOF() }

    func channelBecameWritable() { handler?.channelBecameWritable() }

    func channelFailed(_ failure: ConnectionFailure) {
        channel = nil
        let handler = self.handler.take()
        handler?.channelFailed(failure)
    }
}
