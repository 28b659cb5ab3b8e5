import Testing

@testable import HeartwireSession

// Sleeps, probes and paused reading.
extension HeartbeatTests {
    @Test(
        "H11: a tick late by the tolerance closes; late by more it asks for one fresh probe",
        arguments: [(2100, false), (2101, true)])
    func lateVerdict(now: Int, probes: Bool) throws {
        var machine = try awaitingPong()
        let action = machine.tick(at: now)
        #expect(action == (probes ? .sendPing(g1, ping2) : .close(g1, .heartbeatTimeout)))
        #expect(machine.nextDeadline == (probes ? now + 1000 : nil))
    }

    @Test("H11: the tolerance can be set, and zero takes any late tick for a sleep")
    func tolerance() throws {
        var strict = try awaitingPong(tolerance: 0)
        var onTime = strict
        #expect(onTime.tick(at: 1100) == .close(g1, .heartbeatTimeout))
        #expect(strict.tick(at: 1101) == .sendPing(g1, ping2))
        var lenient = try awaitingPong(tolerance: 5_000)
        #expect(lenient.tick(at: 6_100) == .close(g1, .heartbeatTimeout))
        var asleep = try awaitingPong(tolerance: 5_000)
        #expect(asleep.tick(at: 6_101) == .sendPing(g1, ping2))
    }

    @Test("H11: a second late tick while the probe is out closes, however late it is")
    func secondSleep() throws {
        var machine = try awaitingPong()
        #expect(machine.tick(at: 50_000) == .sendPing(g1, ping2))
        #expect(machine.tick(at: 50_999) == nil)
        #expect(machine.tick(at: 999_999) == .close(g1, .heartbeatTimeout))
    }

    @Test("H11: a sleep while a ping was due makes that ping the probe")
    func sleepAtRest() throws {
        var machine = try resting()
        #expect(machine.tick(at: 90_000) == .sendPing(g1, ping1))
        #expect(machine.nextDeadline == 91_000)
        #expect(machine.tick(at: 180_000) == .close(g1, .heartbeatTimeout))
    }

    @Test("H11: an answered probe makes the connection as good as new")
    func answeredProbe() throws {
        var machine = try awaitingPong()
        #expect(machine.tick(at: 50_000) == .sendPing(g1, ping2))
        machine.pong(g1, ping1, at: 50_001)
        #expect(machine.awaitedPing == ping2, "a pong from before the sleep is no proof of life")
        machine.pong(g1, ping2, at: 50_010)
        #expect(machine.nextDeadline == 50_110)
        #expect(machine.tick(at: 50_110) == .sendPing(g1, ping3))
        #expect(machine.tick(at: 90_000) == .sendPing(g1, PingID(4)), "the next sleep is forgiven")
    }

    @Test("L2: a probe asks for a fresh ping at once and replaces the one that is out")
    func probe() throws {
        var atRest = try resting()
        #expect(atRest.probe(at: 30) == .sendPing(g1, ping1))
        #expect(atRest.nextDeadline == 1030)

        var machine = try awaitingPong()
        #expect(machine.probe(at: 600) == .sendPing(g1, ping2))
        #expect(machine.nextDeadline == 1600)
        machine.pong(g1, ping1, at: 700)
        #expect(machine.awaitedPing == ping2)
        #expect(machine.tick(at: 1599) == nil)
        #expect(machine.tick(at: 1600) == .close(g1, .heartbeatTimeout))
    }

    @Test("L2, K02-10: a probe has its own short deadline; ordinary pings keep theirs")
    func probeTimeout() throws {
        var machine = try awaitingPong(probeTimeout: 200)
        #expect(machine.nextDeadline == 1100)
        #expect(machine.probe(at: 600) == .sendPing(g1, ping2))
        #expect(machine.nextDeadline == 800)
        var late = machine
        late.pong(g1, ping2, at: 800)
        #expect(late.tick(at: 800) == .close(g1, .heartbeatTimeout))
        machine.pong(g1, ping2, at: 799)
        #expect(machine.tick(at: 899) == .sendPing(g1, ping3))
        #expect(machine.nextDeadline == 1899)
    }

    @Test("L2: a probe is told apart from an ordinary ping while its pong is awaited")
    func isProbing() throws {
        var machine = try awaitingPong()
        #expect(!machine.isProbing)
        #expect(machine.probe(at: 200) == .sendPing(g1, ping2))
        #expect(machine.isProbing)
        machine.pong(g1, ping2, at: 300)
        #expect(!machine.isProbing)
        #expect(machine.tick(at: 90_000) == .sendPing(g1, ping3))
        #expect(machine.isProbing, "so is the ping after a sleep")
    }

    @Test("L2: a probe before the opening does nothing")
    func probeTooEarly() throws {
        var machine = try makeHeartbeat()
        _ = machine.connect()
        #expect(machine.probe(at: 0) == nil)
        #expect(machine.phase == .connecting)
    }

    @Test("T4: while reading is paused no verdict is passed, and a fresh probe decides afterwards")
    func pausedUnderAPing() throws {
        var machine = try awaitingPong()
        machine.readingPaused(g1)
        #expect(machine.nextDeadline == nil)
        #expect(machine.awaitedPing == nil)
        #expect(machine.tick(at: 100_000) == nil)
        machine.pong(g1, ping1, at: 100_000)
        #expect(machine.readingResumed(g1, at: 100_000) == .sendPing(g1, ping2))
        machine.pong(g1, ping1, at: 100_001)
        #expect(machine.awaitedPing == ping2)
        #expect(machine.tick(at: 101_000) == .close(g1, .heartbeatTimeout))
    }

    @Test(
        "T4: a ping that came due during the pause goes out at its end; otherwise the rest goes on",
        arguments: [(99, false), (100, true), (101, true)])
    func pausedAtRest(now: Int, pings: Bool) throws {
        var machine = try resting()
        machine.readingPaused(g1)
        #expect(machine.tick(at: 100) == nil)
        #expect(machine.readingResumed(g1, at: now) == (pings ? .sendPing(g1, ping1) : nil))
        #expect(machine.nextDeadline == (pings ? now + 1000 : 100))
    }

    @Test("T4: a repeated pause keeps what was due, and resuming without a pause does nothing")
    func repeatedPause() throws {
        var machine = try resting()
        #expect(machine.readingResumed(g1, at: 10) == nil)
        #expect(machine.nextDeadline == 100)
        machine.readingPaused(g1)
        machine.readingPaused(g1)
        #expect(machine.readingResumed(g1, at: 20) == nil)
        #expect(machine.nextDeadline == 100)
        #expect(machine.readingResumed(g1, at: 500) == nil)
        #expect(machine.nextDeadline == 100)
    }

    @Test("L2: a probe that is out goes on, so that doubts in a row cannot put its verdict off")
    func probeInARow() throws {
        var machine = try resting(probeTimeout: 200)
        #expect(machine.probe(at: 0) == .sendPing(g1, ping1))
        for now in 1..<200 { #expect(machine.probe(at: now) == nil) }
        #expect(machine.nextDeadline == 200)
        #expect(machine.tick(at: 200) == .close(g1, .heartbeatTimeout))
    }

    @Test("L2, H13: while a probe is out no frame counts, also where frames count")
    func framesUnderAProbe() throws {
        var machine = try makeHeartbeat(countsInboundFrames: true)
        _ = machine.connect()
        machine.opened(g1, at: 0)
        #expect(machine.probe(at: 50) == .sendPing(g1, ping1))
        machine.frameReceived(g1, at: 60)
        #expect(machine.awaitedPing == ping1)
        #expect(machine.tick(at: 1050) == .close(g1, .heartbeatTimeout))
    }

    @Test(
        "L1, L2: a suspended pulse has no deadline, and behind it a fresh probe decides",
        arguments: [false, true])
    func suspended(isAwaiting: Bool) throws {
        var machine = try isAwaiting ? awaitingPong() : resting()
        machine.suspended(g2)
        #expect(machine.nextDeadline != nil, "it is another connection's")
        machine.suspended(g1)
        #expect(machine.nextDeadline == nil)
        #expect(machine.awaitedPing == nil)
        #expect(machine.tick(at: 100_000) == nil)
        #expect(machine.fence(at: 100_000) == nil)
        let fresh = isAwaiting ? ping2 : ping1
        // At this instant the rest of a pause that was none would go on.
        #expect(machine.readingResumed(g1, at: 50) == .sendPing(g1, fresh))
        #expect(machine.isProbing)
        machine.pong(g1, PingID(fresh.number - 1), at: 60)
        #expect(machine.awaitedPing == fresh, "a pong from before is no proof of life")
        machine.pong(g1, fresh, at: 70)
        #expect(machine.nextDeadline == 170)
    }

    @Test("L1: a pulse that is not taken is not suspended")
    func suspendedTooEarly() throws {
        var machine = try makeHeartbeat()
        machine.suspended(.none)
        #expect(machine.phase == .idle)
        _ = machine.connect()
        machine.suspended(g1)
        #expect(machine.phase == .connecting)
    }

    @Test(
        "H4: a verdict is due from the deadline on",
        arguments: [(1099, false), (1100, true), (1101, true)])
    func verdictDue(now: Int, isDue: Bool) throws {
        #expect(try awaitingPong().isVerdictDue(at: now) == isDue)
        #expect(try !resting().isVerdictDue(at: now))
    }

    @Test("L2, T4: a probe that is asked for during a pause goes out at its end")
    func probeDuringAPause() throws {
        var machine = try resting()
        machine.readingPaused(g1)
        #expect(machine.probe(at: 10) == nil)
        #expect(machine.nextDeadline == nil)
        #expect(machine.readingResumed(g1, at: 20) == .sendPing(g1, ping1))
    }

    @Test("T4: frames that count do not end a pause")
    func framesDuringAPause() throws {
        var machine = try makeHeartbeat(countsInboundFrames: true)
        _ = machine.connect()
        machine.opened(g1, at: 0)
        machine.readingPaused(g1)
        machine.frameReceived(g1, at: 10)
        #expect(machine.nextDeadline == nil)
    }

    @Test("H8, H10: a connection can fail and end while reading is paused")
    func endDuringAPause() throws {
        var machine = try awaitingPong()
        machine.readingPaused(g1)
        var failing = machine
        #expect(failing.failed(g1, "reset") == .close(g1, .failure("reset")))
        #expect(failing.readingResumed(g1, at: 500) == nil)
        machine.closed(g1)
        #expect(machine.readingResumed(g1, at: 500) == nil)
        #expect(machine.phase == .closed)
    }

    private func resting(probeTimeout: Int? = nil, tolerance: Int? = nil) throws -> Heartbeat<Int> {
        var machine = try makeHeartbeat(probeTimeout: probeTimeout, tolerance: tolerance)
        _ = machine.connect()
        machine.opened(g1, at: 0)
        return machine
    }

    private func awaitingPong(
        probeTimeout: Int? = nil, tolerance: Int? = nil
    ) throws -> Heartbeat<Int> {
        var machine = try resting(probeTimeout: probeTimeout, tolerance: tolerance)
        #expect(machine.tick(at: 100) == .sendPing(g1, ping1))
        return machine
    }
}
