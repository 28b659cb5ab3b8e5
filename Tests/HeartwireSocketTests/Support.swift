import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireSocket

/// The pollers that every test of the loop runs against.
enum PollerKind: String, CaseIterable, Sendable {
    #if os(Linux)
        case epoll
    #endif
    case poll

    func makeLoop(_ name: String = "test") throws -> EventLoop {
        switch self {
        #if os(Linux)
            case .epoll: EventLoop(name: name, poller: try EpollPoller())
        #endif
        case .poll: EventLoop(name: name, poller: try PollPoller())
        }
    }
}

/// Runs `body` on the loop and hands its answer to the test's task.
func on<T: Sendable>(_ loop: EventLoop, _ body: @escaping @Sendable () throws -> T) async throws
    -> T
{
    let result: Result<T, any Error> = await withHandover { handover in
        loop.execute { handover.resume(returning: Result { try body() }) }
    }
    return try result.get()
}

/// A list that a loop fills and a test awaits, without sleeping.
final class Log<Element: Sendable & Equatable>: Sendable {
    private struct Content {
        var entries: [Element] = []
        var waiting: [(until: @Sendable ([Element]) -> Bool, Handover<[Element]>)] = []
    }

    private let content = Locked(Content())

    var entries: [Element] { content.withLock { $0.entries } }

    func add(_ element: Element) {
        let ready = content.withLock { content in
            content.entries.append(element)
            let entries = content.entries
            let ready = content.waiting.filter { $0.until(entries) }.map { ($0.1, entries) }
            content.waiting.removeAll { $0.until(entries) }
            return ready
        }
        for (handover, entries) in ready { handover.resume(returning: entries) }
    }

    /// Returns the entries once `condition` holds for them.
    @discardableResult
    func wait(until condition: @escaping @Sendable ([Element]) -> Bool) async -> [Element] {
        await withHandover { handover in
            let ready: [Element]? = content.withLock { content in
                if condition(content.entries) { return content.entries }
                content.waiting.append((condition, handover))
                return nil
            }
            if let ready { handover.resume(returning: ready) }
        }
    }
}

/// What a channel reported, in words.
enum ChannelReport: Sendable, Equatable {
    case connected
    case bytes([UInt8])
    /// So many bytes came where they stay.
    case direct(Int)
    case endOfStream
    case writable
    case failed(ConnectionFailure.Kind)
}

/// Writes down what a channel reports.
final class RecordingHandler: ByteChannelHandler, @unchecked Sendable {
    let log = Log<ChannelReport>()
    var onBytes: (([UInt8]) -> Void)?
    var onWritable: (() -> Void)?
    /// Bytes that are wanted where they stay, and those that came there.
    var channelDirectBytes = 0
    private(set) var direct: [UInt8] = []
    var channelReadsToTheEnd = false

    func channelReceivesDirectly(
        atMost limit: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int
    ) {
        var room = [UInt8](repeating: 0, count: limit)
        let count = room.withUnsafeMutableBytes { read($0) }
        channelDirectBytes -= count
        direct += room[..<count]
        log.add(.direct(count))
    }

    func channelConnected() { log.add(.connected) }
    func channelReceived(_ bytes: UnsafeRawBufferPointer) {
        log.add(.bytes(Array(bytes)))
        onBytes?(Array(bytes))
    }
    func channelReceivedEOF() { log.add(.endOfStream) }
    func channelBecameWritable() {
        log.add(.writable)
        onWritable?()
    }
    func channelFailed(_ failure: ConnectionFailure) { log.add(.failed(failure.kind)) }

    /// All bytes that have arrived, joined.
    static func bytes(_ reports: [ChannelReport]) -> [UInt8] {
        reports.flatMap { report in
            if case .bytes(let bytes) = report { bytes } else { [UInt8]() }
        }
    }
}

/// A listener with the channels that it accepted, on a loop of its own.
final class TestServer: @unchecked Sendable {
    let loop: EventLoop
    let accepted = Log<Int>()
    private(set) var channels: [TCPChannel] = []
    private(set) var handlers: [RecordingHandler] = []
    private var listener: TCPListener?

    var port: UInt16 { listener?.port ?? 0 }

    init(loop: EventLoop) throws {
        self.loop = loop
        listener = try TCPListener.listen(on: loop) { [unowned self] channel in
            let handler = RecordingHandler()
            channel.handler = handler
            channels.append(channel)
            handlers.append(handler)
            channel.start()
            accepted.add(channels.count)
        }
    }

    func url(_ path: String = "/") throws -> WebSocketURL {
        try WebSocketURL("ws://127.0.0.1:\(port)\(path)")
    }

    func stop() {
        listener?.close()
        loop.execute { [self] in
            for channel in channels { channel.abort(reset: false) }
        }
    }
}

extension TCPChannel {
    /// Writes a whole array; answers how much was taken.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { write($0) }
    }
}
