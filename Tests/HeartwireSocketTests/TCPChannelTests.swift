import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireSocket

@Suite("TCP channels", .timeLimit(.minutes(1)))
struct TCPChannelTests {
    struct Pair {
        let client: TCPChannel
        let clientHandler: RecordingHandler
        let server: TestServer
        var serverChannel: TCPChannel { server.channels[0] }
        var serverHandler: RecordingHandler { server.handlers[0] }
        var loop: EventLoop { server.loop }
    }

    func connectedPair(_ kind: PollerKind) async throws -> Pair {
        let loop = try kind.makeLoop()
        let server = try TestServer(loop: loop)
        let handler = RecordingHandler()
        let url = try server.url()
        let client = try await on(loop) {
            TCPConnector(loop: loop).connect(to: url, handler: handler) as? TCPChannel
        }
        await handler.log.wait { $0.contains(.connected) }
        await server.accepted.wait { !$0.isEmpty }
        return Pair(
            client: try #require(client), clientHandler: handler, server: server)
    }

    private static let lastWords = Array("last words".utf8)

    /// The server says something and resets the connection behind it.
    private func resetBehindWords(_ pair: Pair) {
        pair.loop.execute {
            pair.serverChannel.write(Self.lastWords)
            pair.serverChannel.abort(reset: true)
        }
    }

    /// The client hears what the server said, and then of the reset.
    private func expectWordsBeforeReset(_ pair: Pair) async {
        let reports = await pair.clientHandler.log.wait { $0.contains(.failed(.reset)) }
        #expect(reports.last == .failed(.reset))
        #expect(RecordingHandler.bytes(reports) == Self.lastWords)
    }

    @Test("T2: what one side writes the other reads, both ways", arguments: PollerKind.allCases)
    func echo(_ kind: PollerKind) async throws {
        let pair = try await connectedPair(kind)
        let hello = Array("hello".utf8)
        #expect(try await on(pair.loop) { pair.client.write(hello) } == 5)
        await pair.serverHandler.log.wait { RecordingHandler.bytes($0) == hello }
        #expect(try await on(pair.loop) { pair.serverChannel.write(hello) } == 5)
        await pair.clientHandler.log.wait { RecordingHandler.bytes($0) == hello }
        pair.server.stop()
        pair.loop.shutdown()
    }

    @Test(
        "T2: a write that does not fit is taken in part, and room is reported once",
        arguments: PollerKind.allCases)
    func backPressure(_ kind: PollerKind) async throws {
        let pair = try await connectedPair(kind)
        let block = [UInt8](repeating: 7, count: 64 << 20)
        let taken = try await on(pair.loop) {
            pair.serverChannel.setReading(false)
            return pair.client.write(block)
        }
        #expect(taken < block.count)
        pair.loop.execute { pair.serverChannel.setReading(true) }
        await pair.clientHandler.log.wait { $0.contains(.writable) }
        await pair.serverHandler.log.wait { RecordingHandler.bytes($0).count == taken }
        #expect(pair.clientHandler.log.entries.filter { $0 == .writable }.count == 1)
        pair.server.stop()
        pair.loop.shutdown()
    }

    @Test(
        "K12-02: the kernel tells what the peer's has not acknowledged",
        arguments: PollerKind.allCases)
    func unacknowledged(_ kind: PollerKind) async throws {
        let pair = try await connectedPair(kind)
        #expect(try await on(pair.loop) { pair.client.unacknowledgedBytes } == 0)
        // More than both kernels hold: the writer's is full while nobody reads.
        let block = [UInt8](repeating: 7, count: 64 << 20)
        let (taken, waiting) = try await on(pair.loop) {
            pair.serverChannel.setReading(false)
            return (pair.client.write(block), pair.client.unacknowledgedBytes)
        }
        #expect(waiting > 0)
        #expect(waiting <= taken)
        pair.loop.execute { pair.serverChannel.setReading(true) }
        await pair.serverHandler.log.wait { RecordingHandler.bytes($0).count == taken }
        var left = waiting
        // The last acknowledgement may come a moment after the last byte was read.
        while left > 0 { left = try await on(pair.loop) { pair.client.unacknowledgedBytes } }
        try await on(pair.loop) { pair.client.abort(reset: false) }
        #expect(try await on(pair.loop) { pair.client.unacknowledgedBytes } == 0)
        pair.server.stop()
        pair.loop.shutdown()
    }

    @Test(
        "T2: the peer's FIN is the end of the stream, after everything before it",
        arguments: PollerKind.allCases)
    func endOfStream(_ kind: PollerKind) async throws {
        let pair = try await connectedPair(kind)
        pair.loop.execute {
            pair.serverChannel.write(Array("bye".utf8))
            pair.serverChannel.finishWriting()
        }
        let reports = await pair.clientHandler.log.wait { $0.contains(.endOfStream) }
        #expect(reports.last == .endOfStream)
        #expect(RecordingHandler.bytes(reports) == Array("bye".utf8))
        // Half-closed: the other direction still works.
        #expect(try await on(pair.loop) { pair.client.write(Array("still here".utf8)) } == 10)
        await pair.serverHandler.log.wait { RecordingHandler.bytes($0) == Array("still here".utf8) }
        pair.server.stop()
        pair.loop.shutdown()
    }

    @Test(
        "K10-06: what was received before a reset is handed over before the reset is reported",
        arguments: PollerKind.allCases)
    func reset(_ kind: PollerKind) async throws {
        let pair = try await connectedPair(kind)
        resetBehindWords(pair)
        await expectWordsBeforeReset(pair)
        pair.server.stop()
        pair.loop.shutdown()
    }

    @Test(
        "T2: a reset while reading is paused does not spin, and is reported when reading goes on",
        arguments: PollerKind.allCases)
    func resetWhilePaused(_ kind: PollerKind) async throws {
        let pair = try await connectedPair(kind)
        pair.loop.execute { pair.client.setReading(false) }
        pair.loop.execute { pair.serverChannel.abort(reset: true) }
        try await on(pair.loop) {}
        #expect(!pair.clientHandler.log.entries.contains(.failed(.reset)))
        pair.loop.execute { pair.client.setReading(true) }
        await pair.clientHandler.log.wait { $0.contains(.failed(.reset)) }
        pair.server.stop()
        pair.loop.shutdown()
    }

    @Test(
        "K10-06, K10-08: a write that breaks while reading is paused loses nothing of what was received",
        arguments: PollerKind.allCases)
    func brokenWriteWhilePaused(_ kind: PollerKind) async throws {
        let pair = try await connectedPair(kind)
        pair.loop.execute {
            pair.clientHandler.channelReadsToTheEnd = true
            pair.client.setReading(false)
        }
        resetBehindWords(pair)
        let words = Array("into the void".utf8)
        for _ in 0..<3 {
            // Nothing is taken that cannot go out, so nobody takes it for written.
            #expect(try await on(pair.loop) { pair.client.write(words) } == 0)
        }
        #expect(pair.clientHandler.log.entries == [.connected])
        pair.loop.execute { pair.client.setReading(true) }
        await expectWordsBeforeReset(pair)
        pair.server.stop()
        pair.loop.shutdown()
    }

    @Test(
        "T2: who does not read to the end hears of a broken write at once, though reading is paused",
        arguments: PollerKind.allCases)
    func brokenWriteOfWhoDoesNotRead(_ kind: PollerKind) async throws {
        let pair = try await connectedPair(kind)
        pair.loop.execute { pair.client.setReading(false) }
        resetBehindWords(pair)
        #expect(try await on(pair.loop) { pair.client.write([1, 2, 3]) } == 3)
        let reports = await pair.clientHandler.log.wait { $0.contains(.failed(.reset)) }
        #expect(reports == [.connected, .failed(.reset)])
        pair.server.stop()
        pair.loop.shutdown()
    }

    @Test("T2: a port on which nobody listens is refused", arguments: PollerKind.allCases)
    func refused(_ kind: PollerKind) async throws {
        let loop = try kind.makeLoop()
        let server = try TestServer(loop: loop)
        let url = try server.url()
        server.stop()
        try await on(loop) {}
        let handler = RecordingHandler()
        let channel = try await on(loop) {
            TCPConnector(loop: loop).connect(to: url, handler: handler) as? TCPChannel
        }
        #expect(await handler.log.wait { !$0.isEmpty } == [.failed(.refused)])
        _ = channel
        #expect(try await on(loop) { loop.watchedCount } == 0)
        loop.shutdown()
    }

    @Test(
        "T2: an aborted channel reports nothing more and leaves no descriptor behind",
        arguments: PollerKind.allCases)
    func abort(_ kind: PollerKind) async throws {
        let pair = try await connectedPair(kind)
        try await on(pair.loop) {
            pair.client.abort(reset: false)
            pair.client.abort(reset: false)
        }
        await pair.serverHandler.log.wait { $0.contains(.endOfStream) }
        #expect(pair.clientHandler.log.entries == [.connected])
        pair.server.stop()
        #expect(try await on(pair.loop) { pair.loop.watchedCount } == 0)
        pair.loop.shutdown()
    }

    @Test(
        "K11-08: aborting while the name is looked up or TCP is connecting ends it at once",
        arguments: PollerKind.allCases)
    func abortWhileConnecting(_ kind: PollerKind) async throws {
        let loop = try kind.makeLoop()
        let server = try TestServer(loop: loop)
        let handler = RecordingHandler()
        let port = server.port
        try await on(loop) {
            let url = try WebSocketURL("ws://localhost:\(port)/")
            let channel = TCPConnector(loop: loop).connect(to: url, handler: handler)
            channel.abort(reset: false)
        }
        server.stop()
        #expect(try await on(loop) { loop.watchedCount } == 0)
        #expect(handler.log.entries.isEmpty)
        loop.shutdown()
    }

    @Test(
        "T2: finish() sends FIN and waits for the peer's, which a silent peer has a second for",
        arguments: PollerKind.allCases)
    func finish(_ kind: PollerKind) async throws {
        let pair = try await connectedPair(kind)
        let deadline = try await on(pair.loop) {
            let deadline = pair.loop.now().advanced(by: TCPChannel.finishTimeout)
            pair.client.finish()
            #expect(pair.loop.timerCount == 1)
            return deadline
        }
        await pair.serverHandler.log.wait { $0.contains(.endOfStream) }
        // On a machine that is busy enough, the second may be over.
        #expect(
            try await on(pair.loop) { pair.loop.timerCount == 1 || pair.loop.now() >= deadline })
        pair.loop.execute { pair.serverChannel.abort(reset: false) }
        let log = Log<Int>()
        @Sendable func look() {
            if pair.loop.timerCount == 0 { log.add(0) } else { pair.loop.execute(look) }
        }
        pair.loop.execute(look)
        await log.wait { !$0.isEmpty }
        #expect(pair.clientHandler.log.entries == [.connected])
        pair.server.stop()
        pair.loop.shutdown()
    }
}
