public import Heartwire
public import HeartwireProtocol
public import HeartwireSession

/// A client of which everything is written down, and whose transports can be made to report again.
public final class WatchedClient: Sendable {
    /// The client.
    public let client: WebSocketClient
    /// What it told.
    public let log: ClientLog
    /// Its transports.
    public let transports: RecordingTransportFactory
    private let watchers: [Task<Void, Never>]

    /// Makes a client that has not connected, with the transports of `factory`.
    ///
    /// - Parameters:
    ///   - url: Where the client connects to.
    ///   - factory: What makes its connections.
    ///   - wrap: What stands between the client and the recorded transports; nothing unless told otherwise.
    ///   - configure: Changes the default configuration; a journal set there is replaced.
    /// - Throws: what the client's initialiser throws.
    public init(
        _ url: WebSocketURL, transport factory: any TransportFactory,
        wrap: (any TransportFactory) -> any TransportFactory = { $0 },
        configure: (inout ClientConfiguration) -> Void = { _ in }
    ) throws {
        let log = ClientLog(executor: factory.executor)
        let transports = RecordingTransportFactory(factory)
        var configuration = ClientConfiguration()
        configure(&configuration)
        configuration.journal = { log.add($0) }
        configuration.transport = wrap(transports)
        let client = try WebSocketClient(url) { [configuration] in $0 = configuration }
        self.client = client
        self.log = log
        self.transports = transports
        let (states, messages) = (client.states, client.messages)
        watchers = [
            Task(executorPreference: factory.executor) {
                for await state in states { log.add(state) }
            },
            Task(executorPreference: factory.executor) {
                // The sequence ends with each stop; a client can be connected again after it.
                while !Task.isCancelled {
                    for await message in messages { log.add(message) }
                }
            },
        ]
    }

    /// Stops watching. The client is not touched.
    public func stopWatching() {
        for watcher in watchers { watcher.cancel() }
    }

    /// The rules that every life of a client obeys, whatever happened to it (promises G3, G4, T1): a line for each
    /// that was broken. Ask when the session has stopped.
    public var faults: [String] {
        let begun = log.events(.requestAsked).map(\.generation)
        var faults: [String] = []
        if begun != Set(begun).sorted() {
            faults.append("generations do not strictly increase: \(begun)")
        }
        for generation in begun {
            let ends = log.closes.filter { $0.generation == generation }
            if ends.count != 1 {
                faults.append("\(generation) has \(ends.count) closes, not exactly one")
            }
            guard let end = ends.first else { continue }
            let pings = log.events(.pingSent, of: generation)
            if let late = pings.first(where: { $0.time > end.time }) {
                faults.append("\(generation) sent a ping at \(late.time) after its close")
            }
            if log.events(.opened, of: generation).count > 1 {
                faults.append("\(generation) was opened more than once")
            }
        }
        for transport in transports.transports {
            let ends = transport.reports.count { if case .closed = $0 { true } else { false } }
            if ends > 1 {
                faults.append("the transport of \(transport.generation) ended \(ends) times")
            }
            if ends + (transport.isAborted ? 1 : 0) == 0 {
                faults.append("the transport of \(transport.generation) was left behind")
            }
        }
        return faults
    }
}
