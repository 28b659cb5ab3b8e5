import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting

/// Where and with which settings a scenario runs.
struct ScenarioPlace: Sendable {
    /// What the client is connected to.
    enum Server: Sendable, Hashable {
        /// An endpoint inside the command, over the real network.
        case embedded
        /// An endpoint on the virtual network, in virtual time.
        case virtual
        /// A `heartwire endpoint` elsewhere.
        case endpoint(url: WebSocketURL)
        /// A server that does not act on its URL's query.
        case anyServer(url: WebSocketURL)
    }

    /// What is put wrong on purpose, so that a test can see each scenario fail. Nothing by default.
    struct Sabotage: Sendable {
        /// Who decides what the endpoint does.
        var behaviour = EndpointScript.byQuery
        /// What stands between the client and its transports.
        var wrap: @Sendable (any TransportFactory) -> any TransportFactory = { $0 }
        /// Changes each client's configuration, last of all.
        var configure: @Sendable (inout ClientConfiguration) -> Void = { _ in }
    }

    /// The server.
    var server: Server
    /// What makes the clients' connections.
    var transport: TransportChoice
    /// The heartbeat's interval.
    var interval: Duration
    /// The heartbeat's timeout.
    var timeout: Duration
    /// How a `wss:` server is checked, and what it is shown.
    var tls = TLSConfiguration()
    /// What is put wrong.
    var sabotage = Sabotage()

    /// Takes the place from the command line. A server elsewhere counts as a foreign one until it was recognised.
    init(_ options: AcceptOptions) {
        transport = options.transport
        interval = options.interval
        timeout = options.timeout
        if let url = options.url {
            server = .anyServer(url: url)
        } else {
            server = options.isVirtual ? .virtual : .embedded
        }
    }

    /// Why a scenario with these needs cannot run here; `nil` when it can.
    func obstacle(to needs: AcceptanceScenario.Needs) -> String? {
        switch server {
        case .virtual: nil
        case .embedded where needs.contains(.virtualOnly),
            .endpoint where needs.contains(.virtualOnly),
            .anyServer where needs.contains(.virtualOnly):
            "needs virtual time, to hit an instant exactly: give --virtual"
        case .embedded where needs.contains(.inside) && transport != .socket,
            .endpoint where needs.contains(.inside) && transport != .socket:
            "needs an endpoint in the client's own domain: leave out --transport"
        case .endpoint where needs.contains(.inside), .anyServer where needs.contains(.inside):
            "needs an endpoint in this process: leave out --url"
        case .anyServer where needs.contains(.endpoint):
            "needs a server that acts on its URL's query, which 'heartwire endpoint' does"
        case .embedded, .endpoint, .anyServer: nil
        }
    }

    /// Where a scenario's clients and their server meet.
    var worldPlace: ClientWorld.Place {
        switch server {
        case .embedded: .loopback
        case .virtual: .virtual
        case .endpoint(let url), .anyServer(let url): .remote(url)
        }
    }

    /// The longest that one scenario may take in real time. Each wait in it is bounded more closely and says
    /// what it was for; this is the net below them.
    var scenarioLimit: Duration { .seconds(60) + (interval + timeout) * 40 }
}
