import HeartwireProtocol

/// One entry of the acceptance list.
struct AcceptanceScenario: Sendable {
    /// What a scenario needs of the place that it runs in.
    struct Needs: OptionSet, Sendable, Hashable {
        let rawValue: Int

        /// An endpoint that does as its URL asks: the one inside, or a `heartwire endpoint`.
        static let endpoint = Needs(rawValue: 1)
        /// Virtual time and the virtual network.
        static let virtualOnly = Needs(rawValue: 2)
        /// Real time and the real network.
        static let realTime = Needs(rawValue: 4)
    }

    /// The name to select it by.
    let id: String
    /// What it shows, as a sentence.
    let title: String
    /// Where it can run.
    let needs: Needs
    /// Runs it. Returns soon after its task is cancelled.
    let run: @Sendable (ScenarioPlace) async -> ScenarioOutcome
}

/// Where and with which settings a scenario runs.
struct ScenarioPlace: Sendable, Hashable {
    /// What the client is connected to.
    enum Server: Sendable, Hashable {
        /// An endpoint inside the command, over the real network.
        case embedded
        /// An endpoint on the virtual network, in virtual time.
        case virtual
        /// A `heartwire endpoint` elsewhere.
        case endpoint(url: WebSocketURL)
        /// A server that cannot be told how to behave.
        case anyServer(url: WebSocketURL)
    }

    /// The server.
    var server: Server
    /// The heartbeat that the client is given.
    var heartbeat: HeartbeatOptions

    /// Takes the place from the command line.
    init(_ options: AcceptOptions) {
        heartbeat = HeartbeatOptions(interval: options.interval, timeout: options.timeout)
        switch options.url {
        case let url? where options.isAnyServer: server = .anyServer(url: url)
        case let url?: server = .endpoint(url: url)
        case nil: server = options.isVirtual ? .virtual : .embedded
        }
    }

    /// Why a scenario with these needs cannot run here; `nil` when it can.
    func obstacle(to needs: AcceptanceScenario.Needs) -> String? {
        switch server {
        case .virtual where needs.contains(.realTime): "needs real time: leave out --virtual"
        case .embedded where needs.contains(.virtualOnly),
            .endpoint where needs.contains(.virtualOnly),
            .anyServer where needs.contains(.virtualOnly):
            "needs virtual time: give --virtual"
        case .anyServer where needs.contains(.endpoint):
            "needs a heartwire endpoint: leave out --any-server"
        case .virtual, .embedded, .endpoint, .anyServer: nil
        }
    }
}

/// What a scenario saw.
struct ScenarioOutcome: Sendable, Hashable {
    /// How it came out.
    var verdict: AcceptanceReport.ScenarioVerdict
    /// Every connection that ended, in order.
    var closes: [AcceptanceReport.Close] = []
    /// What was expected and what was seen, when it did not pass.
    var detail = ""
    /// How long it took in its own clock; `nil` lets the runner's measurement stand.
    var elapsed: Duration?
}
