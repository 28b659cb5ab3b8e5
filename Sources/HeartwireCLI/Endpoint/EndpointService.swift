import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting

/// The endpoint behind a listener, and its orderly end. Confined to the loop, but for `stop()`; that is what
/// makes `@unchecked Sendable` true.
final class EndpointService: @unchecked Sendable {
    /// How long clients may take to answer the last Close frame.
    private static let closingGrace = Duration.milliseconds(300)

    private let loop: EventLoop
    private let script: EndpointScript
    private let acceptor: TLSAcceptor?
    private let journal: LineSink?
    private var made: Endpoint?
    private var stopped: CheckedContinuation<Void, Never>?

    /// Makes a service that waits for channels on `loop`.
    init(
        script: EndpointScript, on loop: EventLoop, acceptor: TLSAcceptor? = nil, journal: LineSink?
    ) {
        self.script = script
        self.acceptor = acceptor
        self.loop = loop
        self.journal = journal
    }

    /// Takes over a connection. In the domain.
    func accept(_ channel: TCPChannel) {
        if let acceptor {
            // Without memory for TLS there is nothing to say to this client.
            guard let secure = try? acceptor.channel(over: channel) else {
                return channel.abort(reset: true)
            }
            endpoint().accept(secure)
        } else {
            endpoint().accept(channel)
        }
        channel.start()
    }

    /// Made with the first connection, in the domain that it lives in.
    private func endpoint() -> Endpoint {
        if let made { return made }
        let endpoint = Endpoint(
            executor: loop, random: SystemRandomSource(), behaviour: script
        ) { [weak self] event in
            self?.journal?.append(event.jsonLine)
            if event.kind == .ended { self?.connectionEnded() }
        }
        made = endpoint
        return endpoint
    }

    /// Closes every open connection with 1001, and returns when all have answered or after a short time.
    func stop() async {
        await withCheckedContinuation { continuation in
            loop.execute { self.beginStopping(continuation) }
        }
    }

    private func beginStopping(_ continuation: CheckedContinuation<Void, Never>) {
        stopped = continuation
        for connection in made?.connections ?? [] {
            connection.close(.goingAway, reason: "the endpoint stops")
        }
        connectionEnded()
        guard stopped != nil else { return }
        _ = loop.schedule(at: loop.now().advanced(by: Self.closingGrace)) { self.finish() }
    }

    private func connectionEnded() {
        if stopped != nil, made?.connections.isEmpty ?? true { finish() }
    }

    private func finish() {
        stopped.take()?.resume()
    }
}
