import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import HeartwireCLI

/// What was told, for two threads.
private final class Told: Sendable {
    let lines = Locked<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    var opens: Int { all.count { $0 == "open" } }
}

/// The endpoint command within this process, in real time.
private final class RunningEndpoint: Sendable {
    let url: String
    private let task: Task<CommandEnd, Never>
    private let pipe: TestPipe

    init(_ words: String...) async throws {
        let pipe = TestPipe()
        guard
            case .endpoint(let options) = try CommandRequest(
                arguments: ["endpoint", "--quiet"] + words)
        else { throw UsageError("not endpoint") }
        task = Task { await EndpointCommand.run(options, output: pipe.writer) }
        self.pipe = pipe
        guard case .bytes(let bytes) = await ChunkReader(descriptor: pipe.readEnd).next() else {
            throw UsageError("no first line")
        }
        let line = String(decoding: bytes, as: UTF8.self)
        url = String(line.dropFirst("listening ".count).dropLast())
    }

    func stop() async -> CommandEnd {
        task.cancel()
        let end = await task.value
        _ = pipe.finish()
        return end
    }
}

private func makeClient(
    _ url: String, _ told: Told = Told(), ledger: LineLedger = LineLedger(),
    reconnects: Bool = true, base: Duration = .seconds(60), attempts: Int? = 5,
    heartbeat: HeartbeatSettings? = nil, journal: (@Sendable (JournalEvent) -> Void)? = nil
) throws -> WebSocketLineClient {
    var configuration = ClientConfiguration()
    let backoff = try Backoff(
        base: base, cap: max(base, .milliseconds(50)), jitter: .none, attempts: attempts)
    configuration.reconnect = reconnects ? ReconnectPolicy(backoff: backoff) : nil
    configuration.connectTimeout = .seconds(10)
    configuration.heartbeat = heartbeat
    configuration.journal = journal
    return try WebSocketLineClient(
        try WebSocketURL(url), ledger: ledger,
        tell: { line in told.lines.withLock { $0 += [line] } },
        configuration: configuration)
}

@Suite("WebSocketLineClient over loopback", .serialized)
struct WebSocketLineClientTests {
    @Test("messages go out and come in, and the close is confirmed")
    func echo() async throws {
        let endpoint = try await RunningEndpoint()
        let told = Told()
        let client = try makeClient(endpoint.url, told)
        #expect(await client.open())
        #expect(await client.send(.text("a")) == .sent(endedBefore: 0))
        #expect(await client.nextMessage() == .text("a"))
        await client.close(.normalClosure)
        #expect(await client.nextMessage() == nil)
        #expect(await client.cause() == .closedByApp(sent: 1000, answer: PeerClose(code: 1000)))
        #expect(await client.send(.text("b")) == .ended)
        #expect(told.all == ["connecting to \(endpoint.url)", "open", "closing"])
        #expect(await endpoint.stop() == .done)
    }

    @Test(
        "K12-01: a first attempt that fails is the end, though lost connections are made anew",
        arguments: ["refuse=503", "refuse=reset", "refuse=garbage"])
    func firstAttempt(behaviour: String) async throws {
        let endpoint = try await RunningEndpoint("--behaviour", behaviour)
        let told = Told()
        let client = try makeClient(endpoint.url, told)
        #expect(await !client.open())
        let kinds: Set<CloseCause.Kind> = [.refused, .connectFailed, .badHandshake]
        #expect(kinds.contains(await client.cause().kind))
        #expect(await client.nextMessage() == nil)
        #expect(told.all == ["connecting to \(endpoint.url)"])
        _ = await endpoint.stop()
    }

    @Test("K10-08: what a server says before it closes at once is not lost")
    func closesAtOnce() async throws {
        let endpoint = try await RunningEndpoint("--behaviour", "hello=3x1&close=1008:no")
        let client = try makeClient(endpoint.url)
        #expect(await client.open())
        for _ in 0..<3 { #expect(await client.nextMessage() != nil) }
        #expect(await client.nextMessage() == nil)
        #expect(await client.cause() == .closedByPeer(PeerClose(code: 1008, reason: "no")))
        _ = await endpoint.stop()
    }

    @Test("a message waits while the connection is made anew, and goes out once")
    func again() async throws {
        let endpoint = try await RunningEndpoint("--behaviour", "close=1012@50")
        let told = Told()
        let client = try makeClient(endpoint.url, told, base: .milliseconds(10))
        #expect(await client.open())
        // Sent all the time: what meets the end of the first connection waits for the second.
        var outcome = LineOutcome.sent(endedBefore: 0)
        while told.opens < 2, outcome != .ended { outcome = await client.send(.text("x")) }
        #expect(told.opens >= 2)
        #expect(told.all.contains { $0.contains("1012") && $0.contains("attempt 1 follows") })
        await client.close(.normalClosure)
        _ = await client.cause()
        _ = await endpoint.stop()
    }

    @Test(
        "K12-02: a line that a lost connection carried is in doubt, unless a pong came behind it",
        .timeLimit(.minutes(2)), arguments: [false, true])
    func inDoubt(isPinged: Bool) async throws {
        let loop = EventLoop(name: "server")
        let endpoint = Endpoint(executor: loop, random: SeededRandomSource(seed: 1))
        let listener = try TCPListener.listen(on: loop) { channel in
            endpoint.accept(channel)
            channel.start()
        }
        let ledger = LineLedger()
        let (pongs, pong) = AsyncStream.makeStream(of: Void.self)
        let client = try makeClient(
            "ws://127.0.0.1:\(listener.port)/", ledger: ledger, reconnects: false,
            heartbeat: isPinged ? .every(.milliseconds(20), timeout: .seconds(60)) : nil,
            journal: { if $0.kind == .pongReceived { pong.yield() } })
        #expect(await client.open())
        ledger.noteRead(1)
        ledger.note(await client.send(.text("a")))
        #expect(await client.nextMessage() == .text("a"))
        if isPinged {
            // One may have been on its way before; those that come now, but for it, were asked for behind the line.
            var seen = 0
            for await _ in pongs {
                seen += 1
                if seen == 3 { break }
            }
        }
        loop.execute { endpoint.dropAll() }
        #expect(await client.nextMessage() == nil)
        let cause = await client.cause()
        #expect(cause.kind == .connectionLost)
        ledger.settle(cause)
        #expect(ledger.loss == (isPinged ? nil : "1 line may not have arrived"))
        #expect(await client.unacknowledgedBytes() == 0)
        loop.execute { loop.shutdown() }
    }

    @Test("once told so, it does not connect again, neither later nor from a wait")
    func last() async throws {
        let endpoint = try await RunningEndpoint("--behaviour", "close=1012@50")
        let client = try makeClient(endpoint.url)
        #expect(await client.open())
        await client.stopReconnecting()
        #expect(await client.nextMessage() == nil)
        #expect(await client.cause() == .closedByPeer(PeerClose(code: 1012)))
        _ = await endpoint.stop()
    }

    @Test(
        "K12-02: the end of the input ends an attempt behind a lost connection, whose cause stands",
        .timeLimit(.minutes(2)))
    func lastAttempt() async throws {
        let endpoint = try await RunningEndpoint("--behaviour", "close=1012@50")
        let told = Told()
        // Attempts without end.
        let client = try makeClient(endpoint.url, told, base: .milliseconds(1), attempts: nil)
        #expect(await client.open())
        _ = await endpoint.stop()
        while !told.all.contains(where: { $0.contains("attempt 2 follows") }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        await client.stopReconnecting()
        let cause = await client.cause()
        #expect([.closedByPeer, .connectFailed].contains(cause.kind), "\(cause)")
    }

    @Test("R3: a close that asks not to come back, and no policy at all, end the session")
    func stops() async throws {
        let endpoint = try await RunningEndpoint()
        for (query, reconnects) in [("?close=1008", true), ("?close=1012", false)] {
            let client = try makeClient(endpoint.url + query, reconnects: reconnects)
            #expect(await client.open())
            #expect(await client.cause().kind == .closedByPeer)
            #expect(await client.send(.text("a")) == .ended)
        }
        _ = await endpoint.stop()
    }

    @Test("a close while connecting ends the attempt: it is not open")
    func closeWhileConnecting() async throws {
        let endpoint = try await RunningEndpoint("--behaviour", "refuse=silence")
        let client = try makeClient(endpoint.url)
        async let opening = client.open()
        // One that comes before the connect has no effect, so it is repeated.
        let closing = Task {
            while !Task.isCancelled { await client.close(.goingAway) }
        }
        #expect(await !opening)
        closing.cancel()
        #expect(await client.cause().kind == .closedByApp)
        _ = await endpoint.stop()
    }
}
