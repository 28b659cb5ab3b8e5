import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

extension ConnectCommand where Client == WebSocketLineClient {
    /// How long the journal's last lines may take to be written.
    private static var journalGrace: Duration { .seconds(2) }
    /// How long the last lines for a person may take around a signal. Nobody keeps the command alive who has stopped
    /// reading them (field case K12-07).
    private static var tellingGrace: Duration { .milliseconds(500) }
    /// How long a signal's orderly end may take beyond the close.
    private static var endingGrace: Duration { .seconds(4) }

    /// `heartwire connect` with the standard descriptors and the real client.
    static func run(_ options: ConnectOptions) async -> CommandEnd {
        // Whoever reads them may be slow, and no thread that the session needs waits for that.
        let lines = LineSink(
            .standardError, wordsForDropped: { "heartwire: \($0) lines found no room here" }
        ) { _ in }
        let signalLimit = Locked(options.closeTimeout + endingGrace)
        let end = await run(options) {
            SignalWatch.signals(endingWithin: signalLimit.withLock { $0 })
        } tell: {
            lines.append(displaySafe("heartwire: \($0)"))
        }
        signalLimit.withLock { $0 = tellingGrace }
        if case .stopped = end {
            await lines.finish(within: tellingGrace)
        } else {
            // Whoever reads slowly still gets all of it, as from any command.
            await lines.finish(within: nil)
        }
        return end
    }

    private static func run(
        _ options: ConnectOptions, signals: () -> AsyncStream<StopSignal>,
        tell: @escaping @Sendable (String) -> Void
    ) async -> CommandEnd {
        var journal: JournalFile?
        if let path = options.journal {
            switch JournalFile.open(path, tell: tell) {
            case .success(let file): journal = file
            case .failure(let problem): return .failed(problem.description)
            }
        }
        var configuration = options.configuration(journal: journal)
        do throws(TextFile.Failure) {
            configuration.tls = try options.tls.configuration()
        } catch {
            return .failed(error.description)
        }
        let ledger = LineLedger()
        let client: WebSocketLineClient
        do {
            client = try WebSocketLineClient(
                options.url, ledger: ledger, tell: tell, configuration: configuration)
        } catch let failure as TLSFailure {
            return .failed("\(failure)")
        } catch {
            return .misused(UsageError(displaySafe("\(error)"), command: "connect"))
        }
        let lines = InputLines(
            ChunkReader(descriptor: 0), maximumLineBytes: options.maximumLineBytes,
            ledger: ledger)
        let command = ConnectCommand(
            client: client, lines: lines, options: options, tell: tell,
            signals: signals())
        let end = await command.run()
        guard let journal else { return end }
        await journal.finish(within: journalGrace)
        if end == .done, let problem = journal.problem { return .failed(problem) }
        return end
    }
}

extension ConnectOptions {
    /// The client's configuration that the options ask for.
    func configuration(journal: JournalFile?) -> ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.heartbeat = heartbeat.map { .every($0.interval, timeout: $0.timeout) }
        if !isReconnecting { configuration.reconnect = nil }
        configuration.connectTimeout = connectTimeout
        configuration.closeTimeout = closeTimeout
        configuration.headers = headers
        configuration.subprotocols = subprotocols
        configuration.proxy = route.proxy
        configuration.redirects = route.redirects
        if let journal {
            configuration.journal = { journal.append($0.jsonLine) }
        }
        return configuration
    }
}
