import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import HeartwireSocket

@Suite("Channels that cannot be begun")
struct FailedChannelTests {
    private let executor = VirtualExecutor()
    private let failure = ConnectionFailure(.forbidden)

    private final class Handler: ByteChannelHandler {
        var failures: [ConnectionFailure] = []

        func channelConnected() { Issue.record("it is up") }
        func channelReceived(_ bytes: UnsafeRawBufferPointer) { Issue.record("bytes came") }
        func channelReceivedEOF() { Issue.record("its end came") }
        func channelBecameWritable() { Issue.record("it became writable") }
        func channelFailed(_ failure: ConnectionFailure) { failures.append(failure) }
    }

    @Test("T1: the failure is told once, in a later turn, and nothing else ever")
    func told() throws {
        let (handler, url) = (Handler(), try WebSocketURL("ws://h.test/"))
        let channel = executor.perform {
            let connector = FailingConnector(executor: executor, failure: failure)
            let channel = connector.connect(to: url, handler: handler)
            #expect(handler.failures.isEmpty)
            channel.setReading(true)
            channel.finishWriting()
            #expect([UInt8](repeating: 1, count: 7).withUnsafeBytes { channel.write($0) } == 7)
            return channel
        }
        executor.runUntilIdle()
        #expect(handler.failures == [failure])
        #expect(channel.handler == nil)
        executor.runUntilIdle()
        #expect(handler.failures.count == 1)
    }

    @Test("T1: who lets go of the channel before that hears nothing", arguments: [false, true])
    func droppedBefore(_ aborts: Bool) {
        let handler = Handler()
        executor.perform {
            let channel = FailedChannel(failure, on: executor, handler: handler)
            if aborts { channel.abort(reset: true) } else { channel.finish() }
        }
        executor.runUntilIdle()
        #expect(handler.failures.isEmpty)
    }
}
