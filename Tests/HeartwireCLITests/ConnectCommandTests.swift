import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import Testing

@testable import HeartwireCLI

/// A client whose server is a script: what it answers to each message, and when it closes.
private final class ScriptedClient: LineClient {
    private struct State {
        var sent: [Message] = []
        var closes: [CloseCode] = []
        var cause: CloseCause?
        var isLast = false
        var heartbeats: [Bool] = []
        var ledger: LineLedger?
    }

    private let state = Locked(State())
    private let incoming: AsyncStream<Message>
    private let sink: AsyncStream<Message>.Continuation
    private let opens: Bool
    private let outcome: LineOutcome
    private let dropped: Int
    /// What is told to wait for acknowledgement, one number at each question; then nothing.
    private let unacknowledged: Locked<[Int]>
    private let answer: @Sendable (ScriptedClient, Message) -> Void

    init(
        opens: Bool = true, cause: CloseCause? = nil, outcome: LineOutcome = .sent(endedBefore: 0),
        dropped: Int = 0, unacknowledged: [Int] = [],
        answer: @escaping @Sendable (ScriptedClient, Message) -> Void = { _, _ in }
    ) {
        (incoming, sink) = AsyncStream.makeStream()
        self.opens = opens
        self.outcome = outcome
        self.dropped = dropped
        self.unacknowledged = Locked(unacknowledged)
        self.answer = answer
        state.withLock { $0.cause = cause }
    }

    var sent: [Message] { state.withLock { $0.sent } }
    var closes: [CloseCode] { state.withLock { $0.closes } }

    func deliver(_ message: Message) { sink.yield(message) }

    func end(_ cause: CloseCause) {
        let isFirst = state.withLock { state in
            defer { if state.cause == nil { state.cause = cause } }
            return state.cause == nil
        }
        if isFirst {
            let ledger = state.withLock { $0.ledger }
            ledger?.noteConnectionEnd(cause.kind == .closedByPeer ? .closed : .broken)
        }
        sink.finish()
    }

    func open() async -> Bool { opens }

    func send(_ message: Message) async -> LineOutcome {
        let isOpen = state.withLock { state in
            if state.cause == nil { state.sent.append(message) }
            return state.cause == nil
        }
        guard isOpen else { return .ended }
        answer(self, message)
        return outcome
    }

    func unacknowledgedBytes() async -> Int {
        unacknowledged.withLock { $0.isEmpty ? 0 : $0.removeFirst() }
    }

    func pauseHeartbeat(_ isPaused: Bool) async {
        state.withLock { $0.heartbeats.append(!isPaused) }
    }

    /// Whether pings went out from then on, each time that this was decided.
    var heartbeats: [Bool] { state.withLock { $0.heartbeats } }

    /// Who counts the lines; told of the end as the real client's is.
    func tellEnd(to ledger: LineLedger) { state.withLock { $0.ledger = ledger } }

    func stopReconnecting() async { state.withLock { $0.isLast = true } }

    var isLast: Bool { state.withLock { $0.isLast } }

    func nextMessage() async -> Message? {
        var iterator = incoming.makeAsyncIterator()
        return await iterator.next()
    }

    func close(_ code: CloseCode) async {
        state.withLock { $0.closes.append(code) }
        end(.closedByApp(sent: code, answer: PeerClose(code: code)))
    }

    func droppedMessages() async -> Int { dropped }

    func cause() async -> CloseCause {
        state.withLock { $0.cause } ?? .heartbeatTimeout
    }
}

/// A line that was handed to a connection behind which two others have ended.
private let ofOldConnection = LineOutcome.sent(endedBefore: -2)

private struct Run {
    var end: CommandEnd
    var output: String
    var told: [String]
}

/// What was told, for two threads.
private final class Told: Sendable {
    let lines = Locked<[String]>([])

    func callAsFunction(_ line: String) { lines.withLock { $0.append(line) } }
}

private let forever: @Sendable (Duration) async -> Void = { _ in
    try? await Task.sleep(for: .seconds(3600))
}

private func run(
    _ client: ScriptedClient, input: String?, words: [String] = [], signal: StopSignal? = nil,
    isThere: Bool = false, readerGone: Bool = false,
    sleep: @escaping @Sendable (Duration) async -> Void = { _ in }
) async throws -> Run {
    guard
        case .connect(let options) = try CommandRequest(arguments: ["connect", "ws://h/"] + words)
    else { throw UsageError("not connect") }
    let (source, output) = (TestPipe(), TestPipe())
    if let input { isThere ? source.fill(Array(input.utf8)) : source.feed(Array(input.utf8)) }
    if readerGone { output.closeReadEnd() }
    let (signals, sink) = AsyncStream.makeStream(of: StopSignal.self)
    if let signal { sink.yield(signal) }
    let told = Told()
    let ledger = LineLedger()
    client.tellEnd(to: ledger)
    let command = ConnectCommand(
        client: client,
        lines: InputLines(
            ChunkReader(descriptor: source.readEnd), maximumLineBytes: options.maximumLineBytes,
            ledger: ledger),
        options: options, output: output.writer, tell: { told($0) }, signals: signals, sleep: sleep)
    let end = await command.run()
    if input == nil { source.closeWriteEnd() }
    sink.finish()
    return Run(
        end: end, output: readerGone ? "" : output.finish(), told: told.lines.withLock { $0 })
}

@Suite("ConnectCommand")
struct ConnectCommandTests {
    @Test("K12-02: lines go out in order, answers come out, then the close is asked for")
    func echo() async throws {
        let client = ScriptedClient { client, message in client.deliver(message) }
        let ran = try await run(client, input: "a\nb\nlast")
        #expect(client.sent == [.text("a"), .text("b"), .text("last")])
        #expect(ran.output == "a\nb\nlast\n")
        #expect(ran.end == .done)
        #expect(client.closes == [.normalClosure])
    }

    @Test(
        "K12-02: the linger begins, and with it the close, once what was sent has been acknowledged"
    )
    func drains() async throws {
        // A server that takes a little at a time, and each time just before it is given up.
        let steps = 5_000 / 20
        let amounts = [900, 500, 400].flatMap { [Int](repeating: $0, count: steps - 1) }
        let waits = Locked<[Duration]>([])
        let client = ScriptedClient(unacknowledged: amounts)
        let ran = try await run(client, input: "a\n", words: ["--linger", "3s"]) { duration in
            waits.withLock { $0.append(duration) }
        }
        #expect(ran.end == .done)
        #expect(client.closes == [.normalClosure])
        let expected = [Duration](repeating: .milliseconds(20), count: 3 * (steps - 1))
        #expect(waits.withLock { $0 } == expected + [.seconds(3)])
        // A pong would stand behind what is to be taken.
        #expect(client.heartbeats == [false, true])
    }

    @Test(
        "K12-02: a server that takes nothing more is given up after the close's time, 5 s at the least, and still gets the linger",
        arguments: [("100ms", 250), ("6s", 300)])
    func drainsInVain(closeTimeout: String, steps: Int) async throws {
        let waits = Locked<[Duration]>([])
        let client = ScriptedClient(unacknowledged: [Int](repeating: 900, count: 1_000))
        let ran = try await run(
            client, input: "a\n", words: ["--linger", "3s", "--close-timeout", closeTimeout]
        ) { duration in
            waits.withLock { $0.append(duration) }
        }
        #expect(client.closes == [.normalClosure])
        #expect(ran.end == .done)
        // The first look is the one that the others are compared with.
        let expected = [Duration](repeating: .milliseconds(20), count: steps + 1)
        #expect(waits.withLock { $0 } == expected + [.seconds(3)])
    }

    @Test(
        "K12-02: while a message waits to be printed, a server that takes nothing is not given up")
    func drainsWhilePrinting() async throws {
        let client = ScriptedClient(unacknowledged: [Int](repeating: 900, count: 2_000))
        client.deliver(.binary([UInt8](repeating: 0, count: 1_000_000)))
        let (source, output) = (TestPipe(), TestPipe())
        guard case .connect(let options) = try CommandRequest(arguments: ["connect", "ws://h/"])
        else { return }
        let (signals, sink) = AsyncStream.makeStream(of: StopSignal.self)
        let steps = Locked(0)
        let (lingers, linger) = AsyncStream.makeStream(of: Void.self)
        let command = ConnectCommand(
            client: client,
            lines: InputLines(ChunkReader(descriptor: source.readEnd), maximumLineBytes: 10),
            options: options, output: output.writer, signals: signals,
            sleep: { duration in
                if duration == .milliseconds(20) {
                    steps.withLock { $0 += 1 }
                } else {
                    linger.yield()
                }
            })
        let running = Task { await command.run() }
        let first = await ChunkReader(descriptor: output.readEnd, size: 1).next()
        #expect(first == .bytes([0]))
        source.closeWriteEnd()
        for await _ in lingers { break }
        // Until there was nothing left, which is far beyond the patience of 250 steps.
        #expect(steps.withLock { $0 } == 2_000)
        output.closeReadEnd()
        #expect(await running.value == .done)
        sink.finish()
    }

    @Test("K12-02: with --until-close the end of the input closes nothing, the server does")
    func untilClose() async throws {
        let client = ScriptedClient { client, message in
            client.deliver(.text("late"))
            client.end(.closedByPeer(PeerClose(code: 1000)))
        }
        let ran = try await run(client, input: "a\n", words: ["--until-close"], sleep: forever)
        #expect(ran.output == "late\n")
        #expect(ran.end == .done)
        #expect(client.closes == [])
    }

    @Test(
        "K12-02: lines that nobody has read when the server closes are counted, whatever the race")
    func unread() async throws {
        let client = ScriptedClient()
        client.end(.closedByPeer(PeerClose(code: 1000)))
        let ran = try await run(client, input: "a\nb\nc", isThere: true, sleep: forever)
        let lost = 3 - client.sent.count
        let words = lost == 1 ? "1 line" : "\(lost) lines"
        #expect(
            ran.end == (lost == 0 ? .done : .failed("\(words) of the input could not be sent")))
    }

    @Test("K10-08: what arrived before the server's close is printed, then its cause decides")
    func peerCloses() async throws {
        let client = ScriptedClient { client, _ in
            for number in 1...1000 { client.deliver(.text("\(number)")) }
            client.end(.closedByPeer(PeerClose(code: 4400, reason: "bad json")))
        }
        let ran = try await run(client, input: "a\n", sleep: forever)
        #expect(ran.output == (1...1000).map { "\($0)\n" }.joined())
        #expect(ran.end == .failed("closed by the peer: 4400 \"bad json\"", as: .closedAbnormally))
    }

    @Test(
        "K12-01: a connection that cannot be made is a failure with its cause, nothing is printed")
    func refused() async throws {
        let cause = CloseCause.connectFailed(ConnectionFailure(.refused, systemCode: 111))
        let ran = try await run(ScriptedClient(opens: false, cause: cause), input: "a\n")
        #expect(
            ran.end == .failed("cannot connect: connection refused (errno 111)"))
        #expect(ran.output == "")
    }

    @Test("a line that is not UTF-8 closes in order and fails, the lines before it were sent")
    func notUTF8() async throws {
        let client = ScriptedClient()
        let (source, output) = (TestPipe(), TestPipe())
        source.feed([0x61, 0x0A, 0xFF, 0x0A])
        guard case .connect(let options) = try CommandRequest(arguments: ["connect", "ws://h/"])
        else { return }
        let (signals, sink) = AsyncStream.makeStream(of: StopSignal.self)
        let command = ConnectCommand(
            client: client,
            lines: InputLines(ChunkReader(descriptor: source.readEnd), maximumLineBytes: 10),
            options: options, output: output.writer, signals: signals, sleep: forever)
        #expect(await command.run() == .failed(InputError.notUTF8(line: 2).description))
        #expect(client.sent == [.text("a")])
        #expect(client.closes == [.normalClosure])
        sink.finish()
        _ = output.finish()
    }

    @Test("K12-05: a line over the limit is not sent and fails after an orderly close")
    func tooLong() async throws {
        let client = ScriptedClient()
        let ran = try await run(client, input: "123456\n", words: ["--max-line=5"], sleep: forever)
        #expect(ran.end == .failed(InputError.lineTooLong(line: 1, limit: 5).description))
        #expect(client.isLast)
        #expect(client.sent == [])
        #expect(client.closes == [.normalClosure])
    }

    @Test("K12-05: the lines behind one that is too long are counted, and it with them")
    func behindTooLong() async throws {
        let client = ScriptedClient()
        let ran = try await run(
            client, input: "a\n123456\nb\nc", words: ["--max-line=5"], isThere: true)
        #expect(ran.end == .failed(InputError.lineTooLong(line: 2, limit: 5).description))
        #expect(client.sent == [.text("a")])
        #expect(ran.told.last == "3 lines of the input could not be sent")
    }

    @Test("K12-07: a signal closes in order with 1001 and gives its own status")
    func signal() async throws {
        let client = ScriptedClient()
        let ran = try await run(client, input: nil, signal: .terminate)
        #expect(ran.end == .stopped(.terminate))
        #expect(client.closes == [.goingAway])
    }

    @Test("K12-07: a signal ends the command though the output's reader has stopped reading")
    func blockedOutput() async throws {
        let client = ScriptedClient()
        client.deliver(.binary([UInt8](repeating: 0, count: 1_000_000)))
        let (source, output) = (TestPipe(), TestPipe())
        guard case .connect(let options) = try CommandRequest(arguments: ["connect", "ws://h/"])
        else { return }
        let (signals, sink) = AsyncStream.makeStream(of: StopSignal.self)
        let command = ConnectCommand(
            client: client,
            lines: InputLines(ChunkReader(descriptor: source.readEnd), maximumLineBytes: 10),
            options: options, output: output.writer, signals: signals, sleep: { _ in })
        let running = Task { await command.run() }
        // The first byte is proof that the write is under way; the rest does not fit the pipe.
        let first = await ChunkReader(descriptor: output.readEnd, size: 1).next()
        #expect(first == .bytes([0]))
        sink.yield(.interrupt)
        #expect(await running.value == .stopped(.interrupt))
        #expect(client.closes == [.goingAway])
        output.closeReadEnd()
        source.closeWriteEnd()
    }

    @Test("a reader that has gone ends the session in order and cleanly")
    func brokenPipe() async throws {
        let client = ScriptedClient { client, message in client.deliver(message) }
        let ran = try await run(client, input: "a\n", readerGone: true, sleep: forever)
        #expect(ran.end == .done)
        #expect(client.closes == [.normalClosure])
    }

    @Test("a reader that goes away while no message comes ends the session as well")
    func brokenPipeInSilence() async throws {
        let client = ScriptedClient()
        let ran = try await run(client, input: nil, readerGone: true, sleep: forever)
        #expect(ran.end == .done)
        #expect(client.closes == [.normalClosure])
    }

    @Test("K12-04: --binary sends bytes and prints bytes")
    func binary() async throws {
        let client = ScriptedClient { client, message in client.deliver(message) }
        let ran = try await run(client, input: "a\nb\n", words: ["--binary"])
        #expect(client.sent == [.binary([0x61]), .binary([0x62])])
        #expect(ran.output == "ab")
    }

    @Test("a connection that ends while the input does not ends the command")
    func inputStaysOpen() async throws {
        let client = ScriptedClient()
        client.end(.heartbeatTimeout)
        let ran = try await run(client, input: nil)
        #expect(ran.end == .failed("no pong in time", as: .timedOut))
    }

    @Test("after the end of the input a lost connection is not made anew")
    func lastConnection() async throws {
        let client = ScriptedClient { client, message in client.deliver(message) }
        let ran = try await run(client, input: "a\n")
        #expect(ran.end == .done)
        #expect(client.isLast)
    }

    @Test("the cause of a good end is told, that of a failure is left to the program's last line")
    func toldCause() async throws {
        let good = try await run(ScriptedClient(), input: "a\n")
        #expect(good.told == ["closed by the app (1000), the peer answered 1000"])
        let lost = ScriptedClient()
        lost.end(.heartbeatTimeout)
        #expect(try await run(lost, input: nil).told == [])
        let stopped = try await run(ScriptedClient(), input: nil, signal: .interrupt)
        #expect(stopped.told == ["closed by the app (1001), the peer answered 1001"])
    }

    @Test("lines that could not be sent are counted, and make a good end a failure")
    func loss() async throws {
        let client = ScriptedClient { client, _ in
            client.end(.closedByPeer(PeerClose(code: 1000)))
        }
        let ran = try await run(client, input: "a\nb\nc\n", sleep: forever)
        #expect(ran.end == .failed("2 lines of the input could not be sent"))
        #expect(ran.told == ["closed by the peer: 1000"])
    }

    @Test("K12-04: messages that were dropped are counted, and make a good end a failure")
    func droppedMessages() async throws {
        let words =
            " came during the close and found no room, as the output was not read: raise --linger"
        let one = try await run(ScriptedClient(dropped: 1), input: "a\n")
        #expect(one.end == .failed("1 message" + words))
        let many = try await run(ScriptedClient(outcome: ofOldConnection, dropped: 2), input: "a\n")
        #expect(many.end == .failed("1 line may not have arrived, 2 messages" + words))
        let stopped = try await run(ScriptedClient(dropped: 2), input: nil, signal: .interrupt)
        #expect(stopped.told == ["closed by the app (1001), the peer answered 1001"])
    }

    @Test("a failure keeps its own line, and the count of lost lines is told before it")
    func lossBesideFailure() async throws {
        let client = ScriptedClient { client, _ in client.end(.heartbeatTimeout) }
        let ran = try await run(client, input: "a\nb\n", sleep: forever)
        #expect(ran.end == .failed("no pong in time", as: .timedOut))
        #expect(
            ran.told == ["1 line of the input could not be sent, 1 line may not have arrived"])
    }

    @Test("K12-02: lines of a connection that was lost may not have arrived, and that is told")
    func lostUnderway() async throws {
        let client = ScriptedClient { client, message in
            if message == .text("b") {
                client.end(.connectionLost(ConnectionFailure(.endOfStream)))
            }
        }
        let ran = try await run(client, input: "a\nb\n", sleep: forever)
        #expect(ran.told == ["2 lines may not have arrived"])
        #expect(
            ran.end
                == .failed(
                    "connection lost: the peer ended the stream without a Close frame",
                    as: .closedAbnormally))
    }

    @Test(
        "K12-02: lines behind which the server closed for a reason of its own are told of, no more")
    func closedBehind() async throws {
        let client = ScriptedClient { client, _ in
            client.end(.closedByPeer(PeerClose(code: 1012)))
        }
        let ran = try await run(client, input: "a\n", sleep: forever)
        #expect(ran.end == .failed("closed by the peer: 1012", as: .closedAbnormally))
        #expect(
            ran.told == ["the server closed behind 1 line without confirming that it had read them"]
        )
    }

    @Test("a line whose connection ended under it may not have arrived, and that is told")
    func unsure() async throws {
        let client = ScriptedClient(outcome: ofOldConnection)
        let ran = try await run(client, input: "a\n")
        #expect(ran.end == .failed("1 line may not have arrived"))
    }
}
