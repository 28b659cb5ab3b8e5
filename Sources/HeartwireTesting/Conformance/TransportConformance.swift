public import HeartwireProtocol
public import HeartwireSession

/// The contract of a transport as a suite that any transport can be run against (promises T1, T4, T5).
///
/// ```swift
/// let report = await TransportConformance.run(
///     SocketTransportFactory(loop: loop), against: TransportPeer(endpoint: url))
/// #expect(report.faults.isEmpty, "\(report)")
/// ```
///
/// The peer is an ``Endpoint``: each case asks it in the query of the URL for the behaviour that it needs. Everything runs in
/// the domain of the factory, one case after the other.
public enum TransportConformance {
    /// How patient a run is, in the time of the factory's executor.
    public struct Patience: Sendable, Hashable {
        /// The longest that something may take that has to happen. Default: 10 s.
        public var limit = Duration.seconds(10)
        /// For how long nothing has to happen where nothing may. Default: 50 ms.
        public var quiet = Duration.milliseconds(50)

        /// The defaults.
        public init() {}
    }

    /// Why a case is known not to hold.
    public struct Exclusion: Sendable, Hashable, ExpressibleByStringLiteral {
        /// What stands in the way.
        public let reason: String
        /// Whether the case holds now and then, so that it says nothing when it does.
        public let isUnsteady: Bool

        /// A case that never holds: when it does, the exclusion has to go.
        public init(stringLiteral reason: String) {
            self.reason = reason
            isUnsteady = false
        }

        private init(unsteady reason: String) {
            self.reason = reason
            isUnsteady = true
        }

        /// A case that holds now and then.
        public static func unsteady(_ reason: String) -> Exclusion {
            Exclusion(unsteady: reason)
        }
    }

    /// Runs cases against the transports of `factory`.
    ///
    /// - Parameters:
    ///   - factory: What makes the transports.
    ///   - peer: Who they are connected to.
    ///   - exclusions: Cases that are known not to hold, with the reason. They run all the same, and one that holds
    ///     is reported as ``TransportConformanceReport/Verdict/mended(reason:)``, unless it is unsteady.
    ///   - cases: What to run. Default: everything.
    ///   - patience: How long to wait for what has to happen and for what may not.
    /// - Returns: a finding for each case, in order. A cancelled task gives up what is left.
    public static func run(
        _ factory: any TransportFactory, against peer: TransportPeer,
        excluding exclusions: [Case: Exclusion] = [:], cases: [Case] = Case.allCases,
        patience: Patience = Patience()
    ) async -> TransportConformanceReport {
        let running = Task(executorPreference: factory.executor.taskExecutor) {
            var findings: [TransportConformanceReport.Finding] = []
            for aCase in cases {
                let run = ConformanceRun(factory: factory, peer: peer, patience: patience)
                let fault = await run.fault(in: aCase)
                findings.append(
                    TransportConformanceReport.Finding(
                        aCase, fault: fault, exclusion: exclusions[aCase]))
            }
            return TransportConformanceReport(findings: findings)
        }
        return await withTaskCancellationHandler {
            await running.value
        } onCancel: {
            running.cancel()
        }
    }
}

/// Who the transports of a conformance run are connected to.
public struct TransportPeer: Sendable {
    /// The URL of a connection that is treated as this query of an ``Endpoint`` says.
    public let url: @Sendable (_ query: String) throws -> WebSocketURL
    /// A URL at which nobody listens.
    public let refusing: WebSocketURL

    /// A peer that has a URL for each behaviour.
    public init(
        refusing: WebSocketURL, url: @escaping @Sendable (_ query: String) throws -> WebSocketURL
    ) {
        self.url = url
        self.refusing = refusing
    }

    /// An endpoint at `url`, which acts on the query.
    ///
    /// - Parameters:
    ///   - url: The endpoint's URL; its query is replaced.
    ///   - refusing: A URL at which nobody listens. Default: port 1 of 127.0.0.1.
    /// - Throws: `WebSocketURLError` for a `url` that cannot be written down, which no text leads to.
    public init(endpoint url: WebSocketURL, refusing: WebSocketURL? = nil) throws(WebSocketURLError)
    {
        let base = ClientWorld.withoutQuery(url)
        let text = "\(base.scheme)://\(base.hostHeader)\(base.requestTarget)"
        let silent = try WebSocketURL("ws://127.0.0.1:1/")
        self.init(refusing: refusing ?? silent) { query in try WebSocketURL("\(text)?\(query)") }
    }
}
