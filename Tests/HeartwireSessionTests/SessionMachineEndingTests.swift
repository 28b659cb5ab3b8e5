import HeartwireProtocol
import Testing

@testable import HeartwireSession

@Suite("SessionMachine: how connections end and what follows")
struct SessionMachineEndingTests {
    let lost = CloseCause.connectionLost(ConnectionFailure(.reset))

    @Test("R1: a lost connection is followed by a wait and then by the next attempt")
    func wait() throws {
        var machine = openMachine(
            SessionConfiguration(heartbeat: nil, reconnect: try steadyPolicy()))
        #expect(
            machine.handle(.transportClosed(g1, lost), now: at(10)) == [
                .connectionEnded(g1, lost),
                .publish(.waiting(attempt: 1, delay: .seconds(1), cause: lost)),
            ])
        #expect(machine.nextDeadline == at(1_010))
        #expect(machine.handle(.timerFired(g2), now: at(1_009)).isEmpty)
        #expect(machine.handle(.timerFired(g2), now: at(1_010)).count == 2)
    }

    @Test("L2: a connection that failed a probe is replaced at once, but only first in its row")
    func atOnce() throws {
        var machine = openMachine(
            SessionConfiguration(heartbeat: nil, reconnect: try steadyPolicy()))
        _ = machine.end(.heartbeatTimeout, aborts: true, atOnce: true, at(0))
        #expect(machine.state == .waiting(attempt: 1, delay: .zero, cause: .heartbeatTimeout))
        _ = machine.handle(.timerFired(g2), now: at(0))
        _ = machine.end(.heartbeatTimeout, aborts: true, atOnce: true, at(0))
        #expect(
            machine.state == .waiting(attempt: 2, delay: .seconds(2), cause: .heartbeatTimeout))
    }

    @Test("R1: without a policy a lost connection stops")
    func noPolicy() {
        var machine = openMachine(SessionConfiguration(reconnect: nil))
        #expect(
            machine.handle(.transportClosed(g1, lost), now: at(10)) == [
                .connectionEnded(g1, lost), .publish(.stopped(.refusedToRetry(lost))),
            ])
        #expect(machine.nextDeadline == nil)
    }

    @Test("R1: when the attempts are used up the last cause is stated")
    func exhausted() throws {
        var machine = openMachine(
            SessionConfiguration(heartbeat: nil, reconnect: try steadyPolicy(attempts: 1)))
        _ = machine.handle(.transportClosed(g1, lost), now: at(0))
        _ = machine.handle(.timerFired(g2), now: at(1_000))
        #expect(
            machine.handle(.requestFailed(g2, "no network"), now: at(1_001)) == [
                .connectionEnded(g2, .requestFailed("no network")),
                .publish(.stopped(.attemptsExhausted(.requestFailed("no network")))),
            ])
    }

    @Test("R3: a cause after which the policy stops is stated")
    func stop() {
        var machine = openMachine(SessionConfiguration())
        let cause = CloseCause.closedByPeer(PeerClose(code: 1008, reason: "no"))
        #expect(
            machine.handle(.transportClosed(g1, cause), now: at(0)).last
                == .publish(.stopped(.refusedToRetry(cause))))
    }

    @Test(
        "R3: Retry-After is the least wait, the backoff's delay the floor",
        arguments: [("7", 7_000), ("1", 1_000), ("0", 1_000), ("999999999", 3_600_000)])
    func retryAfter(value: String, milliseconds: Int) throws {
        var machine = openMachine(
            SessionConfiguration(heartbeat: nil, reconnect: try steadyPolicy()))
        let refusal = Refusal(status: 429, headers: ["Retry-After": value])
        _ = machine.handle(.transportClosed(g1, .refused(refusal)), now: at(0))
        #expect(machine.nextDeadline == at(milliseconds))
    }

    @Test("R3: credentials are refreshed once in a row of attempts, then it stops")
    func refresh() throws {
        let unauthorized = CloseCause.refused(Refusal(status: 401))
        var machine = SessionMachine(
            SessionConfiguration(heartbeat: nil, reconnect: try steadyPolicy()), seed: 1)
        _ = machine.handle(.connectRequested, now: at(0))
        _ = machine.handle(.requestProvided(g1), now: at(0))
        _ = machine.handle(.transportClosed(g1, unauthorized), now: at(0))
        #expect(
            machine.state == .waiting(attempt: 1, delay: .seconds(1), cause: unauthorized))
        _ = machine.handle(.timerFired(g2), now: at(1_000))
        _ = machine.handle(.requestProvided(g2), now: at(1_000))
        var again = machine
        _ = again.handle(.transportClosed(g2, unauthorized), now: at(1_001))
        #expect(again.state == .stopped(.refusedToRetry(unauthorized)))

        // A connection that was stable in between makes it a new row.
        _ = machine.handle(.transportOpened(g2), now: at(1_001))
        #expect(machine.nextDeadline == at(6_001))
        let expired = CloseCause.closedByPeer(PeerClose(code: 4401))
        var unstable = machine
        _ = unstable.handle(.transportClosed(g2, expired), now: at(6_000))
        #expect(unstable.state == .stopped(.refusedToRetry(expired)))
        _ = machine.handle(.transportClosed(g2, expired), now: at(6_001))
        #expect(machine.state == .waiting(attempt: 1, delay: .seconds(1), cause: expired))
    }

    @Test("G4: behind our own close the app is the cause; the peer's answer is kept")
    func whileClosing() {
        let answer = PeerClose(code: 1000, reason: "bye")
        let own = CloseCause.closedByApp(sent: nil, answer: nil)
        let told: [(CloseCause, PeerClose?)] = [
            (.closedByPeer(answer), answer), (.closedByApp(sent: 4000, answer: answer), answer),
            (lost, nil), (.protocolViolation(violation), nil), (.heartbeatTimeout, nil),
            (.connectTimeout(.tcp), nil), (.connectFailed(ConnectionFailure(.refused)), nil),
            (.refused(Refusal(status: 500)), nil), (.badHandshake(violation), nil),
            (.requestFailed("no"), nil),
        ]
        for (cause, answer) in told {
            var machine = openMachine(SessionConfiguration())
            _ = machine.handle(.disconnectRequested(code: 4000, reason: ""), now: at(0))
            let expected = CloseCause.closedByApp(sent: 4000, answer: answer)
            #expect(
                machine.handle(.transportClosed(g1, cause), now: at(10)) == [
                    .connectionEnded(g1, expected), .publish(.stopped(.disconnected(expected))),
                ])
        }
        var machine = openMachine(SessionConfiguration())
        _ = machine.handle(.disconnectRequested(code: nil, reason: ""), now: at(0))
        let effects = machine.handle(.transportClosed(g1, lost), now: at(10))
        #expect(effects.first == .connectionEnded(g1, own))
    }

    @Test("R5: a connect that was asked for while closing begins a new row behind the end")
    func connectBehindTheClose() {
        var machine = openMachine(SessionConfiguration())
        _ = machine.handle(.disconnectRequested(code: 1000, reason: ""), now: at(0))
        _ = machine.handle(.connectRequested, now: at(0))
        let effects = machine.handle(.transportClosed(g1, lost), now: at(10))
        #expect(effects.first == .connectionEnded(g1, .closedByApp(sent: 1000, answer: nil)))
        #expect(effects.last == .askForRequest(g2, attempt: 0))
    }

    @Test("G4: an end that the transport puts down to the app without a wish of ours stops")
    func closedByAppUnasked() {
        var machine = openMachine(SessionConfiguration())
        let cause = CloseCause.closedByApp(sent: 1000, answer: nil)
        _ = machine.handle(.transportClosed(g1, cause), now: at(10))
        #expect(machine.state == .stopped(.refusedToRetry(cause)))
    }

    @Test("R1: the same seed replays the same waits, another seed waits otherwise")
    func seeds() {
        func deadline(seed: UInt64) -> MonotonicInstant? {
            var machine = SessionMachine(SessionConfiguration(), seed: seed)
            _ = machine.handle(.connectRequested, now: at(0))
            _ = machine.handle(.requestFailed(g1, "no"), now: at(0))
            return machine.nextDeadline
        }
        #expect(deadline(seed: 1) == deadline(seed: 1))
        #expect(deadline(seed: 1) != deadline(seed: 2))
    }

    @Test("L1: a connection that ends while suspended is followed by no wait before the resume")
    func endWhileSuspended() {
        var machine = openMachine(SessionConfiguration())
        _ = machine.handle(.suspendRequested, now: at(0))
        #expect(
            machine.handle(.transportClosed(g1, .heartbeatTimeout), now: at(10)) == [
                .connectionEnded(g1, .heartbeatTimeout),
                .publish(.suspended(cause: .heartbeatTimeout)),
            ])
        #expect(machine.nextDeadline == nil)
        #expect(machine.generation == g2, "the wait that follows has its own")
    }
}
