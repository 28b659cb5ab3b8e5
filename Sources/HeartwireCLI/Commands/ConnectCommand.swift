import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

/// `heartwire connect`: lines in, messages out.
///
/// Three parts run side by side: one takes lines and sends them, one takes messages and prints them, and one waits for
/// a signal. A connection that is lost is made anew by the client while there is input. Whichever part ends first
/// decides how the command ends:
///
/// | what ends              | what is done                       | how the command ends      |
/// |------------------------|------------------------------------|---------------------------|
/// | the session            | nothing more                       | by its last cause         |
/// | the input              | drain, linger, close 1000; or wait | by the connection's cause |
/// | the input, by an error | drain, close 1000                  | failed, with the line     |
/// | the output             | close 1000                         | done if its reader left   |
/// | a signal               | close 1001                         | stopped                   |
///
/// To drain is to wait until the server's system has acknowledged what was sent, while there is progress: neither the time
/// to linger nor the close's own is for that.
///
/// Lines that were taken from the input and did not go out, or may not have arrived, are counted at the end, and make a
/// good end a failure. So are messages that a slow output left no room for while the command closed.
struct ConnectCommand<Client: LineClient>: Sendable {
    /// The client, not yet connected.
    let client: Client
    /// The lines to send.
    let lines: InputLines
    /// What the command line asked for.
    let options: ConnectOptions
    /// Where messages go.
    var output = DescriptorWriter.standardOutput
    /// Takes one line for a person, not yet escaped.
    var tell: @Sendable (String) -> Void = { _ in }
    /// The first signal that asks to stop; never ends by itself.
    let signals: AsyncStream<StopSignal>
    /// Waits; returns early when its task is cancelled. Real time, but for tests.
    var sleep: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }

    /// Whether a message is on its way to the output.
    private let isPrinting = PrintingMark()

    /// One part's end.
    private enum Part: Sendable {
        case opened(Bool)
        case inputEnded(InputError?)
        case connectionEnded
        case outputFailed(OutputError)
        case lingered
        case signalled(StopSignal)
        case gaveUpPrinting
        case cancelled
    }

    /// How long what arrived before a signal may still take to be printed. A reader that has stopped reading does not
    /// keep the command alive.
    private static var printingGrace: Duration { .milliseconds(500) }

    /// How long the command waits before it looks again what is still to be acknowledged.
    private static var drainingStep: Duration { .milliseconds(20) }
    /// How long a server may take nothing at the least before it is no longer waited for.
    private static var leastPatience: Duration { .seconds(5) }

    /// Runs to the end of the session.
    func run() async -> CommandEnd {
        // Not a task group: that would wait for a part that is blocked in a write.
        let (parts, sink) = AsyncStream.makeStream(of: Part.self)
        var tasks: [Task<Void, Never>] = []
        var sender: Task<Void, Never>?
        let decided = await follow(parts) { isSender, part in
            let task = Task { _ = sink.yield(await part()) }
            tasks.append(task)
            if isSender { sender = task }
        }
        for task in tasks { task.cancel() }
        // Ends at once, as the session is over, and then the count of lines is final.
        await sender?.value
        return await verdict(decided)
    }

    /// Tells what happened, and makes the end of the command of it.
    private func verdict(_ decided: CommandEnd?) async -> CommandEnd {
        let cause = await client.cause()
        let end = decided ?? CommandEnd(cause)
        // A failure's line is told by whoever ends the program.
        if end == .done || end != CommandEnd(cause) { tell(ConnectionEnd.line(for: cause)) }
        // Whoever stopped the command has stopped its input, too.
        if decided == nil { lines.countRest() }
        lines.ledger.settle(cause)
        if let remark = lines.ledger.remark { tell(remark) }
        var losses = lines.ledger.loss.map { [$0] } ?? []
        // After a signal, or once the reader of the output has gone, nobody waits for them.
        if decided == nil, case let count = await client.droppedMessages(), count > 0 {
            losses.append(Self.dropped(count))
        }
        guard !losses.isEmpty else { return end }
        let loss = losses.joined(separator: ", ")
        guard decided == nil, end == .done else {
            tell(loss)
            return end
        }
        return .failed(loss)
    }

    private static func dropped(_ count: Int) -> String {
        (count == 1 ? "1 message" : "\(count) messages")
            + " came during the close and found no room, as the output was not read: raise --linger"
    }

    /// Follows the parts until the connection is over.
    ///
    /// - Returns: how the command ends when something other than the connection decided that.
    private func follow(
        _ parts: AsyncStream<Part>,
        begin: (_ isSender: Bool, @escaping @Sendable () async -> Part) -> Void
    ) async -> CommandEnd? {
        var decided: CommandEnd?
        func start(_ part: @escaping @Sendable () async -> Part) { begin(false, part) }
        start { .opened(await client.open()) }
        start { await awaitSignal() }
        for await part in parts {
            switch part {
            case .opened(true):
                begin(true) { await sendLines() }
                start { await printMessages() }
                start { await awaitDeparture() }
            case .opened(false), .connectionEnded, .gaveUpPrinting:
                return decided
            case .outputFailed(let error):
                await client.close(.normalClosure)
                return decided ?? ended(by: error)
            case .inputEnded(let error):
                if let error { decided = decided ?? .failed(error.description) }
                await client.stopReconnecting()
                start {
                    await drain()
                    guard error == nil else { return .lingered }
                    guard case .linger(let duration) = options.atEnd else { return .cancelled }
                    await sleep(duration)
                    return .lingered
                }
            case .lingered:
                await client.close(.normalClosure)
            case .signalled(let signal):
                decided = .stopped(signal)
                await client.close(.goingAway)
                start {
                    await sleep(Self.printingGrace)
                    return .gaveUpPrinting
                }
            case .cancelled:
                continue
            }
        }
        return decided
    }

    private func sendLines() async -> Part {
        var number = 0
        do throws(InputError) {
            for try await line in lines {
                number += 1
                let message = try message(
                    fromLine: line, number: number, isBinary: options.isBinary)
                // The part that prints reports the connection's end, behind its last message.
                let outcome = await client.send(message)
                lines.ledger.note(outcome)
                if outcome == .ended { return .cancelled }
            }
        } catch {
            return .inputEnded(error)
        }
        return Task.isCancelled ? .cancelled : .inputEnded(nil)
    }

    /// Waits until all that was sent has been acknowledged, or the server has taken nothing more for some time. That does
    /// not count while a message waits to be printed: a server that cannot write may well not read. A pong stands behind
    /// what is to be taken, so no pulse is taken meanwhile.
    private func drain() async {
        await client.pauseHeartbeat(true)
        await awaitAcknowledgement()
        await client.pauseHeartbeat(false)
    }

    private func awaitAcknowledgement() async {
        let patience = max(options.closeTimeout, Self.leastPatience)
        var least = Int.max
        var stood = Duration.zero
        while !Task.isCancelled, stood < patience {
            let waiting = await client.unacknowledgedBytes()
            guard waiting > 0 else { return }
            stood = waiting < least || isPrinting.isSet ? .zero : stood + Self.drainingStep
            least = min(least, waiting)
            await sleep(Self.drainingStep)
        }
    }

    private func printMessages() async -> Part {
        let output = PatientWriter(output)
        while let message = await client.nextMessage() {
            isPrinting.set(true)
            defer { isPrinting.set(false) }
            do throws(OutputError) {
                try await output.write(options.format.bytes(of: message))
            } catch {
                return .outputFailed(error)
            }
        }
        return .connectionEnded
    }

    /// A reader that goes away while no message comes is not noticed by printing.
    private func awaitDeparture() async -> Part {
        for await _ in ReaderWatch.departure(from: output) { return .outputFailed(.readerGone) }
        return .cancelled
    }

    private func awaitSignal() async -> Part {
        for await signal in signals { return .signalled(signal) }
        return .cancelled
    }
}

/// Whether something is being printed, for two tasks.
private final class PrintingMark: Sendable {
    private let value = Locked(false)

    var isSet: Bool { value.withLock { $0 } }

    func set(_ isPrinting: Bool) { value.withLock { $0 = isPrinting } }
}
