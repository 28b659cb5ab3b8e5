import Heartwire
import HeartwireProtocol
import HeartwireSession

extension ConnectCommand where Client == WebSocketLineClient {
    /// How long the journal's last lines may take to be written.
    private static var journalGrace: Duration { .seconds(2) }

    /// `heartwire connect` with the standard descriptors and the real client.
    static func run(_ options: ConnectOptions) async -> CommandEnd {
        let tell: @Sendable (String) -> Void = {
            DescriptorWriter.standardError.writeDiagnostic("heartwire: \($0)")
        }
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
        let client: WebSocketLineClient
        do {
            client = try WebSocketLineClient(
                options.url, tell: tell, configuration: configuration)
        } catch let failure as TLSFailure {
            return .failed("\(failure)")
        } catch {
            return .misused(UsageError(displaySafe("\(error)"), command: "connect"))
        }
        let lines = InputLines(
            ChunkReader(descriptor: 0), maximumLineBytes: options.maximumLineBytes)
        let command = ConnectCommand(
            client: client, lines: lines, options: options, tell: tell,
            signals: SignalWatch.signals())
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
