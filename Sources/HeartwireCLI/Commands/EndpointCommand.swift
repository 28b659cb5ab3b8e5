import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting

/// `heartwire endpoint`: the controllable endpoint on a port (promise A1).
enum EndpointCommand {
    /// How long the last lines may take to be printed. A reader that has stopped reading does not keep the command
    /// alive.
    private static let printingGrace = Duration.milliseconds(500)

    /// Listens until its task is cancelled or the reader of the output goes away.
    static func run(
        _ options: EndpointOptions, output: DescriptorWriter = .standardOutput
    ) async -> CommandEnd {
        let (failures, failed) = AsyncStream.makeStream(of: OutputError.self)
        // Held, so that the first line is the one that tells the port.
        let journal = LineSink(output, isHeld: true) { failed.yield($0) }
        let server: EndpointTLSOptions.Server?
        do {
            server = try options.tls?.server()
        } catch {
            return .failed("\(error)")
        }
        let service = EndpointService(
            script: options.script, on: .shared, acceptor: server?.acceptor,
            journal: options.isQuiet ? nil : journal)
        let listener: TCPListener
        do throws(ListenFailure) {
            listener = try TCPListener.listen(
                host: options.host, port: options.port, on: .shared
            ) { service.accept($0) }
        } catch {
            return .failed("\(error)")
        }
        let announced = printed(
            "listening \(url(host: options.host, port: listener.port, isSecure: server != nil))\n",
            to: output)
        guard announced == .done else {
            listener.close()
            return announced
        }
        if let server {
            DescriptorWriter.standardError.writeDiagnostic("heartwire: \(server.line)")
        }
        journal.release()
        let watch = Task {
            for await _ in ReaderWatch.departure(from: output) { failed.yield(.readerGone) }
        }
        defer { watch.cancel() }
        var end = CommandEnd.done
        for await failure in failures {
            end = ended(by: failure)
            break
        }
        listener.close()
        await service.stop()
        await journal.finish(within: printingGrace)
        return end
    }

    /// The URL of a listener; a numeric IPv6 address stands in brackets there (RFC 3986 §3.2.2).
    static func url(host: String, port: UInt16, isSecure: Bool = false) -> String {
        "\(isSecure ? "wss" : "ws")://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
    }
}
