import HeartwireProtocol
import Testing

@testable import HeartwireSession

@Suite("SessionMachine: the gate and the effects")
struct SessionMachineTests {
    static let configuration = SessionConfiguration()

    /// A machine in each phase, all with generation 2 and the past of generation 1.
    static func phases() -> [(name: String, machine: SessionMachine)] {
        var waiting = openMachine(configuration)
        _ = waiting.handle(.transportClosed(g1, .heartbeatTimeout), now: at(10))
        var requesting = waiting
        _ = requesting.handle(.connectRequested, now: at(20))
        var dialing = requesting
        _ = dialing.handle(.requestProvided(g2), now: at(30))
        var open = dialing
        _ = open.handle(.transportOpened(g2), now: at(40))
        var closing = open
        _ = closing.handle(.disconnectRequested(code: 1000, reason: "bye"), now: at(50))
        var stopped = closing
        _ = stopped.handle(.transportClosed(g2, .heartbeatTimeout), now: at(60))
        return [
            ("waiting", waiting), ("requesting", requesting), ("dialing", dialing),
            ("open", open), ("closing", closing), ("stopped", stopped),
        ]
    }

    @Test("D1: a message may be sent while open, and neither before nor after")
    func sending() {
        for (name, machine) in Self.phases() {
            #expect(machine.admitsSend == (name == "open"), "\(name)")
        }
    }

    @Test("G1, G2, G3: in every phase an event of any other generation changes nothing")
    func staleEvents() {
        for (name, fresh) in Self.phases() {
            #expect(fresh.generation == g2, "\(name)")
            var machine = fresh
            var told = 0
            for stamp in [.none, g1, g3, Generation(.max)] as [Generation] {
                for event in stampedEvents(stamp) {
                    for now in [0, 70, 1_000_000] {
                        let effects = machine.handle(event, now: at(now))
                        #expect(effects.isEmpty, "\(name): \(event)")
                        told += 1
                    }
                }
            }
            #expect(machine.state == fresh.state, "\(name)")
            #expect(machine.nextDeadline == fresh.nextDeadline, "\(name)")
            #expect(machine.generation == g2, "\(name)")
            #expect(machine.staleEvents == fresh.staleEvents + told, "\(name)")
        }
    }

    @Test("G1, H8: in every phase an event of the right generation but the wrong kind is stale")
    func wrongPhase() {
        let lawful: [String: SessionEvent.Kind] = [
            "waiting": [.timer], "requesting": [.request, .timer],
            "dialing": [.opening, .end, .timer], "open": [.pulse, .end, .timer],
            "closing": [.end, .timer], "stopped": [],
        ]
        for (name, fresh) in Self.phases() {
            for event in stampedEvents(g2) {
                var machine = fresh
                let effects = machine.handle(event, now: at(70))
                let isLawful = lawful[name]?.contains(event.kind) == true
                #expect(machine.staleEvents == fresh.staleEvents + (isLawful ? 0 : 1), "\(name)")
                guard !isLawful else { continue }
                #expect(effects.isEmpty, "\(name): \(event)")
                #expect(machine.state == fresh.state, "\(name): \(event)")
                #expect(machine.nextDeadline == fresh.nextDeadline, "\(name): \(event)")
            }
        }
    }

    @Test("R5: what the app wants is never stale, whatever the phase")
    func intentsAreNeverStale() {
        for (name, fresh) in Self.phases() {
            for intent in intents {
                var machine = fresh
                _ = machine.handle(intent, now: at(70))
                #expect(machine.staleEvents == fresh.staleEvents, "\(name): \(intent)")
            }
        }
    }

    @Test("G1: before the first connection nothing of a connection counts")
    func idle() {
        var machine = SessionMachine(seed: 1)
        for event in stampedEvents(.none) + stampedEvents(g1) {
            #expect(machine.handle(event, now: at(0)).isEmpty)
        }
        #expect(machine.state == .idle)
        #expect(machine.nextDeadline == nil)
        #expect(machine.generation == .none)
        #expect(machine.staleEvents == 20)
    }

    @Test("G1: messages are admitted while open and closing, and only of this connection")
    func messages() {
        for (name, fresh) in Self.phases() {
            var machine = fresh
            let isAdmitted = machine.admitsMessage(from: g2)
            #expect(isAdmitted == ["open", "closing"].contains(name), "\(name)")
            for stamp in [.none, g1, g3] as [Generation] {
                let isStaleAdmitted = machine.admitsMessage(from: stamp)
                #expect(!isStaleAdmitted, "\(name)")
            }
            #expect(machine.staleEvents == fresh.staleEvents + (isAdmitted ? 3 : 4), "\(name)")
            #expect(machine.state == fresh.state)
        }
    }

    @Test("G2: an effect is permitted only for the current connection and in its phase")
    func permits() throws {
        let acts: (Generation) -> [String: SessionEffect] = { stamp in
            [
                "requesting": .askForRequest(stamp, attempt: 1), "dialing": .openTransport(stamp),
                "closing": .closeTransport(stamp, code: 1000, reason: "bye"),
            ]
        }
        for (name, machine) in Self.phases() {
            for stamp in [g1, g2, g3] {
                for (phase, effect) in acts(stamp) {
                    let expected = phase == name && stamp == g2
                    #expect(machine.permits(effect) == expected, "\(name): \(effect)")
                }
                #expect(!machine.permits(.sendPing(stamp, ping1)), "no ping was asked for yet")
            }
            #expect(machine.permits(.publish(.open(g1))), "what was may always be told")
            #expect(machine.permits(.connectionEnded(g1, .heartbeatTimeout)))
        }
    }

    @Test("G2: an old abort never hits the current connection; one that has ended can be dropped")
    func permitsAborts() {
        for (name, machine) in Self.phases() {
            let isLive = !["waiting", "stopped"].contains(name)
            #expect(machine.permits(.abortTransport(g1)), "\(name)")
            #expect(machine.permits(.abortTransport(g2)) == !isLive, "\(name)")
        }
    }

    @Test("L1: a suspended session says so, admits no fence, and turns the timer away")
    func suspended() {
        for (name, fresh) in Self.phases() {
            var machine = fresh
            #expect(!machine.isSuspended)
            _ = machine.handle(.suspendRequested, now: at(70))
            #expect(machine.isSuspended)
            #expect(!machine.admitsFence)
            #expect(machine.nextDeadline == nil)
            if name == "waiting" { #expect(machine.state == .suspended(cause: .heartbeatTimeout)) }
            let stale = machine.staleEvents
            #expect(machine.handle(.timerFired(g2), now: at(90_000)).isEmpty)
            #expect(machine.staleEvents == stale + 1, "\(name)")
            _ = machine.handle(.resumeRequested, now: at(100))
            #expect(!machine.isSuspended)
        }
    }

    @Test("G2, H9: a ping may go out only while its own pong is awaited")
    func permitsPings() throws {
        var machine = openMachine(SessionConfiguration(heartbeat: try pulse()))
        #expect(machine.handle(.timerFired(g1), now: at(100)) == [.sendPing(g1, ping1)])
        #expect(machine.permits(.sendPing(g1, ping1)))
        #expect(!machine.permits(.sendPing(g2, ping1)))
        #expect(machine.handle(.probeRequested, now: at(150)) == [.sendPing(g1, ping2)])
        #expect(!machine.permits(.sendPing(g1, ping1)))
        #expect(machine.permits(.sendPing(g1, ping2)))
        _ = machine.handle(.disconnectRequested(code: 1000, reason: ""), now: at(160))
        #expect(!machine.permits(.sendPing(g1, ping2)))
    }

    @Test("G4: of two ends of one connection the first decides and the second is stale")
    func twoEnds() {
        let lost = CloseCause.connectionLost(ConnectionFailure(.reset))
        var machine = openMachine(Self.configuration)
        let effects = machine.handle(.transportClosed(g1, lost), now: at(10))
        #expect(effects.first == .connectionEnded(g1, lost))
        #expect(machine.handle(.transportClosed(g1, .heartbeatTimeout), now: at(10)).isEmpty)
        #expect(machine.staleEvents == 1)
    }

    @Test("G3: a wait has a generation of its own, which becomes that of the next attempt")
    func generationOfAWait() {
        var machine = openMachine(Self.configuration)
        _ = machine.handle(.transportClosed(g1, .heartbeatTimeout), now: at(10))
        #expect(machine.generation == g2)
        #expect(machine.state.generation == nil)
        let effects = machine.handle(.timerFired(g2), now: at(60_000))
        #expect(
            effects == [.publish(.connecting(g2, attempt: 1)), .askForRequest(g2, attempt: 1)])
    }

    @Test("G3: a generation that was only waited for is not used again")
    func unusedGeneration() {
        var machine = openMachine(Self.configuration)
        _ = machine.handle(.transportClosed(g1, .heartbeatTimeout), now: at(10))
        _ = machine.handle(.disconnectRequested(code: nil, reason: ""), now: at(20))
        #expect(machine.handle(.timerFired(g2), now: at(60_000)).isEmpty)
        let effects = machine.handle(.connectRequested, now: at(60_000))
        #expect(effects.last == .askForRequest(g3, attempt: 0))
    }

    @Test("H12: the worked sequence holds through the session machine")
    func workedSequence() throws {
        let policy = ReconnectPolicy(
            backoff: try Backoff(base: .milliseconds(100), factor: 1, jitter: .none))
        var machine = openMachine(
            SessionConfiguration(heartbeat: try pulse(100, 1000), reconnect: policy))
        #expect(machine.nextDeadline == at(100))
        #expect(machine.handle(.timerFired(g1), now: at(99)).isEmpty)
        #expect(machine.handle(.timerFired(g1), now: at(100)) == [.sendPing(g1, ping1)])
        #expect(machine.handle(.timerFired(g1), now: at(1099)).isEmpty)
        #expect(machine.handle(.pongReceived(g1, ping1), now: at(1100)).isEmpty)
        let first = machine.handle(.timerFired(g1), now: at(1100))
        #expect(
            first.prefix(2) == [.abortTransport(g1), .connectionEnded(g1, .heartbeatTimeout)])

        _ = machine.handle(.timerFired(g2), now: at(1200))
        #expect(machine.handle(.transportOpened(g1), now: at(1200)).isEmpty)
        #expect(machine.state == .connecting(g2, attempt: 1))
        _ = machine.handle(.requestProvided(g2), now: at(1300))
        #expect(machine.handle(.transportOpened(g2), now: at(2000)) == [.publish(.open(g2))])
        #expect(machine.handle(.timerFired(g2), now: at(2100)) == [.sendPing(g2, ping2)])
        #expect(machine.handle(.pongReceived(g1, ping2), now: at(2150)).isEmpty)
        #expect(machine.nextDeadline == at(3100))
        let second = machine.handle(.timerFired(g2), now: at(3100))
        #expect(
            second.prefix(2) == [.abortTransport(g2), .connectionEnded(g2, .heartbeatTimeout)])

        _ = machine.handle(.timerFired(g3), now: at(3200))
        _ = machine.handle(.requestProvided(g3), now: at(3300))
        #expect(machine.handle(.transportOpened(g3), now: at(4000)) == [.publish(.open(g3))])
        #expect(machine.handle(.timerFired(g3), now: at(4100)) == [.sendPing(g3, ping3)])
        #expect(machine.handle(.pongReceived(g3, ping3), now: at(4200)).isEmpty)
        #expect(machine.handle(.timerFired(g3), now: at(4299)).isEmpty)
        #expect(machine.handle(.timerFired(g3), now: at(4300)) == [.sendPing(g3, PingID(4))])
    }
}
