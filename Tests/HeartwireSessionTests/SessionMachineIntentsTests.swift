import HeartwireProtocol
import Testing

@testable import HeartwireSession

@Suite("SessionMachine: what the app wants")
struct SessionMachineIntentsTests {
    let configuration = SessionConfiguration(
        heartbeat: nil, connectTimeout: .seconds(30), closeTimeout: .seconds(5))
    let byApp = CloseCause.closedByApp(sent: nil, answer: nil)
    let disconnect = SessionEvent.disconnectRequested(code: 1000, reason: "bye")

    @Test("R5: connect asks for a request; two connects make one connection")
    func connectTwice() {
        var machine = SessionMachine(configuration, seed: 1)
        #expect(
            machine.handle(.connectRequested, now: at(0)) == [
                .publish(.connecting(g1, attempt: 0)), .askForRequest(g1, attempt: 0),
            ])
        #expect(machine.nextDeadline == at(30_000))
        #expect(machine.handle(.connectRequested, now: at(10)).isEmpty)
        _ = machine.handle(.requestProvided(g1), now: at(20))
        #expect(machine.handle(.connectRequested, now: at(20)).isEmpty)
        _ = machine.handle(.transportOpened(g1), now: at(30))
        #expect(machine.handle(.connectRequested, now: at(40)).isEmpty)
        #expect(machine.state == .open(g1))
        #expect(machine.staleEvents == 0)
    }

    @Test("R5: a disconnect before any connect stops, once")
    func disconnectIdle() {
        var machine = SessionMachine(configuration, seed: 1)
        #expect(machine.handle(disconnect, now: at(0)) == [.publish(.stopped(.disconnected(nil)))])
        #expect(machine.handle(disconnect, now: at(0)).isEmpty)
        #expect(machine.nextDeadline == nil)
    }

    @Test("R5: a disconnect while connecting drops the attempt at once", arguments: [false, true])
    func disconnectConnecting(hasRequest: Bool) {
        var machine = SessionMachine(configuration, seed: 1)
        _ = machine.handle(.connectRequested, now: at(0))
        if hasRequest { _ = machine.handle(.requestProvided(g1), now: at(5)) }
        #expect(
            machine.handle(disconnect, now: at(10)) == [
                .abortTransport(g1), .connectionEnded(g1, byApp),
                .publish(.stopped(.disconnected(byApp))),
            ])
        #expect(machine.nextDeadline == nil)
        for event in stampedEvents(g1) {
            #expect(machine.handle(event, now: at(20)).isEmpty)
        }
    }

    @Test("R5: a disconnect while open begins a closing handshake that is bounded")
    func disconnectOpen() {
        var machine = openMachine(configuration)
        #expect(
            machine.handle(disconnect, now: at(10)) == [
                .closeTransport(g1, code: 1000, reason: "bye"), .publish(.closing(g1)),
            ])
        #expect(machine.nextDeadline == at(5_010))
        #expect(machine.handle(disconnect, now: at(20)).isEmpty)
        #expect(machine.nextDeadline == at(5_010), "a second disconnect does not extend it")
        #expect(machine.handle(.timerFired(g1), now: at(5_009)).isEmpty)
        let cause = CloseCause.closedByApp(sent: 1000, answer: nil)
        #expect(
            machine.handle(.timerFired(g1), now: at(5_010)) == [
                .abortTransport(g1), .connectionEnded(g1, cause),
                .publish(.stopped(.disconnected(cause))),
            ])
        #expect(machine.handle(disconnect, now: at(5_020)).isEmpty)
    }

    @Test("R5: a disconnect while waiting stops without a cause: no connection was ended by it")
    func disconnectWaiting() {
        var machine = openMachine(configuration)
        _ = machine.handle(.transportClosed(g1, .heartbeatTimeout), now: at(10))
        #expect(machine.handle(disconnect, now: at(20)) == [.publish(.stopped(.disconnected(nil)))])
        #expect(machine.nextDeadline == nil)
        #expect(machine.handle(.timerFired(g2), now: at(100_000)).isEmpty)
    }

    @Test("R5: a connect behind a close is remembered and begins when the close is through")
    func connectClosing() {
        var machine = openMachine(configuration)
        _ = machine.handle(disconnect, now: at(10))
        #expect(machine.handle(.connectRequested, now: at(20)).isEmpty)
        #expect(machine.state == .closing(g1))
        let answer = PeerClose(code: 1000)
        #expect(
            machine.handle(.transportClosed(g1, .closedByPeer(answer)), now: at(30)) == [
                .connectionEnded(g1, .closedByApp(sent: 1000, answer: answer)),
                .publish(.connecting(g2, attempt: 0)), .askForRequest(g2, attempt: 0),
            ])
        #expect(machine.nextDeadline == at(30_030))
    }

    @Test("R5: a later disconnect takes the remembered connect back")
    func connectTakenBack() {
        var machine = openMachine(configuration)
        _ = machine.handle(disconnect, now: at(10))
        _ = machine.handle(.connectRequested, now: at(20))
        #expect(machine.handle(disconnect, now: at(25)).isEmpty)
        _ = machine.handle(.timerFired(g1), now: at(5_010))
        #expect(machine.state == .stopped(.disconnected(.closedByApp(sent: 1000, answer: nil))))
    }

    @Test("R5: a connect during a wait goes ahead at once, as the attempt that was waited for")
    func connectWaiting() {
        var machine = openMachine(configuration)
        _ = machine.handle(.transportClosed(g1, .heartbeatTimeout), now: at(10))
        #expect(
            machine.handle(.connectRequested, now: at(20)) == [
                .publish(.connecting(g2, attempt: 1)), .askForRequest(g2, attempt: 1),
            ])
    }

    @Test("R5: a connect after a stop begins anew")
    func connectStopped() {
        var machine = openMachine(configuration)
        _ = machine.handle(.transportClosed(g1, .heartbeatTimeout), now: at(10))
        _ = machine.handle(.connectRequested, now: at(20))
        _ = machine.handle(disconnect, now: at(30))
        #expect(
            machine.handle(.connectRequested, now: at(40)) == [
                .publish(.connecting(g3, attempt: 0)), .askForRequest(g3, attempt: 0),
            ])
    }

    @Test("L2: a probe asks an open connection for a sign of life, and else nobody")
    func probe() throws {
        for (name, fresh) in SessionMachineTests.phases() where name != "waiting" {
            var machine = fresh
            let effects = machine.handle(.probeRequested, now: at(70))
            #expect(effects == (name == "open" ? [.sendPing(g2, ping1)] : []), "\(name)")
            #expect(machine.state == fresh.state)
        }
        var idle = SessionMachine(configuration, seed: 1)
        #expect(idle.handle(.probeRequested, now: at(0)).isEmpty)
        var silent = openMachine(configuration)
        #expect(silent.handle(.probeRequested, now: at(0)).isEmpty, "the pulse is not taken")
    }

    @Test("R6: a probe cuts a wait short, debounced by the spacing to the unit")
    func wake() throws {
        var machine = openMachine(
            SessionConfiguration(
                heartbeat: nil, reconnect: try steadyPolicy(), wakeSpacing: .seconds(30)))
        lose(&machine, g1, at: 0)
        #expect(machine.handle(.probeRequested, now: at(500)).count == 2)
        #expect(machine.state == .connecting(g2, attempt: 1))
        _ = machine.handle(.requestFailed(g2, "no network"), now: at(600))
        #expect(machine.handle(.probeRequested, now: at(700)).isEmpty)
        _ = machine.handle(.timerFired(g3), now: at(2_600))
        _ = machine.handle(.requestFailed(g3, "no network"), now: at(29_000))
        #expect(machine.nextDeadline == at(33_000))
        #expect(machine.handle(.probeRequested, now: at(30_499)).isEmpty)
        #expect(machine.handle(.probeRequested, now: at(30_500)).count == 2)
    }

    @Test("R6, K03-07: a wait that the server asked for is not cut short, but by the app's connect")
    func wakeImposed() throws {
        var machine = openMachine(configuration)
        let refusal = Refusal(status: 503, headers: ["Retry-After": "60"])
        _ = machine.handle(.transportClosed(g1, .refused(refusal)), now: at(0))
        #expect(machine.nextDeadline == at(60_000))
        #expect(machine.handle(.probeRequested, now: at(10)).isEmpty)
        #expect(machine.handle(.connectRequested, now: at(20)).count == 2)
    }

    @Test("L1: what the app wants of a suspended session is remembered or left, and begins nothing")
    func suspended() throws {
        var machine = openMachine(configuration)
        _ = machine.handle(.suspendRequested, now: at(0))
        #expect(machine.handle(.fenceRequested, now: at(1)).isEmpty)
        lose(&machine, g1, at: 2)
        #expect(machine.handle(.probeRequested, now: at(3)).isEmpty)
        #expect(machine.handle(.connectRequested, now: at(4)).isEmpty)
        #expect(machine.handle(disconnect, now: at(5)) == [.publish(.stopped(.disconnected(nil)))])
        #expect(!machine.isSuspended)
        _ = machine.handle(.suspendRequested, now: at(6))
        #expect(
            machine.handle(.connectRequested, now: at(7)) == [.publish(.suspended(cause: nil))])
    }

    @Test("K02-12: a heartbeat that was switched off can be switched on again")
    func switchHeartbeat() throws {
        var machine = openMachine(SessionConfiguration(heartbeat: try pulse(1_000, 500)))
        #expect(machine.handle(.timerFired(g1), now: at(1_000)) == [.sendPing(g1, ping1)])
        #expect(machine.handle(.heartbeatChanged(nil), now: at(1_100)).isEmpty)
        #expect(machine.nextDeadline == nil)
        #expect(machine.handle(.pongReceived(g1, ping1), now: at(1_200)).isEmpty)
        #expect(machine.handle(.timerFired(g1), now: at(4_000)).isEmpty)
        let again = try pulse(1_000, 500)
        #expect(machine.handle(.heartbeatChanged(again), now: at(4_100)).isEmpty)
        #expect(machine.configuration.heartbeat == again)
        #expect(machine.nextDeadline == at(5_100))
        #expect(machine.handle(.timerFired(g1), now: at(5_100)) == [.sendPing(g1, ping2)])
        _ = machine.handle(.pongReceived(g1, ping2), now: at(5_110))
        #expect(machine.handle(.timerFired(g1), now: at(6_110)) == [.sendPing(g1, ping3)])
    }

    @Test(
        "H14: new heartbeat settings hold at once, also during a pause, and for later connections")
    func changeHeartbeat() throws {
        var machine = openMachine(configuration)
        _ = machine.handle(.readingPaused(g1), now: at(10))
        _ = machine.handle(.heartbeatChanged(try pulse(100, 50)), now: at(20))
        #expect(machine.nextDeadline == nil, "nothing is read, so nothing is judged")
        #expect(machine.handle(.readingResumed(g1), now: at(30)).isEmpty)
        #expect(machine.nextDeadline == at(120))
        lose(&machine, g1, at: 40)
        _ = machine.handle(.heartbeatChanged(try pulse(300, 50)), now: at(50))
        _ = machine.handle(.connectRequested, now: at(60))
        _ = machine.handle(.requestProvided(g2), now: at(60))
        _ = machine.handle(.transportOpened(g2), now: at(60))
        #expect(machine.nextDeadline == at(360))
    }

    @Test("H14: settings that cannot hold fail or end at once instead of hanging")
    func negativeTimeouts() {
        var machine = SessionMachine(
            SessionConfiguration(connectTimeout: .seconds(-1), closeTimeout: .zero), seed: 1)
        _ = machine.handle(.connectRequested, now: at(0))
        let effects = machine.handle(.timerFired(g1), now: at(0))
        #expect(effects.contains(.connectionEnded(g1, .connectTimeout(.request))))
    }

    func lose(_ machine: inout SessionMachine, _ generation: Generation, at milliseconds: Int) {
        let lost = CloseCause.connectionLost(ConnectionFailure(.reset))
        _ = machine.handle(.transportClosed(generation, lost), now: at(milliseconds))
    }
}
