import HeartwireProtocol
import Testing

@testable import HeartwireSession

@Suite("SessionMachine: from the request to the last pong")
struct SessionMachineConnectionTests {
    let configuration = SessionConfiguration(heartbeat: nil, connectTimeout: .seconds(30))

    func connecting() -> SessionMachine {
        var machine = SessionMachine(configuration, seed: 1)
        _ = machine.handle(.connectRequested, now: at(0))
        return machine
    }

    @Test("R4: the request is asked for, then the transport opened, once")
    func opening() {
        var machine = connecting()
        #expect(machine.handle(.requestProvided(g1), now: at(10)) == [.openTransport(g1)])
        #expect(machine.handle(.requestProvided(g1), now: at(11)).isEmpty)
        #expect(machine.staleEvents == 1)
        #expect(machine.handle(.connectProgressed(g1, .tcp), now: at(12)).isEmpty)
        #expect(machine.handle(.transportOpened(g1), now: at(20)) == [.publish(.open(g1))])
        #expect(machine.handle(.transportOpened(g1), now: at(21)).isEmpty)
        #expect(machine.staleEvents == 2)
    }

    @Test("R4: a provider that fails ends the attempt; the next one asks anew")
    func requestFailed() {
        var machine = connecting()
        let effects = machine.handle(.requestFailed(g1, "TokenError"), now: at(10))
        #expect(effects.first == .connectionEnded(g1, .requestFailed("TokenError")))
        #expect(effects.count == 2)
        #expect(machine.handle(.requestProvided(g1), now: at(20)).isEmpty)
        #expect(
            machine.handle(.timerFired(g2), now: at(5_000)) == [
                .publish(.connecting(g2, attempt: 1)), .askForRequest(g2, attempt: 1),
            ])
        #expect(machine.handle(.requestProvided(g1), now: at(5_000)).isEmpty, "too late for g1")
    }

    @Test(
        "G4: an attempt that is not open at its deadline is dropped and tells how far it came",
        arguments: [nil] + ConnectPhase.allCases.map(Optional.some))
    func connectTimeout(progress: ConnectPhase?) {
        var machine = connecting()
        if let progress {
            _ = machine.handle(.requestProvided(g1), now: at(10))
            _ = machine.handle(.connectProgressed(g1, progress), now: at(29_999))
        }
        #expect(machine.nextDeadline == at(30_000), "no progress extends it")
        #expect(machine.handle(.timerFired(g1), now: at(29_999)).isEmpty)
        let effects = machine.handle(.timerFired(g1), now: at(30_000))
        let cause = CloseCause.connectTimeout(progress ?? .request)
        #expect(effects.prefix(2) == [.abortTransport(g1), .connectionEnded(g1, cause)])
        #expect(machine.nextDeadline != nil, "and it is retried")
    }

    @Test("G4: a request that was just provided counts as being resolved")
    func resolving() {
        var machine = connecting()
        _ = machine.handle(.requestProvided(g1), now: at(10))
        let effects = machine.handle(.timerFired(g1), now: at(30_000))
        #expect(effects.contains(.connectionEnded(g1, .connectTimeout(.resolving))))
    }

    @Test("H4: an opening at the deadline is too late, as if the timer had come first")
    func lateOpening() {
        var onTime = connecting()
        _ = onTime.handle(.requestProvided(g1), now: at(10))
        var late = onTime
        #expect(onTime.handle(.transportOpened(g1), now: at(29_999)) == [.publish(.open(g1))])
        var timer = late
        let effects = late.handle(.transportOpened(g1), now: at(30_000))
        #expect(effects == timer.handle(.timerFired(g1), now: at(30_000)))
        #expect(effects.first == .abortTransport(g1))
    }

    @Test("H4: so is a request that is provided at the deadline")
    func lateRequest() {
        var machine = connecting()
        let effects = machine.handle(.requestProvided(g1), now: at(30_000))
        #expect(
            effects.prefix(2) == [
                .abortTransport(g1), .connectionEnded(g1, .connectTimeout(.request)),
            ])
    }

    @Test("R5: our Close is waited for until its deadline, to the unit")
    func closeDeadline() {
        var machine = openMachine(configuration)
        _ = machine.handle(.disconnectRequested(code: 1000, reason: ""), now: at(10))
        #expect(machine.handle(.timerFired(g1), now: at(5_009)).isEmpty)
        #expect(machine.handle(.timerFired(g1), now: at(5_010)).first == .abortTransport(g1))
    }

    @Test("R2: the row of attempts ends when the connection was stable, to the unit")
    func stability() throws {
        for (closedAt, attempt) in [(4_999, 2), (5_000, 1), (5_001, 1)] {
            var machine = try secondConnection(stability: .seconds(5))
            #expect(machine.nextDeadline == at(15_000))
            let lost = CloseCause.connectionLost(ConnectionFailure(.reset))
            _ = machine.handle(.transportClosed(g2, lost), now: at(10_000 + closedAt))
            guard case .waiting(let number, _, _) = machine.state else {
                Issue.record("not waiting but \(machine.state)")
                continue
            }
            #expect(number == attempt, "closed \(closedAt) ms after the opening")
        }
    }

    @Test("R2: the timer settles the stability, and then nothing is due any more")
    func stabilityTimer() throws {
        var machine = try secondConnection(stability: .seconds(5))
        #expect(machine.handle(.timerFired(g2), now: at(14_999)).isEmpty)
        #expect(machine.nextDeadline == at(15_000))
        #expect(machine.handle(.timerFired(g2), now: at(15_000)).isEmpty)
        #expect(machine.nextDeadline == nil)
    }

    @Test("R2: without a stability to wait for the row ends on open")
    func noStability() throws {
        for stability in [Duration.zero, .seconds(-1)] {
            let machine = try secondConnection(stability: stability)
            #expect(machine.nextDeadline == nil)
        }
    }

    @Test("R2, H5: when stability and the verdict are due at once, stability comes first")
    func stabilityBeforeVerdict() throws {
        var machine = try secondConnection(
            stability: .seconds(5), heartbeat: try pulse(4_000, 1_000))
        #expect(machine.handle(.timerFired(g2), now: at(14_000)) == [.sendPing(g2, ping1)])
        let effects = machine.handle(.timerFired(g2), now: at(15_000))
        #expect(
            effects.prefix(2) == [.abortTransport(g2), .connectionEnded(g2, .heartbeatTimeout)])
        guard case .waiting(1, _, _) = machine.state else {
            Issue.record("not waiting for attempt 1 but \(machine.state)")
            return
        }
    }

    @Test("H15: on the verdict the connection is aborted at once, never closed gracefully")
    func verdict() throws {
        var machine = openMachine(SessionConfiguration(heartbeat: try pulse(), reconnect: nil))
        _ = machine.handle(.timerFired(g1), now: at(100))
        #expect(
            machine.handle(.timerFired(g1), now: at(1_100)) == [
                .abortTransport(g1), .connectionEnded(g1, .heartbeatTimeout),
                .publish(.stopped(.refusedToRetry(.heartbeatTimeout))),
            ])
    }

    @Test("H11: after a sleep a fresh probe decides")
    func sleep() throws {
        var machine = openMachine(SessionConfiguration(heartbeat: try pulse()))
        _ = machine.handle(.timerFired(g1), now: at(100))
        #expect(machine.handle(.timerFired(g1), now: at(600_000)) == [.sendPing(g1, ping2)])
        #expect(machine.handle(.pongReceived(g1, ping1), now: at(600_001)).isEmpty)
        #expect(machine.nextDeadline == at(601_000))
        _ = machine.handle(.pongReceived(g1, ping2), now: at(600_002))
        #expect(machine.nextDeadline == at(600_102))
    }

    @Test("L2: a connection that fails a probe is replaced at once, without a backoff")
    func failedProbe() throws {
        var machine = openMachine(
            SessionConfiguration(heartbeat: try pulse(), reconnect: try steadyPolicy()))
        #expect(machine.handle(.probeRequested, now: at(50)) == [.sendPing(g1, ping1)])
        let effects = machine.handle(.timerFired(g1), now: at(1_050))
        #expect(
            effects == [
                .abortTransport(g1), .connectionEnded(g1, .heartbeatTimeout),
                .publish(.waiting(attempt: 1, delay: .zero, cause: .heartbeatTimeout)),
            ])
        #expect(machine.nextDeadline == at(1_050))
        #expect(machine.handle(.timerFired(g2), now: at(1_050)).count == 2)
    }

    @Test("L2: within a row of failing attempts a failed probe does not defeat the backoff")
    func failedProbeInARow() throws {
        var machine = try secondConnection(stability: .seconds(60), heartbeat: try pulse())
        #expect(machine.handle(.probeRequested, now: at(10_050)) == [.sendPing(g2, ping1)])
        _ = machine.handle(.timerFired(g2), now: at(11_050))
        #expect(
            machine.state == .waiting(attempt: 2, delay: .seconds(2), cause: .heartbeatTimeout))
    }

    @Test("T4: a slow consumer never makes a healthy connection look dead")
    func pausedReading() throws {
        var machine = openMachine(SessionConfiguration(heartbeat: try pulse()))
        _ = machine.handle(.timerFired(g1), now: at(100))
        #expect(machine.handle(.readingPaused(g1), now: at(200)).isEmpty)
        #expect(machine.nextDeadline == nil)
        #expect(machine.handle(.timerFired(g1), now: at(60_000)).isEmpty)
        #expect(machine.handle(.readingResumed(g1), now: at(60_000)) == [.sendPing(g1, ping2)])
        #expect(machine.nextDeadline == at(61_000))
    }

    @Test("T4: pausing is nothing special where no pulse is taken")
    func pausedWithoutHeartbeat() {
        var machine = openMachine(configuration)
        #expect(machine.handle(.readingPaused(g1), now: at(10)).isEmpty)
        #expect(machine.handle(.readingResumed(g1), now: at(20)).isEmpty)
        #expect(machine.state == .open(g1))
    }

    @Test("H13: a frame counts as life only where the settings say so", arguments: [false, true])
    func frames(counts: Bool) throws {
        var machine = openMachine(
            SessionConfiguration(heartbeat: try pulse(countsInboundFrames: counts)))
        _ = machine.handle(.timerFired(g1), now: at(100))
        #expect(machine.handle(.frameReceived(g1), now: at(500)).isEmpty)
        #expect(machine.nextDeadline == at(counts ? 600 : 1_100))
    }

    @Test(
        "L2: a connection that is lost while a probe doubts it is replaced at once, and only by being lost",
        arguments: [(true, true, true), (true, false, false), (false, true, false)])
    func lostUnderAProbe(isProbing: Bool, isLost: Bool, isAtOnce: Bool) throws {
        var machine = openMachine(SessionConfiguration(reconnect: try steadyPolicy()))
        _ = machine.handle(.timerFired(g1), now: at(6_000))
        if isProbing { #expect(machine.handle(.probeRequested, now: at(6_000)).count == 1) }
        let cause: CloseCause =
            isLost
            ? .connectionLost(ConnectionFailure(.reset)) : .closedByPeer(PeerClose(code: 1001))
        let effects = machine.handle(.transportClosed(g1, cause), now: at(6_001))
        let delay: Duration = isAtOnce ? .zero : .seconds(1)
        #expect(effects.last == .publish(.waiting(attempt: 1, delay: delay, cause: cause)))
    }

    @Test("L1: a connection that opens while suspended is not judged by any time")
    func openWhileSuspended() throws {
        var machine = SessionMachine(
            SessionConfiguration(reconnect: try steadyPolicy()), seed: 1)
        _ = machine.handle(.connectRequested, now: at(0))
        _ = machine.handle(.suspendRequested, now: at(10))
        // Long after the deadline of the attempt.
        #expect(machine.handle(.requestProvided(g1), now: at(90_000)) == [.openTransport(g1)])
        #expect(machine.handle(.transportOpened(g1), now: at(95_000)) == [.publish(.open(g1))])
        #expect(machine.nextDeadline == nil)
        #expect(machine.handle(.readingPaused(g1), now: at(96_000)).isEmpty)
        #expect(machine.handle(.readingResumed(g1), now: at(97_000)).isEmpty)
        #expect(machine.nextDeadline == nil)
        #expect(
            machine.handle(.resumeRequested, now: at(98_000)) == [.sendPing(g1, ping1)],
            "a connection that opened while nobody watched is in doubt too")
    }

    @Test("R6: a wait that is to be cut short goes ahead at that instant, to the unit")
    func wakeOfAWait() throws {
        var machine = openMachine(
            SessionConfiguration(
                heartbeat: nil,
                reconnect: ReconnectPolicy(
                    backoff: try Backoff(base: .seconds(100), jitter: .none))))
        _ = machine.handle(.transportClosed(g1, .heartbeatTimeout), now: at(0))
        _ = machine.handle(.pathChanged(.usable), now: at(10))
        #expect(machine.nextDeadline == at(510))
        #expect(machine.handle(.timerFired(g2), now: at(509)).isEmpty)
        #expect(machine.handle(.timerFired(g2), now: at(510)).count == 2)
        #expect(machine.state == .connecting(g2, attempt: 1))
    }

    @Test("G1: behind the gate every step looks at the phase again and does nothing in a wrong one")
    func wrongPhases() {
        var machine = SessionMachine(configuration, seed: 1)
        #expect(machine.takeRequest(at(0)).isEmpty)
        #expect(machine.note(.tcp).isEmpty)
        #expect(machine.open(at(0)).isEmpty)
        #expect(machine.timerFired(at(0)).isEmpty)
        #expect(machine.pauseReading(at(0)).isEmpty)
        #expect(machine.resumeReading(at(0)).isEmpty)
        #expect(machine.beat(at(0)) { $0.tick(at: at(0)) }.isEmpty)
        #expect(machine.state == .idle)
        var waiting = SessionMachineTests.phases()[0].machine
        #expect(waiting.timerFired(at(10)).isEmpty, "not due yet")
    }

    /// A machine whose first attempt failed and whose second is open since 10 s.
    func secondConnection(
        stability: Duration, heartbeat: Heartbeat<MonotonicInstant>.Configuration? = nil
    ) throws -> SessionMachine {
        var policy = try steadyPolicy()
        policy.stability = stability
        var machine = SessionMachine(
            SessionConfiguration(heartbeat: heartbeat, reconnect: policy), seed: 1)
        _ = machine.handle(.connectRequested, now: at(0))
        _ = machine.handle(.requestFailed(g1, "no network"), now: at(0))
        _ = machine.handle(.timerFired(g2), now: at(1_000))
        _ = machine.handle(.requestProvided(g2), now: at(1_000))
        _ = machine.handle(.transportOpened(g2), now: at(10_000))
        #expect(machine.state == .open(g2))
        return machine
    }
}
