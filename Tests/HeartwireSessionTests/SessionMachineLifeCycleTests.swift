import HeartwireProtocol
import Testing

@testable import HeartwireSession

@Suite("SessionMachine: sleep, the background and the network's paths")
struct SessionMachineLifeCycleTests {
    let lost = CloseCause.connectionLost(ConnectionFailure(.reset))
    let disconnect = SessionEvent.disconnectRequested(code: 1000, reason: "")

    /// A probe has 200 ms, a ping 1 s; the first wait is 100 s, so that what cuts it short is seen.
    func configuration(
        interval: Int = 5_000, countsInboundFrames: Bool = false
    ) throws -> SessionConfiguration {
        SessionConfiguration(
            heartbeat: try .init(
                interval: .milliseconds(interval), timeout: .milliseconds(1_000),
                probeTimeout: .milliseconds(200), countsInboundFrames: countsInboundFrames),
            reconnect: ReconnectPolicy(
                backoff: try Backoff(base: .seconds(100), jitter: .none), stability: .seconds(3)))
    }

    /// Lost at the origin of time, so waiting until 100 s.
    func waitingMachine() throws -> SessionMachine {
        var machine = openMachine(try configuration())
        _ = machine.handle(.transportClosed(g1, lost), now: at(0))
        #expect(machine.nextDeadline == at(100_000))
        return machine
    }

    // MARK: Every phase

    @Test(
        "L1: in every phase a suspended session has no timer, and the timer that was set is turned away"
    )
    func noTimer() {
        for (name, fresh) in SessionMachineTests.phases() {
            var machine = fresh
            _ = machine.handle(.suspendRequested, now: at(70))
            #expect(machine.isSuspended, "\(name)")
            #expect(machine.nextDeadline == nil, "\(name)")
            let (state, stale) = (machine.state, machine.staleEvents)
            for now in [70, 10_000_000] {
                #expect(machine.handle(.timerFired(machine.generation), now: at(now)).isEmpty)
            }
            #expect(machine.staleEvents == stale + 2, "\(name)")
            #expect(machine.state == state, "\(name)")
        }
    }

    @Test("L1: what a suspend does in each phase")
    func suspend() {
        let cut = CloseCause.closedByApp(sent: 1000, answer: nil)
        let expected: [String: [SessionEffect]] = [
            "waiting": [.publish(.suspended(cause: .heartbeatTimeout))],
            "closing": [
                .abortTransport(g2), .connectionEnded(g2, cut),
                .publish(.stopped(.disconnected(cut))),
            ],
        ]
        for (name, fresh) in SessionMachineTests.phases() {
            var machine = fresh
            #expect(
                machine.handle(.suspendRequested, now: at(70)) == expected[name] ?? [], "\(name)")
            #expect(machine.handle(.suspendRequested, now: at(80)).isEmpty, "\(name), again")
        }
        var idle = SessionMachine(seed: 1)
        #expect(idle.handle(.suspendRequested, now: at(0)).isEmpty)
        #expect(idle.state == .idle)
    }

    @Test("L2: what a resume does in each phase, and that a second one does nothing")
    func resume() {
        let expected: [String: [SessionEffect]] = [
            "waiting": [.publish(.connecting(g2, attempt: 1)), .askForRequest(g2, attempt: 1)],
            "open": [.sendPing(g2, ping1)],
        ]
        for (name, fresh) in SessionMachineTests.phases() {
            var machine = fresh
            #expect(machine.handle(.resumeRequested, now: at(70)).isEmpty, "\(name), not suspended")
            _ = machine.handle(.suspendRequested, now: at(70))
            #expect(
                machine.handle(.resumeRequested, now: at(600)) == expected[name] ?? [], "\(name)")
            #expect(!machine.isSuspended)
            let deadline = machine.nextDeadline
            #expect(machine.handle(.resumeRequested, now: at(700)).isEmpty, "\(name), again")
            #expect(machine.nextDeadline == deadline, "\(name), again")
        }
        var idle = SessionMachine(seed: 1)
        _ = idle.handle(.suspendRequested, now: at(0))
        #expect(idle.handle(.resumeRequested, now: at(10)).isEmpty)
        #expect(idle.state == .idle)
    }

    @Test("L1, R5: a disconnect ends the suspension in every phase, and the close is bounded again")
    func disconnectWhileSuspended() {
        for (name, fresh) in SessionMachineTests.phases() {
            var machine = fresh
            _ = machine.handle(.suspendRequested, now: at(70))
            _ = machine.handle(disconnect, now: at(1_000))
            #expect(!machine.isSuspended, "\(name)")
            if name == "open" {
                #expect(machine.state == .closing(g2))
                #expect(machine.nextDeadline == at(6_000))
                _ = machine.handle(.timerFired(g2), now: at(6_000))
            }
            guard case .stopped = machine.state else {
                Issue.record("\(name) became \(machine.state)")
                continue
            }
            #expect(machine.nextDeadline == nil, "\(name)")
            #expect(machine.handle(.resumeRequested, now: at(7_000)).isEmpty, "\(name)")
        }
    }

    @Test("L1: a connect while suspended is remembered, and its connection begins at the resume")
    func connectWhileSuspended() throws {
        var idle = SessionMachine(try configuration(), seed: 1)
        _ = idle.handle(.suspendRequested, now: at(0))
        #expect(
            idle.handle(.connectRequested, now: at(10)) == [.publish(.suspended(cause: nil))])
        #expect(idle.handle(.connectRequested, now: at(20)).isEmpty)
        #expect(
            idle.handle(.resumeRequested, now: at(30)) == [
                .publish(.connecting(g1, attempt: 0)), .askForRequest(g1, attempt: 0),
            ])

        var stopped = SessionMachineTests.phases()[5].machine
        _ = stopped.handle(.suspendRequested, now: at(70))
        #expect(
            stopped.handle(.connectRequested, now: at(80)) == [.publish(.suspended(cause: nil))])
        #expect(
            stopped.handle(disconnect, now: at(90)) == [.publish(.stopped(.disconnected(nil)))])
    }

    @Test("L1: the connect that was remembered behind a close waits for the resume too")
    func connectBehindACutClose() throws {
        var machine = openMachine(try configuration())
        _ = machine.handle(disconnect, now: at(10))
        _ = machine.handle(.connectRequested, now: at(20))
        let cut = CloseCause.closedByApp(sent: 1000, answer: nil)
        #expect(
            machine.handle(.suspendRequested, now: at(30)) == [
                .abortTransport(g1), .connectionEnded(g1, cut), .publish(.suspended(cause: nil)),
            ])
        #expect(
            machine.handle(.resumeRequested, now: at(40)).last == .askForRequest(g2, attempt: 0))
    }

    // MARK: An open connection

    @Test(
        "L2: the fresh probe has its short deadline, and its pong keeps the connection",
        arguments: [199, 200])
    func verdict(_ answered: Int) throws {
        var machine = openMachine(try configuration())
        _ = machine.handle(.suspendRequested, now: at(4_000))
        #expect(machine.handle(.resumeRequested, now: at(600_000)) == [.sendPing(g1, ping1)])
        #expect(machine.nextDeadline == at(600_200))
        _ = machine.handle(.pongReceived(g1, ping1), now: at(600_000 + answered))
        let effects = machine.handle(.timerFired(g1), now: at(600_200))
        if answered < 200 {
            #expect(effects.isEmpty)
            #expect(machine.state == .open(g1))
        } else {
            #expect(
                effects == [
                    .abortTransport(g1), .connectionEnded(g1, .heartbeatTimeout),
                    .publish(.waiting(attempt: 1, delay: .zero, cause: .heartbeatTimeout)),
                ], "it is replaced without a backoff")
        }
    }

    @Test("L2: after the verdict was due while suspended, the fresh probe decides alone")
    func verdictDueWhileSuspended() throws {
        var machine = openMachine(try configuration())
        #expect(machine.handle(.timerFired(g1), now: at(5_000)) == [.sendPing(g1, ping1)])
        _ = machine.handle(.suspendRequested, now: at(5_500))
        #expect(machine.handle(.pongReceived(g1, ping1), now: at(5_600)).isEmpty)
        #expect(machine.handle(.resumeRequested, now: at(6_500)) == [.sendPing(g1, ping2)])
        _ = machine.handle(.pongReceived(g1, ping1), now: at(6_510))
        #expect(machine.nextDeadline == at(6_700), "a pong from before the sleep is no proof")
        _ = machine.handle(.pongReceived(g1, ping2), now: at(6_520))
        #expect(machine.nextDeadline == at(11_520))
    }

    @Test(
        "L2: what the kernel kept during the sleep is no proof of life, also where any frame counts"
    )
    func bufferedFrames() throws {
        var machine = openMachine(try configuration(countsInboundFrames: true))
        _ = machine.handle(.suspendRequested, now: at(1_000))
        _ = machine.handle(.frameReceived(g1), now: at(1_010))
        #expect(machine.nextDeadline == nil)
        _ = machine.handle(.resumeRequested, now: at(60_000))
        for now in 60_000..<60_200 { _ = machine.handle(.frameReceived(g1), now: at(now)) }
        #expect(machine.nextDeadline == at(60_200))
        let effects = machine.handle(.timerFired(g1), now: at(60_200))
        #expect(effects.contains(.connectionEnded(g1, .heartbeatTimeout)))
    }

    @Test("L2, T4: where nothing is read at the resume, the probe goes out when reading goes on")
    func resumeWhilePaused() throws {
        var machine = openMachine(try configuration())
        _ = machine.handle(.readingPaused(g1), now: at(1_000))
        _ = machine.handle(.suspendRequested, now: at(2_000))
        #expect(machine.handle(.resumeRequested, now: at(60_000)).isEmpty)
        #expect(machine.handle(.readingResumed(g1), now: at(61_000)) == [.sendPing(g1, ping1)])
        #expect(machine.nextDeadline == at(61_200))
    }

    @Test("L2: without a heartbeat there is nothing to judge a connection by, and it goes on")
    func withoutHeartbeat() throws {
        var machine = openMachine(SessionConfiguration(heartbeat: nil))
        _ = machine.handle(.suspendRequested, now: at(1_000))
        #expect(machine.handle(.fenceRequested, now: at(1_500)).isEmpty)
        #expect(machine.handle(.resumeRequested, now: at(2_000)).isEmpty)
        #expect(machine.state == .open(g1))
        #expect(machine.handle(.fenceRequested, now: at(2_500)) == [.sendPing(g1, ping1)])
    }

    @Test("L1, D3: no fence is asked for while suspended; the probe is the next one")
    func fence() throws {
        var machine = openMachine(try configuration())
        #expect(machine.admitsFence)
        _ = machine.handle(.suspendRequested, now: at(10))
        #expect(!machine.admitsFence)
        #expect(machine.handle(.fenceRequested, now: at(20)).isEmpty)
        #expect(machine.handle(.resumeRequested, now: at(30)) == [.sendPing(g1, ping1)])
    }

    @Test("L1, H14: a heartbeat that is changed while suspended rests until the resume")
    func heartbeatChanged() throws {
        var machine = openMachine(try configuration())
        _ = machine.handle(.suspendRequested, now: at(10))
        _ = machine.handle(.heartbeatChanged(try pulse(100, 50)), now: at(20))
        #expect(machine.nextDeadline == nil)
        #expect(machine.handle(.resumeRequested, now: at(900)) == [.sendPing(g1, ping1)])
        #expect(machine.nextDeadline == at(950))
    }

    @Test(
        "L1, R2: time asleep makes no connection stable; it counts anew from the resume",
        arguments: [1_000, 90_000])
    func stability(slept: Int) throws {
        var machine = try waitingMachine()
        _ = machine.handle(.connectRequested, now: at(0))
        _ = machine.handle(.requestProvided(g2), now: at(0))
        _ = machine.handle(.transportOpened(g2), now: at(0))
        _ = machine.handle(.suspendRequested, now: at(2_999))
        _ = machine.handle(.frameReceived(g2), now: at(2_999 + slept))
        _ = machine.handle(.resumeRequested, now: at(3_000 + slept))
        _ = machine.handle(.pongReceived(g2, ping1), now: at(3_010 + slept))
        var early = machine
        _ = early.handle(.transportClosed(g2, lost), now: at(5_999 + slept))
        #expect(early.state == .waiting(attempt: 2, delay: .seconds(200), cause: lost))
        _ = machine.handle(.transportClosed(g2, lost), now: at(6_000 + slept))
        #expect(machine.state == .waiting(attempt: 1, delay: .seconds(100), cause: lost))
    }

    @Test("L2: a connection that is lost while suspended is replaced at the resume, at once")
    func lostWhileSuspended() throws {
        var machine = openMachine(try configuration())
        _ = machine.handle(.suspendRequested, now: at(10))
        #expect(
            machine.handle(.transportClosed(g1, lost), now: at(20)) == [
                .connectionEnded(g1, lost), .publish(.suspended(cause: lost)),
            ])
        #expect(
            machine.handle(.resumeRequested, now: at(30)) == [
                .publish(.connecting(g2, attempt: 1)), .askForRequest(g2, attempt: 1),
            ])
    }

    @Test("L1, R3: after a cause that the policy does not retry, a suspended session stops")
    func refusedWhileSuspended() {
        var machine = openMachine(SessionConfiguration(reconnect: nil))
        _ = machine.handle(.suspendRequested, now: at(10))
        _ = machine.handle(.transportClosed(g1, lost), now: at(20))
        #expect(machine.state == .stopped(.refusedToRetry(lost)))
        #expect(machine.handle(.resumeRequested, now: at(30)).isEmpty)
    }

    // MARK: An attempt and a wait

    @Test(
        "L1: an attempt has the time that it had left when it was suspended",
        arguments: [10, 1_000_000])
    func attempt(slept: Int) throws {
        var machine = SessionMachine(try configuration(), seed: 1)
        _ = machine.handle(.connectRequested, now: at(0))
        _ = machine.handle(.requestProvided(g1), now: at(1_000))
        _ = machine.handle(.suspendRequested, now: at(10_000))
        _ = machine.handle(.connectProgressed(g1, .tls), now: at(10_005))
        _ = machine.handle(.resumeRequested, now: at(10_000 + slept))
        #expect(machine.nextDeadline == at(30_000 + slept))
        #expect(machine.handle(.timerFired(g1), now: at(29_999 + slept)).isEmpty)
        let effects = machine.handle(.timerFired(g1), now: at(30_000 + slept))
        #expect(effects.contains(.connectionEnded(g1, .connectTimeout(.tls))))
    }

    @Test("L1: an attempt that fails while suspended is followed by none before the resume")
    func attemptFails() throws {
        var machine = SessionMachine(try configuration(), seed: 1)
        _ = machine.handle(.connectRequested, now: at(0))
        _ = machine.handle(.suspendRequested, now: at(10))
        let cause = CloseCause.requestFailed("no")
        #expect(
            machine.handle(.requestFailed(g1, "no"), now: at(20)) == [
                .connectionEnded(g1, cause), .publish(.suspended(cause: cause)),
            ])
        #expect(
            machine.handle(.resumeRequested, now: at(30)).last == .askForRequest(g2, attempt: 1))
    }

    @Test("R6: a resume cuts a wait short, but not twice within the spacing, to the unit")
    func resumeSpacing() throws {
        var machine = try waitingMachine()
        _ = machine.handle(.suspendRequested, now: at(100))
        #expect(machine.handle(.resumeRequested, now: at(1_000)).count == 2)
        _ = machine.handle(.requestFailed(g2, "no network"), now: at(2_000))
        _ = machine.handle(.suspendRequested, now: at(3_000))
        var early = machine
        #expect(
            early.handle(.resumeRequested, now: at(30_999)) == [
                .publish(
                    .waiting(
                        attempt: 2, delay: .milliseconds(171_001),
                        cause: .requestFailed("no network")))
            ])
        #expect(early.nextDeadline == at(31_000), "cut short as soon as that may be")
        #expect(early.handle(.timerFired(g3), now: at(31_000)).count == 2)
        #expect(machine.handle(.resumeRequested, now: at(31_000)).count == 2)
        #expect(machine.state == .connecting(g3, attempt: 2), "the counter is not reset")
    }

    @Test("R6, K03-07: a wait that the server asked for goes on in real time, and ends at its end")
    func imposedWait() throws {
        var machine = openMachine(SessionConfiguration(heartbeat: nil))
        let refusal = CloseCause.refused(Refusal(status: 503, headers: ["Retry-After": "60"]))
        _ = machine.handle(.transportClosed(g1, refusal), now: at(0))
        _ = machine.handle(.suspendRequested, now: at(10_000))
        var late = machine
        var wanted = machine
        #expect(
            machine.handle(.resumeRequested, now: at(59_999)) == [
                .publish(.waiting(attempt: 1, delay: .milliseconds(1), cause: refusal))
            ])
        #expect(machine.nextDeadline == at(60_000))
        #expect(machine.handle(.pathChanged(.usable), now: at(59_999)).isEmpty)
        #expect(machine.nextDeadline == at(60_000), "a path does not cut it short either")
        #expect(late.handle(.resumeRequested, now: at(60_000)).count == 2)
        #expect(wanted.handle(.connectRequested, now: at(20_000)).isEmpty)
        #expect(wanted.state == .suspended(cause: refusal))
        #expect(wanted.handle(.resumeRequested, now: at(20_001)).count == 2, "the app itself may")
    }

    // MARK: Paths

    @Test(
        "L3: a change of path has an open connection probed once the paths have settled",
        arguments: NetworkPath.allCases)
    func pathWhileOpen(path: NetworkPath) throws {
        var machine = openMachine(try configuration())
        #expect(machine.handle(.pathChanged(path), now: at(1_000)).isEmpty)
        #expect(machine.nextDeadline == at(1_500))
        for now in 1_001..<1_500 { _ = machine.handle(.pathChanged(path), now: at(now)) }
        #expect(machine.nextDeadline == at(1_500), "a storm does not put it off")
        #expect(machine.handle(.timerFired(g1), now: at(1_499)).isEmpty)
        #expect(machine.handle(.timerFired(g1), now: at(1_500)) == [.sendPing(g1, ping1)])
        #expect(machine.nextDeadline == at(1_700))
        let effects = machine.handle(.timerFired(g1), now: at(1_700))
        #expect(
            effects.last == .publish(.waiting(attempt: 1, delay: .zero, cause: .heartbeatTimeout)))
    }

    @Test(
        "L3: a change under a probe leads to another one behind it, and does not put its verdict off"
    )
    func pathUnderAProbe() throws {
        var machine = openMachine(try configuration())
        #expect(machine.handle(.probeRequested, now: at(1_000)) == [.sendPing(g1, ping1)])
        machine.configuration.pathSettling = .zero
        _ = machine.handle(.pathChanged(.usable), now: at(1_010))
        #expect(machine.nextDeadline == at(1_200))
        var dead = machine
        #expect(dead.handle(.timerFired(g1), now: at(1_200)).count == 3)
        _ = machine.handle(.pongReceived(g1, ping1), now: at(1_020))
        #expect(machine.nextDeadline == at(1_010))
        #expect(machine.handle(.timerFired(g1), now: at(1_020)) == [.sendPing(g1, ping2)])
        #expect(machine.nextDeadline == at(1_220))
    }

    @Test("L3, H4: what an older ping has come to is decided before paths that have settled then")
    func pathAtAVerdict() throws {
        var machine = openMachine(try configuration())
        #expect(machine.handle(.timerFired(g1), now: at(5_000)) == [.sendPing(g1, ping1)])
        _ = machine.handle(.pathChanged(.usable), now: at(5_500))
        let effects = machine.handle(.timerFired(g1), now: at(6_000))
        #expect(effects.contains(.connectionEnded(g1, .heartbeatTimeout)))
    }

    @Test("L3, G1: what a path has left to do for one connection is not done to the next")
    func pathOfAnOldConnection() throws {
        var machine = openMachine(try configuration())
        _ = machine.handle(.pathChanged(.usable), now: at(10))
        _ = machine.handle(.transportClosed(g1, lost), now: at(20))
        #expect(machine.nextDeadline == at(100_020))
        _ = machine.handle(.connectRequested, now: at(30))
        _ = machine.handle(.requestProvided(g2), now: at(30))
        _ = machine.handle(.transportOpened(g2), now: at(30))
        #expect(machine.handle(.timerFired(g1), now: at(510)).isEmpty)
        #expect(machine.handle(.timerFired(g2), now: at(510)).isEmpty)
    }

    @Test("R6: a storm of regained paths makes one attempt, which counts like any other")
    func storm() throws {
        var machine = try waitingMachine()
        for now in 1_000..<1_500 {
            #expect(machine.handle(.pathChanged(.usable), now: at(now)).isEmpty)
        }
        #expect(machine.nextDeadline == at(1_500))
        #expect(
            machine.handle(.timerFired(g2), now: at(1_500)).last == .askForRequest(g2, attempt: 1))
        for now in 1_500..<2_000 {
            #expect(machine.handle(.pathChanged(.usable), now: at(now)).isEmpty)
        }
        _ = machine.handle(.requestFailed(g2, "no"), now: at(2_000))
        #expect(machine.nextDeadline == at(202_000), "the counter is not reset")
        for now in 2_000..<3_000 {
            #expect(machine.handle(.pathChanged(.usable), now: at(now)).isEmpty)
        }
        #expect(machine.nextDeadline == at(31_500), "the next is cut short a spacing later")
    }

    @Test(
        "R6: a path that is lost again before it has settled cuts nothing short; the wait goes on")
    func lostAgain() throws {
        var machine = try waitingMachine()
        #expect(machine.handle(.pathChanged(.unusable), now: at(500)).isEmpty)
        #expect(machine.nextDeadline == at(100_000))
        _ = machine.handle(.pathChanged(.usable), now: at(1_000))
        #expect(machine.handle(.pathChanged(.unusable), now: at(1_499)).isEmpty)
        #expect(machine.nextDeadline == at(100_000))
        _ = machine.handle(.pathChanged(.usable), now: at(1_600))
        #expect(machine.nextDeadline == at(2_100))
    }

    @Test("L3: in no other phase, and while suspended, does a path change anything")
    func pathElsewhere() {
        for (name, fresh) in SessionMachineTests.phases() {
            for isSuspended in [false, true]
            where isSuspended || !["open", "waiting"].contains(name) {
                var machine = fresh
                if isSuspended { _ = machine.handle(.suspendRequested, now: at(70)) }
                let before = machine
                for path in NetworkPath.allCases {
                    #expect(machine.handle(.pathChanged(path), now: at(80)).isEmpty)
                }
                #expect(machine.state == before.state, "\(name)")
                #expect(machine.nextDeadline == before.nextDeadline, "\(name)")
            }
        }
    }

    @Test("L1: what a path was about to do is not done after a suspension")
    func pathBeforeASuspension() throws {
        var open = openMachine(try configuration())
        _ = open.handle(.pathChanged(.usable), now: at(10))
        _ = open.handle(.suspendRequested, now: at(20))
        #expect(open.handle(.resumeRequested, now: at(30)) == [.sendPing(g1, ping1)])
        _ = open.handle(.pongReceived(g1, ping1), now: at(40))
        #expect(open.nextDeadline == at(5_040))
    }

    @Test("L1: a path that changes during a suspension leaves nothing behind for after it")
    func pathDuringASuspension() throws {
        var open = openMachine(try configuration())
        _ = open.handle(.suspendRequested, now: at(10))
        #expect(open.handle(.pathChanged(.usable), now: at(20)).isEmpty)
        #expect(open.handle(.resumeRequested, now: at(30)) == [.sendPing(g1, ping1)])
        _ = open.handle(.pongReceived(g1, ping1), now: at(40))
        #expect(open.nextDeadline == at(5_040), "the fresh probe has answered for the path too")
    }

    @Test("R6, K03-07: a path does not cut a wait short that the server asked for, however long")
    func pathInAnImposedWait() throws {
        var machine = openMachine(SessionConfiguration(heartbeat: nil))
        let refusal = CloseCause.refused(Refusal(status: 503, headers: ["Retry-After": "60"]))
        _ = machine.handle(.transportClosed(g1, refusal), now: at(0))
        #expect(machine.handle(.pathChanged(.usable), now: at(10)).isEmpty)
        #expect(machine.nextDeadline == at(60_000))
    }

    @Test("L1: an attempt's time stands still from the first suspend, not from a second one")
    func suspendTwice() throws {
        var machine = SessionMachine(try configuration(), seed: 1)
        _ = machine.handle(.connectRequested, now: at(0))
        _ = machine.handle(.suspendRequested, now: at(10_000))
        _ = machine.handle(.suspendRequested, now: at(15_000))
        _ = machine.handle(.resumeRequested, now: at(20_000))
        #expect(machine.nextDeadline == at(40_000))
    }
}
