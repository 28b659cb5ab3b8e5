import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import HeartwireURLSession

/// A task that does what a test says, which may be wrong in every way that Foundation's was seen to be.
final class ScriptedTask: NativeTask {
    /// What was asked of it.
    enum Call: Equatable {
        case begin, receive(Int), ping(PingID), close(PeerClose), release, drop
        case send(Message)
    }

    let inbox: NativeInbox
    private(set) var calls: [Call] = []
    private(set) var slots: [SendLedger.Slot] = []
    /// What it tells from within a call, for tests of that.
    var answer: (Call) -> NativeEvent? = { _ in nil }

    init(_ inbox: NativeInbox) {
        self.inbox = inbox
    }

    private func note(_ call: Call) {
        calls.append(call)
        if let event = answer(call) { inbox.tell(event) }
    }

    func begin() { note(.begin) }
    func send(_ message: Message, slot: SendLedger.Slot) {
        slots.append(slot)
        note(.send(message))
    }
    func receive(_ number: Int) { note(.receive(number)) }
    func ping(_ id: PingID) { note(.ping(id)) }
    func close(_ code: CloseCode?, reason: String) {
        note(.close(PeerClose(code: code, reason: reason)))
    }
    func release() { note(.release) }
    func drop() { note(.drop) }
}

/// A transport over a scripted task, in virtual time, and what it reported.
final class TaskRig {
    static let generation = Generation(5)
    static let lost = NativeFault.failure(ConnectionFailure(.reset))

    let executor = VirtualExecutor()
    let observer = TaskObserver()
    let transport: URLSessionTransport
    private let made = Made()

    /// The task is made when the transport opens.
    private final class Made {
        var task: ScriptedTask?
    }

    init(limits: Limits = Limits(), refusing: ConnectionFailure? = nil) {
        let made = made
        transport = URLSessionTransport(
            Self.generation, limits: limits, executor: executor, observer: observer
        ) { inbox in
            if let refusing { return .failure(refusing) }
            let task = ScriptedTask(inbox)
            made.task = task
            return .success(task)
        }
    }

    /// A rig whose transport is open and waits for its first message.
    static func open(limits: Limits = Limits()) throws -> TaskRig {
        let rig = TaskRig(limits: limits)
        rig.perform { $0.open() }
        try rig.tell(.opened(subprotocol: nil))
        #expect(rig.observer.reports == [.opened(nil)])
        rig.observer.reports = []
        return rig
    }

    var hasTask: Bool { made.task != nil }
    var task: ScriptedTask { get throws { try #require(made.task) } }

    /// Does something to the transport in the domain; nothing may be reported from within.
    func perform<Failure: Error>(
        _ body: (URLSessionTransport) throws(Failure) -> Void
    ) throws(Failure) {
        let known = observer.reports.count
        try executor.perform { () throws(Failure) in
            try body(transport)
            #expect(observer.reports.count == known, "something was reported from within")
        }
        executor.runUntilIdle()
    }

    /// Has the task tell something, in the domain or from another thread.
    func tell(_ events: NativeEvent..., elsewhere: Bool = false) throws {
        let inbox = try task.inbox
        if elsewhere {
            for event in events { inbox.tell(event) }
        } else {
            executor.perform { for event in events { inbox.tell(event) } }
        }
        executor.runUntilIdle()
    }

    /// Answers the newest question for a message.
    func deliver(_ result: Result<Message, NativeFault>) throws {
        let number = try task.calls.reduce(0) { if case .receive(let n) = $1 { n } else { $0 } }
        try tell(.received(number, result))
    }

    /// Whatever the task still tells, nothing is reported and nothing is left.
    func checkOver(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let known = observer.reports
        let inbox = try task.inbox
        let slots = try task.slots
        for elsewhere in [false, true] {
            try tell(
                .opened(subprotocol: "late"), .ponged(PingID(1), nil),
                .ponged(PingID(1), Self.lost),
                .peerClosed(PeerClose(code: 1001)),
                .completed(Self.lost, answer: nil, peerClose: nil), elsewhere: elsewhere)
            for number in 0...9 {
                try tell(.received(number, .success(.text("late"))), elsewhere: elsewhere)
                try tell(.received(number, .failure(Self.lost)), elsewhere: elsewhere)
            }
            for slot in slots { try tell(.sent(slot, nil), .sent(slot, Self.lost)) }
        }
        #expect(throws: SendError.closed, sourceLocation: sourceLocation) {
            try executor.perform { _ = try transport.send(.text("late")) }
        }
        perform {
            $0.ping(PingID(9))
            $0.close(1_000, reason: "")
            $0.setReading(false)
            $0.setReading(true)
            $0.open()
        }
        executor.advance(by: .seconds(60))
        #expect(observer.reports == known, sourceLocation: sourceLocation)
        #expect(observer.closed.count <= 1, sourceLocation: sourceLocation)
        #expect(executor.pendingTimers == 0, sourceLocation: sourceLocation)
        #expect(try task.calls.contains(.drop), sourceLocation: sourceLocation)
        _ = inbox
    }
}

/// What a transport reported.
enum TaskReport: Equatable {
    case opened(String?), message(Message), batch, pong(PingID), writable, closed(CloseCause)
}

final class TaskObserver: TransportObserver {
    var reports: [TaskReport] = []
    var progress: [ConnectPhase] = []
    var onReport: ((TaskReport) -> Void)?

    var events: [TaskReport] { reports.filter { $0 != .batch } }
    var closed: [CloseCause] {
        reports.compactMap { if case .closed(let cause) = $0 { cause } else { nil } }
    }

    private func note(_ generation: Generation, _ report: TaskReport) {
        #expect(generation == TaskRig.generation)
        reports.append(report)
        onReport?(report)
    }

    func transportProgressed(_ generation: Generation, _ phase: ConnectPhase) {
        progress.append(phase)
    }
    func transportOpened(_ generation: Generation, _ opened: OpenedConnection) {
        note(generation, .opened(opened.subprotocol))
    }
    func transportReceived(_ generation: Generation, _ message: Message) {
        note(generation, .message(message))
    }
    func transportFinishedBatch(_ generation: Generation) { note(generation, .batch) }
    func transportReceivedPing(_ generation: Generation, payload: [UInt8]) {
        Issue.record("Foundation tells of no ping")
    }
    func transportReceivedPong(_ generation: Generation, _ id: PingID) {
        note(generation, .pong(id))
    }
    func transportBecameWritable(_ generation: Generation) { note(generation, .writable) }
    func transportClosed(_ generation: Generation, _ cause: CloseCause) {
        note(generation, .closed(cause))
    }
}
