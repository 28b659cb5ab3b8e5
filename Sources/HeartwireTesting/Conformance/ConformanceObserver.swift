import HeartwireProtocol
import HeartwireSession

/// Writes down what one transport reports, and notices what no transport may do (promises T1, T5).
///
/// Lives in the domain, which is what makes `@unchecked Sendable` true.
final class ConformanceObserver: TransportObserver, @unchecked Sendable {
    private let generation: Generation
    private let executor: any SessionExecutor
    /// What was reported, without progress and ends of batches.
    private(set) var reports: [TransportReport] = []
    /// The messages among them.
    private(set) var messages: [Message] = []
    /// What the server chose.
    private(set) var opened: OpenedConnection?
    /// Why it ended.
    private(set) var cause: CloseCause?
    /// What should never have happened.
    private(set) var faults: [String] = []
    /// Whether the transport is in the middle of a call from the session.
    var isInCall = false
    /// Whether the transport was dropped.
    var isAborted = false
    /// Called with each report, from within it.
    var onReport: ((TransportReport) -> Void)?
    /// Called behind each report.
    var changed: () -> Void = {}
    private var pongs: Set<PingID> = []

    init(_ generation: Generation, executor: any SessionExecutor) {
        self.generation = generation
        self.executor = executor
    }

    private func note(_ generation: Generation, _ report: TransportReport) {
        check(generation, report.name)
        reports.append(report)
        onReport?(report)
        changed()
    }

    private func check(_ generation: Generation, _ name: String) {
        if !executor.isCurrent { faults.append("\(name) was reported outside of the domain") }
        if isInCall { faults.append("\(name) was reported from within a call") }
        if isAborted { faults.append("\(name) was reported after abort()") }
        if cause != nil { faults.append("\(name) was reported after the end") }
        if generation != self.generation {
            faults.append("\(name) was reported for \(generation), not for \(self.generation)")
        }
    }

    private func checkOpen(_ name: String) {
        if opened == nil { faults.append("\(name) was reported before the opening") }
    }

    func transportProgressed(_ generation: Generation, _ phase: ConnectPhase) {
        check(generation, "progress")
    }

    func transportOpened(_ generation: Generation, _ opened: OpenedConnection) {
        if self.opened != nil { faults.append("the opening was reported twice") }
        self.opened = opened
        note(generation, .opened)
    }

    func transportReceived(_ generation: Generation, _ message: Message) {
        checkOpen("a message")
        messages.append(message)
        note(generation, .message(message))
    }

    func transportFinishedBatch(_ generation: Generation) {
        check(generation, "the end of a batch")
    }

    func transportReceivedPing(_ generation: Generation, payload: [UInt8]) {
        checkOpen("a ping")
        note(generation, .ping)
    }

    func transportReceivedPong(_ generation: Generation, _ id: PingID) {
        checkOpen("a pong")
        if !pongs.insert(id).inserted { faults.append("the pong for \(id) was reported twice") }
        note(generation, .pong(id))
    }

    func transportBecameWritable(_ generation: Generation) {
        checkOpen("room")
        note(generation, .writable)
    }

    func transportClosed(_ generation: Generation, _ cause: CloseCause) {
        note(generation, .closed(cause))
        self.cause = cause
        changed()
    }
}

extension TransportReport {
    /// What was reported, without what it carries.
    fileprivate var name: String {
        switch self {
        case .progressed: "progress"
        case .opened: "the opening"
        case .message: "a message"
        case .ping: "a ping"
        case .pong: "a pong"
        case .writable: "room"
        case .closed: "the end"
        }
    }
}
