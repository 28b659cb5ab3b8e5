import Foundation
import HeartwireProtocol
import Testing

@testable import HeartwireSession

/// How deep the explorer goes: what takes a second or two in a debug build. `make explore` goes deeper.
private let depth =
    ProcessInfo.processInfo.environment["HEARTWIRE_EXPLORE_DEPTH"].flatMap { Int($0) } ?? 6

@Suite("Explorer: every interleaving of two consecutive connections")
struct ExplorerTests {
    /// What leads to where little happens within a few steps from the beginning.
    static let preludes: [[SessionEvent]] = {
        let opening: [SessionEvent] = [
            .connectRequested, .requestProvided(g1), .transportOpened(g1),
        ]
        let ended = opening + [.transportClosed(g1, Explorer.lost)]
        let close = SessionEvent.disconnectRequested(code: 1000, reason: "")
        return [
            opening + [.probeRequested], opening + [close, .connectRequested],
            ended + [.connectRequested, .requestProvided(g2)], opening + [.suspendRequested],
            opening + [.pathChanged(.usable)], ended + [.pathChanged(.usable)],
        ]
    }()

    private func expectNothing(_ explorer: Explorer) {
        if let finding = explorer.finding { Issue.record("\(finding.broken)\n\(finding.source)") }
        #expect(explorer.transitions > 10 * explorer.states, "everything was tried everywhere")
    }

    @Test("G6, D2, D3, D5: every interleaving of two consecutive connections keeps the invariants")
    func exhaustive() throws {
        var explorer = Explorer()
        explorer.explore(try ExploredSession(), depth: depth)
        expectNothing(explorer)
        #expect(explorer.depth == depth || explorer.isComplete)
        print(
            "explorer: \(explorer.states) states, \(explorer.transitions) transitions, every sequence"
                + " of \(explorer.depth) steps\(explorer.isComplete ? "; no state is left" : "")")
    }

    @Test("G6: so does every interleaving from deep within a session", arguments: preludes)
    func deeper(prelude: [SessionEvent]) throws {
        var explorer = Explorer()
        explorer.explore(try ExploredSession(), after: prelude.map { .tell($0) }, depth: 3)
        expectNothing(explorer)
        #expect(explorer.states > 100, "the explorer went somewhere")
    }

    @Test(
        "G6, D2, D5: so does every one in which the outbox holds one message and reads the others back"
    )
    func window() throws {
        var window = OutboxWindow()
        window.count = 1
        let prelude: [ExplorerStep] = [
            .deliver, .deliver, .store(succeeds: true), .store(succeeds: true),
            .tell(.connectRequested), .tell(.requestProvided(g1)),
        ]
        var explorer = Explorer()
        explorer.explore(try ExploredSession(window: window), after: prelude, depth: 5)
        expectNothing(explorer)
        #expect(explorer.states > 100, "the explorer went somewhere")
    }

    @Test("G6: a stale event that passes is found by the shortest sequence, written as a test")
    func findsStaleEvent() throws {
        var explorer = Explorer()
        explorer.explore(try ExploredSession(fault: .staleEndPasses), depth: 8)
        #expect(
            explorer.finding?.source == #"""
                @Test("G6: a stale event changed something")
                func found() throws {
                    var session = try ExploredSession()
                    #expect(session.take(.tell(.connectRequested), at: at(0)) == nil)
                    #expect(session.take(.tell(.disconnectRequested(code: 1000, reason: "")), at: at(0)) == nil)
                    #expect(session.take(.tell(.connectRequested), at: at(0)) == nil)
                    #expect(session.take(.tell(.requestProvided(Generation(2))), at: at(0)) == nil)
                    #expect(session.take(.tell(.transportClosed(Generation(1), Explorer.lost)), at: at(0)) == nil)
                }
                """#)
    }

    @Test("G6: what was printed fails where the fault is, and holds where it is not")
    func printedSequence() throws {
        for fault in [nil, PlantedFault.staleEndPasses] {
            var session = try ExploredSession(fault: fault)
            #expect(session.take(.tell(.connectRequested), at: at(0)) == nil)
            #expect(
                session.take(.tell(.disconnectRequested(code: 1000, reason: "")), at: at(0)) == nil)
            #expect(session.take(.tell(.connectRequested), at: at(0)) == nil)
            #expect(session.take(.tell(.requestProvided(Generation(2))), at: at(0)) == nil)
            let last = session.take(
                .tell(.transportClosed(Generation(1), Explorer.lost)), at: at(0))
            #expect(last == (fault == nil ? nil : "a stale event changed something"))
        }
    }

    @Test(
        "G6, D3: a confirmation without a fence is found",
        arguments: [
            PlantedFault.stalePongConfirms, .fenceDrawnLate,
        ])
    func findsFalseConfirmation(fault: PlantedFault) throws {
        let prelude: [ExplorerStep] = [
            .tell(.connectRequested), .tell(.disconnectRequested(code: 1000, reason: "")),
            .tell(.connectRequested), .tell(.requestProvided(g2)), .tell(.transportOpened(g2)),
        ]
        var explorer = Explorer()
        explorer.explore(try ExploredSession(fault: fault), after: prelude, depth: 6)
        #expect(explorer.finding?.broken == "confirmed what was not fenced")
        #expect(explorer.finding?.moves.count == prelude.count + 5)
    }

    @Test("G6: states that differ in when and how often things happened before are one")
    func sameState() throws {
        let opening: [ExplorerStep] = [
            .tell(.connectRequested), .tell(.requestProvided(g1)), .tell(.transportOpened(g1)),
        ]
        var (early, late) = (try ExploredSession(), try ExploredSession())
        for step in opening {
            #expect(early.take(step, at: at(0)) == nil)
            #expect(late.take(step, at: at(40)) == nil)
        }
        #expect(fingerprint(early) == fingerprint(late))
        #expect(early.take(.tell(.readingPaused(g1)), at: at(0)) == nil)
        #expect(late.take(.tell(.readingPaused(g1)), at: at(41)) == nil)
        #expect(fingerprint(early) != fingerprint(late), "the rest goes on from elsewhere")
    }

    private func fingerprint(_ session: ExploredSession) -> StateFingerprint {
        StateReader(session, now: session.now).fingerprint
    }

    @Test("G6: no field of a machine is forgotten where states are told apart")
    func fields() throws {
        let machine = openMachine(try ExploredSession.configuration())
        guard case .open(let open) = machine.phase, let heartbeat = open.heartbeat else {
            Issue.record("the machine is not open")
            return
        }
        #expect(
            labels(machine) == [
                "settings", "generation", "staleEvents", "phase", "suspendedSince",
                "nextDeadline", "admittedKinds", "admitsSend", "row", "lastPing", "lastWake",
                "random",
            ])
        #expect(labels(machine.row) == ["attempt", "hasRefreshed"])
        #expect(
            labels(open) == ["stableAt", "heartbeat", "fence", "isReadingPaused", "probesAt"])
        #expect(labels(heartbeat) == ["configuration", "generation", "lastPing", "state"])
        let waiting = SessionMachine.Waiting(
            until: at(0), delay: .zero, cause: Explorer.lost, isImposed: false)
        #expect(labels(waiting) == ["until", "delay", "cause", "isImposed", "wakesAt"])
        let suspended = SessionMachine.Suspended(wait: waiting, isWanted: false)
        #expect(labels(suspended) == ["wait", "isWanted"])
        let closing = SessionMachine.Closing(sent: nil, deadline: at(0), reconnects: false)
        #expect(labels(closing) == ["sent", "deadline", "reconnects"])
        let connecting = SessionMachine.Connecting(
            deadline: at(0), progress: .request, hasRequest: false)
        #expect(labels(connecting) == ["deadline", "progress", "hasRequest"])
        var outbox = Outbox()
        try outbox.fill("a")
        #expect(
            labels(outbox) == [
                "bounds", "confirmation", "window", "generation", "count", "bytes", "lastID",
                "slots", "head", "cursor", "sessionBound", "held", "firstAbsent", "reading",
                "lastWritten", "fence",
            ])
        let entry = try #require(outbox.slots.first?.entry)
        #expect(
            labels(entry) == [
                "takenIn", "contents", "state", "isSessionBound", "isPossibleDuplicate",
            ])
    }

    private func labels(_ value: Any) -> [String?] {
        Mirror(reflecting: value).children.map(\.label)
    }
}
