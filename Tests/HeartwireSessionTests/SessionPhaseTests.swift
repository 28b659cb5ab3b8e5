import HeartwireProtocol
import Testing

@testable import HeartwireSession

@Suite("SessionPhase: what each phase admits and when its time comes")
struct SessionPhaseTests {
    typealias Phase = SessionMachine.Phase

    func connecting(hasRequest: Bool) -> Phase {
        .connecting(.init(deadline: at(30), progress: .request, hasRequest: hasRequest))
    }

    func open(
        stableAt: MonotonicInstant? = nil, heartbeat: Heartbeat<MonotonicInstant>? = nil,
        probesAt: MonotonicInstant? = nil
    ) -> Phase {
        .open(
            .init(
                stableAt: stableAt, heartbeat: heartbeat, isReadingPaused: false,
                probesAt: probesAt))
    }

    let closing = Phase.closing(.init(sent: 1000, deadline: at(40), reconnects: false))
    let waiting = Phase.waiting(
        .init(until: at(50), delay: .seconds(1), cause: .heartbeatTimeout, isImposed: false))
    let suspended = Phase.suspended(.init(wait: nil, isWanted: true))
    let stopped = Phase.stopped(.disconnected(nil))

    @Test("G1: each phase admits the app's intents and what belongs to it")
    func admittedKinds() {
        #expect(Phase.idle.admittedKinds == .intent)
        #expect(connecting(hasRequest: false).admittedKinds == [.intent, .request, .timer])
        #expect(connecting(hasRequest: true).admittedKinds == [.intent, .opening, .end, .timer])
        #expect(open().admittedKinds == [.intent, .pulse, .end, .timer, .message])
        #expect(closing.admittedKinds == [.intent, .end, .timer, .message])
        #expect(waiting.admittedKinds == [.intent, .timer])
        #expect(suspended.admittedKinds == .intent)
        #expect(stopped.admittedKinds == .intent)
    }

    @Test("H11: each phase tells when time alone changes something")
    func nextDeadline() {
        #expect(Phase.idle.nextDeadline == nil)
        #expect(connecting(hasRequest: false).nextDeadline == at(30))
        #expect(closing.nextDeadline == at(40))
        #expect(waiting.nextDeadline == at(50))
        #expect(suspended.nextDeadline == nil)
        #expect(stopped.nextDeadline == nil)
    }

    @Test("R6, H11: a wait that is to be cut short ends then, unless it is over before")
    func nextDeadlineOfAWait() {
        for (wakesAt, due) in [(at(49), at(49)), (at(50), at(50)), (at(51), at(50))] {
            let waiting = Phase.waiting(
                .init(
                    until: at(50), delay: .seconds(1), cause: .heartbeatTimeout, isImposed: false,
                    wakesAt: wakesAt))
            #expect(waiting.nextDeadline == due)
        }
    }

    @Test("H11, R2: an open connection's time is the heartbeat's or the stability's, the earlier")
    func nextDeadlineWhileOpen() throws {
        var heartbeat = Heartbeat<MonotonicInstant>(try pulse(100, 1000))
        heartbeat.connect(as: g1)
        heartbeat.opened(g1, at: at(0))
        #expect(open().nextDeadline == nil)
        #expect(open(stableAt: at(5)).nextDeadline == at(5))
        #expect(open(heartbeat: heartbeat).nextDeadline == at(100))
        #expect(open(stableAt: at(99), heartbeat: heartbeat).nextDeadline == at(99))
        #expect(open(stableAt: at(101), heartbeat: heartbeat).nextDeadline == at(100))
        #expect(open(heartbeat: heartbeat, probesAt: at(99)).nextDeadline == at(99))
        #expect(open(heartbeat: heartbeat, probesAt: at(101)).nextDeadline == at(100))
        #expect(open(probesAt: at(7)).nextDeadline == at(7))
        _ = heartbeat.probe(at: at(20))
        #expect(
            open(heartbeat: heartbeat, probesAt: at(99)).nextDeadline == at(1020),
            "while a probe is out its verdict comes first")
    }

    @Test("R2: a row of attempts begins with none, and with credentials unrefreshed")
    func row() {
        #expect(SessionMachine.Row().attempt == 0)
        #expect(!SessionMachine.Row().hasRefreshed)
    }

    @Test("G4: a connection is live from its beginning to its end")
    func isLive() {
        #expect(connecting(hasRequest: false).isLive)
        #expect(open().isLive)
        #expect(closing.isLive)
        #expect(!Phase.idle.isLive)
        #expect(!waiting.isLive)
        #expect(!suspended.isLive)
        #expect(!stopped.isLive)
    }
}
