import HeartwireProtocol
import HeartwireSession

/// A channel that could not even be begun; says so in a later turn.
final class FailedChannel: ByteChannel, @unchecked Sendable {
    let executor: any SessionExecutor
    var handler: (any ByteChannelHandler)?

    init(
        _ failure: ConnectionFailure, on executor: any SessionExecutor,
        handler: any ByteChannelHandler
    ) {
        self.executor = executor
        self.handler = handler
        executor.execute {
            let handler = self.handler
            self.handler = nil
            handler?.channelFailed(failure)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int { bytes.count }
    func setReading(_ isReading: Bool) {}
    func finishWriting() {}
    func finish() { handler = nil }
    func abort(reset: Bool) { handler = nil }
}

/// Makes channels none of which can be begun, for the same reason.
struct FailingConnector: ChannelConnector {
    let executor: any SessionExecutor
    let failure: ConnectionFailure

    func connect(to url: WebSocketURL, handler: any ByteChannelHandler) -> any ByteChannel {
        FailedChannel(failure, on: executor, handler: handler)
    }
}
