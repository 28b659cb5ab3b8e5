import HeartwireSession
import Testing

@testable import Heartwire
@testable import HeartwireTesting

/// An audit, what it is told, and what it found.
private final class Book {
    let executor = VirtualExecutor()
    let auditor: SimulationAuditor
    let settings: SimulationClientSettings
    private let audit: SimulationPathAudit
    private var state = JournalEvent.State.idle

    init() {
        auditor = SimulationAuditor(executor, trace: nil)
        settings = SimulationClientSettings(SimulationDice(seed: 1, faults: .none))
        audit = SimulationPathAudit(
            auditor, alarms: SimulationAlarms(executor), settings: settings)
    }

    var rules: [SimulationViolation.Rule] { auditor.violations.map(\.rule) }

    func hear(_ kind: JournalEvent.Kind, cause: CloseCause.Kind? = nil) {
        audit.heard(
            JournalEvent(
                time: executor.now(), generation: Generation(1), kind: kind, oldState: state,
                newState: state, cause: cause))
    }

    func enter(_ next: JournalEvent.State) {
        let event = JournalEvent(
            time: executor.now(), generation: Generation(1), kind: .stateChanged, oldState: state,
            newState: next)
        state = next
        audit.heard(event)
    }

    /// The paths change; `react` is what the client does within the call.
    func tell(
        _ path: NetworkPath = .usable, isPingOut: Bool = false, _ react: () -> Void = {}
    ) {
        executor.perform { audit.told(path, isPingOut: isPingOut, react) }
    }

    func go() { audit.clientIsGone() }

    func pass(_ duration: Duration) { executor.advance(by: duration) }

    /// One unit before anything is looked at.
    func passSettling() { pass(settings.pathSettling) }

    func passMargin() { pass(SimulationPathAudit.margin) }
}

@Suite("SimulationPathAudit")
struct SimulationPathAuditTests {
    private let book = Book()

    @Test(
        "L3: an open connection that is not probed by the time the paths have settled is seen",
        arguments: NetworkPath.allCases)
    func notProbed(path: NetworkPath) {
        book.enter(.open)
        book.tell(path)
        book.passSettling()
        #expect(book.rules == [])
        book.passMargin()
        #expect(book.rules == [.paths])
    }

    @Test("L3: a ping until then is the probe")
    func probed() {
        book.enter(.open)
        book.tell()
        book.passSettling()
        book.hear(.pingSent)
        book.passMargin()
        #expect(book.rules == [])
    }

    @Test("L3: where a ping is out already, its verdict comes first")
    func pingOut() {
        book.enter(.open)
        book.tell(isPingOut: true)
        book.pass(book.settings.heartbeat.timeout)
        book.passSettling()
        #expect(book.rules == [])
        book.passMargin()
        #expect(book.rules == [.paths])
    }

    @Test(
        "L1, L3: nobody is probed who pauses reading, sleeps, beats otherwise or has ended meanwhile",
        arguments: [
            JournalEvent.Kind.readingPaused, .readingResumed, .suspendRequested, .resumeRequested,
            .disconnectRequested, .heartbeatChanged,
        ])
    func excused(kind: JournalEvent.Kind) {
        book.enter(.open)
        book.tell()
        book.hear(kind)
        book.passSettling()
        book.passMargin()
        #expect(book.rules == [])
        book.tell()
        book.enter(.waiting)
        book.pass(.seconds(3_600))
        #expect(book.rules == [])
    }

    @Test("L3: while reading is paused no probe is expected; on the next connection it is again")
    func paused() {
        book.enter(.open)
        book.hear(.readingPaused)
        book.tell()
        book.pass(.seconds(3_600))
        #expect(book.rules == [])
        book.hear(.requestAsked)
        book.enter(.open)
        book.tell()
        book.pass(.seconds(3_600))
        #expect(book.rules == [.paths])
    }

    @Test(
        "R6: a wait that goes on though there is a path is seen, at the first wait when the paths have settled"
    )
    func waitGoesOn() {
        book.hear(.closed, cause: .connectionLost)
        book.enter(.waiting)
        book.tell()
        book.passSettling()
        #expect(book.rules == [])
        book.passMargin()
        #expect(book.rules == [.paths])
    }

    @Test("R6: soon after another wait that was left, it may go on until the spacing is over")
    func spacing() {
        book.enter(.waiting)
        book.enter(.connecting)
        book.enter(.waiting)
        book.tell()
        book.pass(book.settings.wakeSpacing - SimulationPathAudit.margin)
        #expect(book.rules == [])
        book.pass(book.settings.pathSettling)
        book.pass(SimulationPathAudit.margin * 2)
        #expect(book.rules == [.paths])
    }

    @Test("R6: a wait that the server imposed, or whose path is lost again, goes on")
    func waitMayGoOn() {
        book.hear(.closed, cause: .refused)
        book.enter(.waiting)
        book.tell()
        book.pass(.seconds(3_600))
        book.hear(.closed, cause: .connectionLost)
        book.enter(.connecting)
        book.enter(.waiting)
        book.tell()
        book.tell(.unusable)
        book.pass(.seconds(3_600))
        #expect(book.rules == [])
    }

    @Test(
        "L3: where nothing waits and nothing is open nothing is expected",
        arguments: [
            JournalEvent.State.idle, .connecting, .closing, .suspended, .stopped,
        ])
    func nothingExpected(state: JournalEvent.State) {
        book.enter(state)
        for path in NetworkPath.allCases { book.tell(path) }
        book.hear(.pathChanged)
        book.pass(.seconds(3_600))
        #expect(book.rules == [])
    }

    @Test("L3: of a client that is gone nothing is expected")
    func gone() {
        book.enter(.open)
        book.tell()
        book.go()
        book.tell()
        book.pass(.seconds(3_600))
        #expect(book.rules == [])
    }

    @Test("L1: a suspended session that pings, or changes, because of a path is seen")
    func suspended() {
        book.enter(.open)
        book.hear(.suspendRequested)
        book.tell { book.hear(.pathChanged) }
        #expect(book.rules == [])
        book.tell { book.hear(.pingSent) }
        book.tell { book.enter(.waiting) }
        #expect(book.rules == [.paths, .paths])
        book.hear(.pingSent)
        book.hear(.resumeRequested)
        book.tell { book.enter(.connecting) }
        #expect(book.rules == [.paths, .paths])
    }
}
