import HeartwireProtocol
import HeartwireSession
import Testing

/// What went wrong in the field elsewhere, told to the session machine.
@Suite("Field cases: late events, heartbeats")
struct SessionFieldCaseTests {
    let lost = CloseCause.connectionLost(ConnectionFailure(.reset, systemCode: 104))

    @Test("K01-01: late events of a closed connection cannot touch the new one")
    func lateEvents() throws {
        let world = World(SessionConfiguration(heartbeat: try pulse()))
        world.onTransport = { world, generation in
            world.after(.milliseconds(1), .transportOpened(generation))
        }
        world.onClose = { world, generation in
            world.after(
                .milliseconds(1), .transportClosed(generation, .closedByPeer(.init(code: 1000))))
        }
        world.tell(.connectRequested)
        world.run(until: at(10))
        world.tell(.disconnectRequested(code: 1000, reason: ""))
        world.tell(.connectRequested)
        world.run(until: at(20))
        #expect(world.machine.state == .open(g2))
        let deadline = world.machine.nextDeadline
        world.run(until: at(70))
        world.tell(.transportClosed(g1, lost))
        world.tell(.transportClosed(g1, .connectionLost(ConnectionFailure(.endOfStream))))
        let isAdmitted = world.machine.admitsMessage(from: g1)
        #expect(!isAdmitted)
        #expect(world.machine.state == .open(g2))
        #expect(world.machine.nextDeadline == deadline)
        #expect(world.machine.staleEvents == 3)
        #expect(world.ends == [g1: [.closedByApp(sent: 1000, answer: PeerClose(code: 1000))]])
    }

    @Test("K01-02, R4: everything that an old connection held back is stale when it comes")
    func wedged() throws {
        let world = openingWorld(SessionConfiguration(heartbeat: try pulse(100, 1_000)))
        world.onPing = { _, _, _ in }
        world.tell(.connectRequested)
        world.run(until: at(150))
        world.tell(.transportClosed(g1, lost))
        world.run(until: at(1_500))
        guard world.machine.state.generation ?? .none > g1 else {
            Issue.record("no second connection but \(world.machine.state)")
            return
        }
        let before = (world.machine.state, world.machine.nextDeadline, world.machine.staleEvents)
        for event in stampedEvents(g1) { world.tell(event) }
        #expect(world.machine.state == before.0)
        #expect(world.machine.nextDeadline == before.1)
        #expect(world.machine.staleEvents == before.2 + stampedEvents(g1).count)
    }

    @Test("K01-05: connect and disconnect from within a state handler keep every path lawful")
    func withinHandlers() throws {
        let policy = try steadyPolicy()
        // A: connect() from the handler of the end.
        let first = openingWorld(SessionConfiguration(heartbeat: nil, reconnect: policy))
        first.onState = { world, state in
            if case .waiting = state { world.tell(.connectRequested) }
        }
        first.tell(.connectRequested)
        first.run(until: at(100))
        first.tell(.transportClosed(g1, lost))
        first.run(until: at(1_000))
        #expect(first.machine.state == .open(g2), "within the first backoff step")
        // B: disconnect(), then connect().
        let second = openingWorld(SessionConfiguration(heartbeat: nil, reconnect: policy))
        second.onState = { world, state in
            guard case .waiting = state else { return }
            world.tell(.disconnectRequested(code: 1000, reason: ""))
            world.tell(.connectRequested)
        }
        second.tell(.connectRequested)
        second.run(until: at(100))
        second.tell(.transportClosed(g1, lost))
        second.run(until: at(1_000))
        #expect(second.machine.state == .open(g3))
        let delay = Duration.seconds(1)
        #expect(
            second.states == [
                .connecting(g1, attempt: 0), .open(g1),
                .waiting(attempt: 1, delay: delay, cause: lost), .stopped(.disconnected(nil)),
                .connecting(g3, attempt: 0), .open(g3),
            ])
        // C: disconnect() from the handler of connecting.
        let third = openingWorld(SessionConfiguration(heartbeat: nil, reconnect: policy))
        third.onState = { world, state in
            guard case .connecting = state else { return }
            world.tell(.disconnectRequested(code: 1000, reason: ""))
        }
        third.tell(.connectRequested)
        third.run(until: at(60_000))
        #expect(
            third.machine.state == .stopped(.disconnected(.closedByApp(sent: nil, answer: nil))))
        #expect(third.machine.nextDeadline == nil)
        #expect(third.connects.isEmpty)
    }

    @Test("K01-10: a provider that answers after the disconnect opens nothing")
    func lateProvider() {
        let world = World(SessionConfiguration())
        world.onRequest = { world, generation in
            world.after(.seconds(1), .requestProvided(generation))
        }
        world.tell(.connectRequested)
        world.run(until: at(500))
        world.tell(.disconnectRequested(code: nil, reason: ""))
        world.run(until: at(60_000))
        #expect(world.connects.isEmpty)
        #expect(world.machine.staleEvents == 1)
        #expect(world.machine.state.generation == nil)
    }

    @Test("K02-01: the next connection begins with a clean heartbeat")
    func cleanHeartbeat() throws {
        let world = openingWorld(
            SessionConfiguration(
                heartbeat: try pulse(10_000, 5_000), reconnect: try steadyPolicy()))
        world.onPing = { world, generation, id in
            guard generation > g1 else { return }
            world.after(.milliseconds(10), .pongReceived(generation, id))
        }
        world.tell(.connectRequested)
        world.run(until: at(80_000))
        #expect(world.ends == [g1: [.heartbeatTimeout]])
        #expect(world.machine.state == .open(g2))
        #expect(world.connects.count == 2)
        #expect(world.pings.count == 1 + 6)
    }

    @Test("K02-02: a heartbeat timeout stays one, whatever the server answers to the abort")
    func politeServer() throws {
        let world = openingWorld(
            SessionConfiguration(heartbeat: try pulse(), reconnect: try steadyPolicy()))
        world.onPing = { _, _, _ in }
        world.tell(.connectRequested)
        world.run(until: at(1_101))
        #expect(world.aborts == [g1])
        world.tell(.transportClosed(g1, .closedByPeer(PeerClose(code: 1000))))
        #expect(world.ends == [g1: [.heartbeatTimeout]])
        #expect(world.machine.staleEvents == 1)
        world.run(until: at(2_100))
        #expect(world.connects.count == 1)
        world.run(until: at(2_101))
        #expect(world.connects.count == 2, "the second connect comes after the backoff's delay")
    }

    @Test("K02-06: a verdict depends on its own ping only")
    func ownPing() throws {
        let world = openingWorld(
            SessionConfiguration(heartbeat: try pulse(2_000, 1_000), reconnect: nil))
        world.tell(.connectRequested)
        world.run(until: at(100 * 2_010 + 5))
        #expect(world.ends.isEmpty)
        #expect(world.pings.count == 100)
        #expect(world.machine.state == .open(g1))
    }

    @Test("K02-12: switched off and on again, a heartbeat beats again, by one timer")
    func switched() throws {
        let settings = try pulse(1_000, 500)
        let world = openingWorld(SessionConfiguration(heartbeat: settings))
        world.tell(.connectRequested)
        world.run(until: at(1_500))
        #expect(world.pings.count == 1)
        world.tell(.heartbeatChanged(nil))
        world.run(until: at(4_500))
        #expect(world.pings.count == 1)
        #expect(world.machine.nextDeadline == nil)
        world.tell(.heartbeatChanged(settings))
        world.run(until: at(7_500))
        #expect(world.pings.count == 3)
    }

    @Test(
        "K02-10, L2, L3, H3: who wakes late asks once, whatever tells of the wake and in which order"
    )
    func oneProbeAtTheWake() throws {
        let news: [[SessionEvent]] = [
            [.pathChanged(.usable), .probeRequested, .resumeRequested],
            [.resumeRequested, .pathChanged(.unusable), .pathChanged(.usable), .probeRequested],
        ]
        for events in news.flatMap({ [[.timerFired(g1)] + $0, $0 + [.timerFired(g1)]] }) {
            var configuration = SessionConfiguration()
            configuration.heartbeat = try .init(
                interval: .seconds(20), timeout: .seconds(10), probeTimeout: .seconds(5))
            var machine = openMachine(configuration)
            let effects = events.flatMap { machine.handle($0, now: at(600_000)) }
            #expect(effects == [.sendPing(g1, PingID(1))])
            #expect(machine.state == .open(g1))
            #expect(machine.nextDeadline == at(605_000))
            let end = machine.handle(.timerFired(g1), now: at(605_000))
            #expect(end.contains(.connectionEnded(g1, .heartbeatTimeout)))
        }
    }

    @Test("K02-10: a connection that died during a sleep is replaced within the probe's time")
    func halfOpen() throws {
        let world = openingWorld(SessionConfiguration(heartbeat: try pulse(20_000, 10_000)))
        world.onPing = { _, _, _ in }
        world.tell(.connectRequested)
        world.run(until: at(1_000))
        world.tell(.probeRequested)
        world.run(until: at(11_000))
        #expect(world.ends == [g1: [.heartbeatTimeout]])
    }

    @Test(
        "K02-10: on the return from ten minutes of sleep a half-open connection is replaced within the probe's time"
    )
    func halfOpenAfterASuspension() throws {
        let world = openingWorld(
            SessionConfiguration(
                heartbeat: try .init(
                    interval: .seconds(20), timeout: .seconds(10), probeTimeout: .seconds(3))))
        world.onPing = { _, _, _ in }
        world.tell(.connectRequested)
        world.run(until: at(6_000))
        world.tell(.suspendRequested)
        world.run(until: at(606_000))
        #expect(world.pings.isEmpty, "the heartbeat keeps nothing alive in the background")
        world.tell(.resumeRequested)
        world.run(until: at(609_000))
        #expect(world.ends == [g1: [.heartbeatTimeout]])
        world.run(until: at(609_002))
        #expect(world.connects.count == 2)
        #expect(world.machine.state == .open(g2))
    }

    /// A world whose server opens every connection after a millisecond.
    func openingWorld(_ configuration: SessionConfiguration) -> World {
        let world = World(configuration)
        world.onTransport = { world, generation in
            world.after(.milliseconds(1), .transportOpened(generation))
        }
        return world
    }
}
