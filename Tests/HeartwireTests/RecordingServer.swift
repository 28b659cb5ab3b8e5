import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import Synchronization

/// A server that keeps every text that it reads, before it answers the ping behind it.
///
/// `@unchecked Sendable`: its connections live on its loop; what was read is behind a lock.
final class RecordingServer: @unchecked Sendable {
    private let loop = EventLoop(name: "recording")
    private let texts = Locked<[String]>([])
    private let pongHook = Locked<(@Sendable () -> Void)?>(nil)
    private let pongs = Atomic<Int>(0)
    private var listener: TCPListener?

    init() throws {
        listener = try TCPListener.listen(on: loop) { channel in
            channel.handler = RecordingConnection(self, channel)
            channel.start()
        }
    }

    deinit { loop.shutdown() }

    var url: String { "ws://127.0.0.1:\(listener?.port ?? 0)/" }

    /// What was read so far.
    var received: [String] { texts.withLock { $0 } }

    /// Called when the tenth and each later pong has gone out.
    func onPong(_ hook: (@Sendable () -> Void)?) {
        pongHook.withLock { $0 = hook }
    }

    func stop() {
        loop.execute { self.listener?.close() }
    }

    fileprivate func read(_ message: Message) {
        guard case .text(let text) = message else { return }
        texts.withLock { $0.append(text) }
    }

    fileprivate func ponged() {
        let (_, count) = pongs.add(1, ordering: .relaxed)
        if count >= 10 { pongHook.withLock { $0 }?() }
    }
}

private final class RecordingConnection: ByteChannelHandler {
    private let server: RecordingServer
    private let channel: any ByteChannel
    private var engine = ConnectionEngine(accepting: Limits(), random: SystemRandomSource())

    init(_ server: RecordingServer, _ channel: any ByteChannel) {
        self.server = server
        self.channel = channel
    }

    func channelConnected() {}

    func channelReceived(_ bytes: UnsafeRawBufferPointer) {
        engine.receive(bytes.bindMemory(to: UInt8.self).span)
        var sawPing = false
        while let event = engine.nextEvent() {
            switch event {
            case .requestReceived: engine.accept()
            case .message(let message): server.read(message)
            case .pingReceived: sawPing = true
            case .opened, .refused, .pongReceived, .closeReceived, .failed, .ended: break
            }
        }
        write()
        if sawPing { server.ponged() }
    }

    func channelReceivedEOF() {
        channel.finish()
    }

    func channelBecameWritable() {
        write()
    }

    func channelFailed(_ failure: ConnectionFailure) {}

    private func write() {
        let count = engine.withOutgoing { channel.write($0) }
        engine.didWrite(count)
    }
}
