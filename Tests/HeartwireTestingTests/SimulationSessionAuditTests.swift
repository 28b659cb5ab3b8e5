import HeartwireSession
import Testing

@testable import Heartwire
@testable import HeartwireTesting

/// An audit and what it found.
private struct Book {
    let executor = VirtualExecutor()
    let auditor: SimulationAuditor
    let audit: SimulationSessionAudit

    init(probeTime: Duration = .zero) {
        auditor = SimulationAuditor(executor, trace: nil)
        audit = SimulationSessionAudit(auditor, life: 1, probeTime: probeTime)
    }

    var rules: [SimulationViolation.Rule] { auditor.violations.map(\.rule) }

    func hear(
        _ kind: JournalEvent.Kind, _ generation: UInt64 = 1, cause: CloseCause.Kind? = nil
    ) {
        audit.heard(
            JournalEvent(
                time: executor.now(), generation: Generation(generation), kind: kind,
                oldState: audit.state, newState: audit.state, cause: cause))
    }

    func enter(_ state: JournalEvent.State, from old: JournalEvent.State? = nil) {
        audit.heard(
            JournalEvent(
                time: .origin, generation: Generation(1), kind: .stateChanged,
                oldState: old ?? audit.state, newState: state))
    }

    /// A whole connection.
    func live(_ generation: UInt64) {
        hear(.requestAsked, generation)
        hear(.opened, generation)
        hear(.closed, generation, cause: .connectionLost)
    }
}

@Suite("SimulationSessionAudit")
struct SimulationSessionAuditTests {
    @Test("G4: connections that begin, open and end once, one after the other, break no rule")
    func lawful() {
        let book = Book()
        book.live(1)
        book.live(2)
        book.audit.finish()
        #expect(book.rules == [])
        #expect(book.audit.attempts == 2 && book.audit.openings == 2 && book.audit.current == nil)
    }

    @Test("G4: a second end, an end of another connection and an end without a cause are seen")
    func secondEnd() {
        let book = Book()
        book.live(1)
        book.hear(.closed, 1, cause: .connectionLost)
        #expect(book.rules == [.oneCause])
        let other = Book()
        other.hear(.requestAsked, 2)
        other.hear(.closed, 1, cause: .connectionLost)
        #expect(other.rules == [.oneCause])
        let mute = Book()
        mute.hear(.requestAsked, 1)
        mute.hear(.closed, 1)
        #expect(mute.rules == [.oneCause])
    }

    @Test("G4: a connection that opens twice, or never ends, or is overtaken by the next is seen")
    func neverEnded() {
        let book = Book()
        book.hear(.requestAsked, 1)
        book.hear(.opened, 1)
        book.hear(.opened, 1)
        #expect(book.rules == [.oneCause])
        book.audit.finish()
        #expect(book.rules == [.oneCause, .oneCause])
        book.hear(.requestAsked, 2)
        #expect(book.rules == [.oneCause, .oneCause, .oneCause])
    }

    @Test("H7: a generation that comes again or goes back is seen")
    func generations() {
        let book = Book()
        book.live(2)
        book.live(2)
        book.live(1)
        #expect(book.rules == [.increasingGenerations, .increasingGenerations])
    }

    @Test("a state that may not follow, or is told from another, is seen")
    func states() {
        let book = Book()
        book.enter(.connecting)
        book.enter(.open)
        book.enter(.closing)
        book.enter(.stopped)
        #expect(book.rules == [])
        book.enter(.open)
        #expect(book.rules == [.lawfulStates])
        book.enter(.waiting, from: .connecting)
        #expect(book.rules == [.lawfulStates, .lawfulStates])
    }

    @Test("the app sees each state in order, from where it begins to look")
    func seen() {
        let book = Book()
        for state in [JournalEvent.State.connecting, .open, .waiting] { book.enter(state) }
        book.audit.seen(.open)
        book.audit.seen(.waiting)
        #expect(book.rules == [])
        book.audit.seen(.connecting)
        #expect(book.rules == [.lawfulStates])
        book.enter(.connecting)
        book.audit.seen(.open)
        #expect(book.rules == [.lawfulStates, .lawfulStates])
    }

    @Test("G1, G3: a report of a connection that is over may be turned away and nothing else")
    func stale() {
        let book = Book()
        book.live(1)
        book.audit.tell(Generation(1), isAgain: false) { book.hear(.stale, 1) }
        #expect(book.rules == [])
        book.audit.tell(Generation(1), isAgain: false) { book.hear(.pongReceived, 1) }
        #expect(book.rules == [.staleReport])
        book.hear(.pongReceived, 1)
        #expect(book.rules == [.staleReport])
    }

    @Test("H9: a report that comes twice changes no state")
    func again() {
        let book = Book()
        book.hear(.requestAsked, 1)
        book.audit.tell(Generation(1), isAgain: true) { book.hear(.progressed, 1) }
        #expect(book.rules == [])
        book.audit.tell(Generation(1), isAgain: true) { book.enter(.connecting) }
        #expect(book.rules == [.staleReport])
    }

    @Test("H3: one ping is out; a probe or a change of the settings lets another take its place")
    func pings() {
        let (book, first) = (Book(), Generation(1))
        book.hear(.requestAsked, 1)
        book.audit.pinged(first, PingID(1))
        book.audit.ponged(first, PingID(1))
        book.audit.pinged(first, PingID(2))
        book.hear(.checkRequested, 1)
        book.audit.pinged(first, PingID(3))
        #expect(book.rules == [] && book.audit.replacedPings == [first: 1])
        book.audit.pinged(first, PingID(4))
        #expect(book.rules == [.onePing])
    }

    @Test(
        "L3, H3: the probe for paths that have changed takes a ping's place in its time"
    )
    func probe() {
        let (book, first) = (Book(probeTime: .seconds(2)), Generation(1))
        book.hear(.requestAsked, 1)
        book.hear(.pathChanged, 1)
        book.audit.pinged(first, PingID(1))
        book.executor.advance(by: .seconds(2))
        book.audit.pinged(first, PingID(2))
        #expect(book.rules == [] && book.audit.isPingOut)
        book.executor.advance(by: .nanoseconds(1))
        book.audit.pinged(first, PingID(3))
        #expect(book.rules == [.onePing])
    }

    @Test("H3: the pong of an older ping or connection makes no room for another ping")
    func wrongPong() {
        let (book, first) = (Book(), Generation(1))
        book.hear(.requestAsked, 1)
        book.audit.pinged(first, PingID(1))
        book.audit.ponged(first, PingID(7))
        book.audit.ponged(Generation(2), PingID(1))
        book.audit.pinged(first, PingID(2))
        #expect(book.rules == [.onePing])
    }

    @Test("G2: a ping on a connection that is over is seen")
    func latePing() {
        let book = Book()
        book.live(1)
        book.audit.pinged(Generation(1), PingID(1))
        #expect(book.rules == [.onePing])
    }

    @Test("R5: a line that is opened while nobody connects is seen")
    func line() {
        let book = Book()
        book.audit.connecting()
        #expect(book.rules == [.nothingAfterStop])
        book.enter(.connecting)
        book.audit.connecting()
        #expect(book.rules.count == 1)
    }
}

@Suite("SimulationAuditor")
struct SimulationAuditorTests {
    @Test("lines and bytes make up the digest, in order")
    func digest() {
        func digest(_ lines: [String], bytes: [UInt8]) -> UInt64 {
            let auditor = SimulationAuditor(VirtualExecutor(), trace: nil)
            for line in lines { auditor.note(line) }
            bytes.withUnsafeBytes { auditor.note($0) }
            #expect(auditor.lines == lines.count)
            return auditor.digest.value
        }
        #expect(digest(["a", "b"], bytes: []) != digest(["b", "a"], bytes: []))
        #expect(digest(["a"], bytes: [1]) != digest(["a"], bytes: [2]))
        #expect(digest(["a"], bytes: [1]) == digest(["a"], bytes: [1]))
    }

    @Test("violations carry their time, and only the first of many are kept")
    func violations() {
        let executor = VirtualExecutor()
        var traced: [String] = []
        let auditor = SimulationAuditor(executor) { traced.append($0) }
        executor.advance(by: .milliseconds(1_500))
        for number in 0..<40 { auditor.violated(.order, "number \(number)") }
        #expect(auditor.violations.count == SimulationAuditor.violationLimit)
        #expect(auditor.violations.first?.description == "order at 1500 ms: number 0")
        #expect(traced.first == "{\"t_ns\":1500000000,\"violated\":\"order\"}")
    }

    @Test("what the world does has a line of its own")
    func world() {
        var traced: [String] = []
        let auditor = SimulationAuditor(VirtualExecutor()) { traced.append($0) }
        auditor.note("kill", life: 2, number: 7)
        #expect(traced == ["{\"t_ns\":0,\"life\":2,\"world\":\"kill\",\"number\":7}"])
    }

    @Test("alarms ring in their time, and none after the end")
    func alarms() {
        let executor = VirtualExecutor()
        let alarms = SimulationAlarms(executor)
        var rung: [Int] = []
        executor.perform {
            alarms.after(.seconds(2)) { rung.append(2) }
            alarms.after(.seconds(1)) { rung.append(1) }
            alarms.after(.seconds(9)) { rung.append(9) }
        }
        executor.advance(by: .seconds(5))
        #expect(rung == [1, 2])
        executor.perform {
            alarms.cancelAll()
            alarms.after(.zero) { rung.append(0) }
        }
        #expect(executor.pendingTimers == 0)
        executor.advance(by: .seconds(60))
        #expect(rung == [1, 2])
    }
}
