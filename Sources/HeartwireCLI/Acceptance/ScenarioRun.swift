import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting

/// What a scenario demanded and did not see.
struct ScenarioFailure: Error, Hashable, CustomStringConvertible {
    /// What was expected and what was seen.
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Why a scenario cannot go on here, which only its server could tell.
struct ScenarioObstacle: Error, Hashable {
    /// In one line.
    let words: String
}

/// One run of a scenario: its world, its settings, and the words for what it demands.
struct ScenarioRun: Sendable {
    /// Where everything happens.
    let world: ClientWorld
    /// The place's settings.
    let place: ScenarioPlace

    /// The heartbeat's interval.
    var interval: Duration { place.interval }
    /// The heartbeat's timeout.
    var timeout: Duration { place.timeout }
    /// The first delay of the back-off.
    var base: Duration { max(.milliseconds(1), min(interval / 2, .seconds(60))) }
    /// How much later than due something may be seen: not at all in virtual time, as late as a busy machine
    /// and a network make it in real time.
    var slack: Duration { world.place == .virtual ? .zero : .milliseconds(500) }
    /// How long a scenario waits for something that depends on the interval, the timeout and nothing else.
    var patience: Duration { (interval + timeout) * 6 + .seconds(5) }

    /// A policy that begins with ``base``.
    func policy(attempts: Int? = 10, stability: Duration? = nil) throws -> ReconnectPolicy {
        let backoff = try Backoff(base: base, attempts: attempts)
        return ReconnectPolicy(backoff: backoff, stability: stability ?? (interval + timeout) * 100)
    }

    /// A client that asks its server for `query` and does not reconnect, unless told otherwise.
    func client(
        _ query: String = "", configure: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> WatchedClient {
        try client(url: try world.url(query), configure: configure)
    }

    /// A client whose n-th attempt asks for the n-th query, and later ones for the last.
    func client(
        queries: [String], configure: (inout ClientConfiguration) -> Void
    ) throws -> WatchedClient {
        let urls = try queries.map { try world.url($0) }
        return try client { configuration in
            configuration.request = { attempt in
                let index = Int(clamping: attempt.generation.number) - 1
                return try ConnectionRequest(url: urls[max(0, min(index, urls.count - 1))])
            }
            configure(&configuration)
        }
    }

    /// A client for any URL.
    func client(
        url: WebSocketURL, configure: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> WatchedClient {
        try world.makeClient(url: url) { configuration in
            configuration.heartbeat = .every(interval, timeout: timeout)
            configuration.reconnect = nil
            configuration.connectTimeout = patience
            configuration.closeTimeout = timeout
            configuration.tls = place.tls
            configure(&configuration)
            place.sabotage.configure(&configuration)
        }
    }

    // MARK: Waiting

    /// Waits until `condition` holds.
    ///
    /// - Throws: ``ScenarioFailure`` that says what was waited for and where the client stood, after `limit` or else
    ///   ``patience``.
    func wait(
        _ watched: WatchedClient, for what: String, limit: Duration? = nil,
        until condition: @escaping @Sendable (ClientLog) -> Bool
    ) async throws {
        let limit = limit ?? patience
        let start = world.executor.now()
        // A client that has stopped will not do it any more.
        _ = await watched.log.wait(limit) { condition($0) || $0.hasStopped }
        guard !condition(watched.log) else { return }
        let waited = start.duration(to: world.executor.now())
        let state = await watched.client.state
        let cause = state.cause.map { " (\($0))" } ?? ""
        throw ScenarioFailure(
            "waited \(DurationArgument.text(waited)) for \(what); the client is "
                + "\(JournalEvent.State(state).rawValue)\(cause), its closes are \(words(for: watched))"
        )
    }

    /// Waits until as many connections have ended.
    func waitForCloses(_ count: Int, of watched: WatchedClient) async throws {
        try await wait(watched, for: count == 1 ? "the close" : "close \(count)") {
            $0.closes.count >= count
        }
    }

    /// Connects and waits until the connection is open.
    func open(_ watched: WatchedClient) async throws {
        let before = watched.log.events(.opened).count
        await watched.client.connect()
        try await wait(watched, for: "the opening") { $0.events(.opened).count > before }
    }

    /// Waits for the first ping of a connection.
    func firstPing(
        _ watched: WatchedClient, of generation: Generation
    ) async throws -> JournalEvent {
        try await wait(watched, for: "the first ping of \(generation)") {
            !$0.events(.pingSent, of: generation).isEmpty
        }
        guard let ping = watched.log.events(.pingSent, of: generation).first else {
            throw ScenarioFailure("no ping of \(generation)")
        }
        return ping
    }

    // MARK: Demanding

    /// Demands that `condition` holds; `words` say what was expected and what was seen.
    func demand(_ condition: Bool, _ words: @autoclosure () -> String) throws {
        guard condition else { throw ScenarioFailure(words()) }
    }

    /// Demands that exactly these connections have ended, each once and for this cause.
    func demandCloses(_ expected: [CloseCause.Kind], of watched: WatchedClient) throws {
        let seen = watched.log.closes
        let generations = seen.map(\.generation)
        try demand(
            seen.map(\.cause) == expected && Set(generations).count == generations.count,
            "expected the closes [\(expected.map(\.rawValue).joined(separator: ", "))], each of its own "
                + "connection, saw \(words(for: watched))")
    }

    /// Demands that `what` took `due`, and no longer than ``slack`` beyond it.
    func demand(
        _ what: String, from start: MonotonicInstant, to end: MonotonicInstant, takes due: Duration
    ) throws {
        let taken = start.duration(to: end)
        try demand(
            taken >= due && taken <= due + slack,
            "expected \(what) after \(due), saw it after \(taken)")
    }

    /// Why the client's last connection ended, typed; what stands in the state and not in the journal.
    func cause(of watched: WatchedClient) async throws -> CloseCause {
        guard let cause = await watched.client.state.cause else {
            throw ScenarioFailure("the state tells no cause: \(await watched.client.state)")
        }
        return cause
    }

    /// Demands that nothing that the app can see changes while `action` runs and for `duration` after it.
    func demandNoChange(
        _ watched: WatchedClient, by what: String, for duration: Duration = .zero,
        _ action: () -> Void
    ) async throws {
        let before = (Visible(watched.log), await watched.client.state)
        action()
        await world.sleep(for: duration)
        let after = (Visible(watched.log), await watched.client.state)
        try demand(
            before == after,
            "expected \(what) to change nothing, saw \(before.0) become \(after.0), "
                + "\(JournalEvent.State(before.1).rawValue) become \(JournalEvent.State(after.1).rawValue)"
        )
    }

    /// The closes in words.
    func words(for watched: WatchedClient) -> String {
        let closes = watched.log.closes.map { "\($0.generation) \($0.text)" }
        return "[\(closes.joined(separator: ", "))]"
    }
}

/// What of a client the app can see, as counts.
private struct Visible: Hashable, CustomStringConvertible {
    let changes: Int
    let closes: Int
    let pings: Int
    let messages: Int

    init(_ log: ClientLog) {
        changes = log.events(.stateChanged).count
        closes = log.closes.count
        pings = log.events(.pingSent).count
        messages = log.messages.count
    }

    var description: String {
        "\(changes) changes of state, \(closes) closes, \(pings) pings, \(messages) messages"
    }
}

extension ClientLog.Close {
    /// The cause with the number that goes with it.
    var text: String { number.map { "\(cause.rawValue) \($0)" } ?? cause.rawValue }
}

extension ClientLog {
    /// Whether the client's last change of state was its stop.
    var hasStopped: Bool { journal.last { $0.kind == .stateChanged }?.newState == .stopped }
}
