import HeartwireProtocol
import HeartwireSession

/// What a case demanded and did not see.
struct ConformanceFailure: Error, CustomStringConvertible {
    /// What was expected and what was seen.
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// One transport under test, and what it reports.
///
/// Lives in the domain, which is what makes `@unchecked Sendable` true.
final class ConformanceConnection: @unchecked Sendable {
    let generation: Generation
    let observer: ConformanceObserver
    private let patience: TransportConformance.Patience
    private let waiters: DomainWaiters
    /// `nil` once it was let go of.
    private(set) var transport: (any Transport)?

    init(
        _ generation: Generation, _ request: ConnectionRequest, _ run: borrowing ConformanceRun
    ) {
        self.generation = generation
        patience = run.patience
        let executor = run.factory.executor
        let waiters = DomainWaiters(executor: executor)
        self.waiters = waiters
        observer = ConformanceObserver(generation, executor: executor)
        observer.changed = { waiters.poke() }
        transport = run.factory.makeTransport(generation, request: request, observer: observer)
    }

    // MARK: Doing

    /// Calls the transport as a session does; nothing may be reported from within.
    func call<Failure: Error>(
        _ body: (any Transport) throws(Failure) -> Void
    ) throws(Failure) {
        guard let transport else { return }
        let wasInCall = observer.isInCall
        observer.isInCall = true
        defer { observer.isInCall = wasInCall }
        try body(transport)
    }

    /// Sends messages, whether there is room or not.
    func send(_ messages: [Message]) throws(SendError) {
        try call { transport throws(SendError) in
            for message in messages { _ = try transport.send(message) }
        }
    }

    /// Drops the connection.
    func abort() {
        call { $0.abort() }
        observer.isAborted = true
    }

    /// Lets go of the transport and gives what tells whether others did, too.
    func letGo() -> () -> Bool {
        weak let transport = transport
        self.transport = nil
        return { transport == nil }
    }

    // MARK: Waiting

    /// Waits until `condition` holds.
    ///
    /// - Throws: ``ConformanceFailure`` that says what was waited for and what was there.
    func wait(
        for what: String, _ condition: @escaping (ConformanceObserver) -> Bool
    ) async throws {
        let observer = observer
        guard await waiters.wait(patience.limit, until: { condition(observer) }) else {
            throw ConformanceFailure("waited \(patience.limit) for \(what); \(seen)")
        }
    }

    /// Begins to connect and waits for the opening.
    func open() async throws {
        call { $0.open() }
        try await wait(for: "the opening") { $0.opened != nil || $0.cause != nil }
        try demand(observer.opened != nil, "expected the opening")
    }

    /// Waits until as many messages have come, or the connection has ended.
    func messages(_ count: Int) async throws -> [Message] {
        try await wait(for: "\(count) messages") { $0.messages.count >= count || $0.cause != nil }
        return observer.messages
    }

    /// Waits for the end.
    func end() async throws -> CloseCause {
        try await wait(for: "the end") { $0.cause != nil }
        guard let cause = observer.cause else { throw ConformanceFailure("no end") }
        return cause
    }

    /// Lets time pass in which nothing has to happen.
    func pause() async {
        await waiters.sleep(for: patience.quiet)
    }

    // MARK: Demanding

    /// Demands that `condition` holds.
    func demand(_ condition: Bool, _ expectation: @autoclosure () -> String) throws {
        guard condition else { throw ConformanceFailure("\(expectation()); \(seen)") }
    }

    /// Demands that nothing is reported for a while.
    func demandQuiet(_ after: String) async throws {
        let known = observer.reports.count
        await pause()
        try demand(
            observer.reports.count == known, "expected no report after \(after)")
    }

    /// Demands an echo, which shows that the connection is alive.
    func demandAlive() async throws {
        let known = observer.messages.count
        try send([.text("alive")])
        let messages = try await messages(known + 1)
        try demand(messages.dropFirst(known) == [.text("alive")], "expected a living connection")
    }

    /// What was reported, in a few words: contents can be long.
    private var seen: String {
        let reports = observer.reports.suffix(6).map { report in
            switch report {
            case .progressed(let phase): phase.rawValue
            case .opened: "opened"
            case .message(.text(let text)): "text of \(text.utf8.count) bytes"
            case .message(.binary(let bytes)): "binary of \(bytes.count) bytes"
            case .ping: "ping"
            case .pong(let id): "pong for \(id)"
            case .writable: "writable"
            case .closed(let cause): "closed (\(cause))"
            }
        }
        let words = reports.isEmpty ? "nothing" : reports.joined(separator: ", ")
        return "saw \(observer.reports.count) reports, at last \(words)"
    }
}
