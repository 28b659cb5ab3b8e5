import HeartwireProtocol
import HeartwireSession
import Testing

@Suite("Field cases: reconnecting")
struct ReconnectFieldCaseTests {
    let refused = CloseCause.connectFailed(ConnectionFailure(.refused, systemCode: 111))

    /// A world whose server ends every attempt for `cause` after `delay`.
    func refusingWorld(
        _ configuration: SessionConfiguration, _ cause: CloseCause,
        after delay: Duration = .zero, seed: UInt64 = 1
    ) -> World {
        let world = World(configuration, seed: seed)
        world.onTransport = { world, generation in
            world.after(delay, .transportClosed(generation, cause))
        }
        return world
    }

    @Test("K03-01: a server that accepts and closes at once is met with growing delays")
    func acceptAndClose() throws {
        let world = World(SessionConfiguration(reconnect: try steadyPolicy()))
        world.onTransport = { world, generation in
            world.after(.zero, .transportOpened(generation))
            let close = CloseCause.closedByPeer(PeerClose(code: 1000))
            world.after(.milliseconds(1), .transportClosed(generation, close))
        }
        world.tell(.connectRequested)
        world.run(until: at(600_000))
        let delays = world.states.compactMap { state -> Duration? in
            guard case .waiting(_, let delay, _) = state else { return nil }
            return delay
        }
        #expect(delays.prefix(8) == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) }[...])
        #expect(delays.dropFirst(6).allSatisfy { $0 == .seconds(60) })
        #expect(world.connects.count <= 16)
    }

    @Test("K03-04: a disconnect during the backoff leaves no timer behind")
    func disconnectDuringBackoff() throws {
        let world = refusingWorld(SessionConfiguration(reconnect: try steadyPolicy()), refused)
        world.tell(.connectRequested)
        world.run(until: at(500))
        world.tell(.disconnectRequested(code: nil, reason: ""))
        world.run(until: at(60_000))
        #expect(world.connects.count == 1)
        #expect(world.machine.nextDeadline == nil)
        #expect(world.states.last == .stopped(.disconnected(nil)))
        #expect(world.states.filter { $0 == .stopped(.disconnected(nil)) }.count == 1)
    }

    @Test(
        "K03-04: also when the disconnect comes in the same instant as the timer, in either order")
    func disconnectInTheSameInstant() throws {
        var machine = SessionMachine(SessionConfiguration(reconnect: try steadyPolicy()), seed: 1)
        _ = machine.handle(.connectRequested, now: at(0))
        _ = machine.handle(.requestFailed(g1, "no network"), now: at(0))
        var timerFirst = machine
        _ = machine.handle(.disconnectRequested(code: nil, reason: ""), now: at(1_000))
        #expect(machine.handle(.timerFired(g2), now: at(1_000)).isEmpty)
        #expect(machine.state == .stopped(.disconnected(nil)))

        let begun = timerFirst.handle(.timerFired(g2), now: at(1_000))
        _ = timerFirst.handle(.disconnectRequested(code: nil, reason: ""), now: at(1_000))
        #expect(begun.last == .askForRequest(g2, attempt: 1))
        #expect(!timerFirst.permits(.askForRequest(g2, attempt: 1)))
        #expect(timerFirst.handle(.requestProvided(g2), now: at(1_000)).isEmpty)
        #expect(timerFirst.nextDeadline == nil)
    }

    @Test("K03-05: after the attempts are used up a connect begins anew, from zero")
    func connectAfterExhaustion() throws {
        let world = refusingWorld(
            SessionConfiguration(heartbeat: nil, reconnect: try steadyPolicy(attempts: 2)), refused)
        world.tell(.connectRequested)
        world.run(until: at(60_000))
        #expect(world.connects.count == 3)
        #expect(world.states.last == .stopped(.attemptsExhausted(refused)))
        world.onTransport = { world, generation in world.after(.zero, .transportOpened(generation))
        }
        world.tell(.connectRequested)
        world.run(until: at(60_100))
        #expect(world.connects.count == 4)
        #expect(world.states.suffix(2).first == .connecting(Generation(4), attempt: 0))
        #expect(world.states.last == .open(Generation(4)))
    }

    @Test("K03-05: so does a connect after a failing provider used them up")
    func connectAfterFailingProvider() throws {
        let world = World(SessionConfiguration(reconnect: try steadyPolicy(attempts: 1)))
        world.onRequest = { world, generation in world.tell(.requestFailed(generation, "no URL")) }
        world.tell(.connectRequested)
        world.run(until: at(60_000))
        #expect(world.states.last == .stopped(.attemptsExhausted(.requestFailed("no URL"))))
        world.onRequest = { world, generation in world.tell(.requestProvided(generation)) }
        world.tell(.connectRequested)
        #expect(world.connects.count == 1)
    }

    @Test(
        "K03-07: the server's Retry-After in seconds is kept; nonsense falls back to the backoff",
        arguments: [("7", 7_000), ("-5", 1_000), ("abc", 1_000), ("99999999999", 3_600_000)])
    func retryAfter(value: String, milliseconds: Int) throws {
        let refusal = Refusal(status: 429, headers: ["Retry-After": value])
        let world = refusingWorld(
            SessionConfiguration(reconnect: try steadyPolicy()), .refused(refusal))
        world.tell(.connectRequested)
        world.run(until: at(milliseconds - 1))
        #expect(world.connects.count == 1)
        world.run(until: at(milliseconds))
        #expect(world.connects == [at(0), at(milliseconds)])
    }

    @Test("K03-08: 401 asks the provider once more and then stops; 403 stops at once")
    func unauthorized() throws {
        let world = refusingWorld(
            SessionConfiguration(reconnect: try steadyPolicy()), .refused(Refusal(status: 401)))
        world.tell(.connectRequested)
        world.run(until: at(600_000))
        #expect(world.connects.count == 2)
        #expect(world.states.last == .stopped(.refusedToRetry(.refused(Refusal(status: 401)))))

        let forbidden = refusingWorld(
            SessionConfiguration(reconnect: try steadyPolicy()), .refused(Refusal(status: 403)))
        forbidden.tell(.connectRequested)
        forbidden.run(until: at(600_000))
        #expect(forbidden.connects.count == 1)
        #expect(forbidden.states.last == .stopped(.refusedToRetry(.refused(Refusal(status: 403)))))
    }

    @Test("K03-10: two reports of one failure schedule one attempt, in either order")
    func twoReports() throws {
        let lost = CloseCause.connectionLost(ConnectionFailure(.endOfStream))
        let world = World(
            SessionConfiguration(heartbeat: nil, reconnect: try steadyPolicy(cap: .seconds(4))))
        var refusals = 0
        world.onTransport = { [refused] world, generation in
            refusals += 1
            guard refusals <= 8 else {
                world.after(.zero, .transportOpened(generation))
                return
            }
            let reports = refusals.isMultiple(of: 2) ? [refused, lost] : [lost, refused]
            for report in reports { world.after(.zero, .transportClosed(generation, report)) }
        }
        world.tell(.connectRequested)
        world.run(until: at(600_000))
        #expect(world.connects.count == 9)
        #expect(world.machine.state.generation == Generation(9))
        #expect(world.ends.count == 8)
        #expect(world.ends.values.allSatisfy { $0.count == 1 })
        #expect(world.machine.staleEvents == 8)
    }

    @Test("K03-11: no requester besides the backoff opens a connection")
    func manyRequesters() throws {
        let world = refusingWorld(
            SessionConfiguration(reconnect: try steadyPolicy(cap: .seconds(30))), refused,
            after: .milliseconds(50))
        for second in 1...120 { world.after(.seconds(second), .probeRequested) }
        world.tell(.connectRequested)
        for tick in 1...2_400 {
            world.run(until: at(tick * 50))
            let isAdmitted = world.machine.admitsMessage(from: world.machine.generation)
            #expect(!isAdmitted)
        }
        #expect(world.connects.count <= 9)
        #expect(world.connects.count >= 7)
    }

    @Test(
        "K03-11: returns to the foreground and paths that come and go open no more connections than that"
    )
    func foregroundStorm() throws {
        let world = refusingWorld(
            SessionConfiguration(reconnect: try steadyPolicy(cap: .seconds(30))), refused,
            after: .milliseconds(50))
        for second in 1...120 {
            world.after(.seconds(second), .suspendRequested)
            world.after(.milliseconds(second * 1_000 + 300), .resumeRequested)
            world.after(.milliseconds(second * 1_000 + 400), .pathChanged(.unusable))
            world.after(.milliseconds(second * 1_000 + 410), .pathChanged(.usable))
        }
        world.tell(.connectRequested)
        world.run(until: at(120_000))
        #expect(world.connects.count <= 11)
        #expect(world.connects.count >= 7)
    }

    @Test("K03-14: clients that were dropped together return spread over the whole delay")
    func spread() throws {
        let policy = ReconnectPolicy(
            backoff: try Backoff(jitter: .full), stability: .seconds(5))
        let configuration = SessionConfiguration(heartbeat: nil, reconnect: policy)
        let returns = (0..<200).map { seed in
            let world = refusingWorld(configuration, refused, seed: UInt64(seed))
            world.tell(.connectRequested)
            world.run(until: at(1_000))
            return world.connects[1]
        }
        #expect(returns.allSatisfy { $0 > at(0) && $0 <= at(1_000) })
        func counts(bins: Int) -> [Int] {
            var counts = Array(repeating: 0, count: bins)
            for instant in returns {
                let part = Double(instant.nanoseconds) / 1_000_000_000
                counts[min(bins - 1, Int(part * Double(bins)))] += 1
            }
            return counts
        }
        #expect(counts(bins: 20).allSatisfy { $0 <= 20 }, "no 50 ms hold more than 10 %")
        // Chi-square with 9 degrees of freedom: 21.67 is exceeded by chance in 1 % of cases.
        let square = counts(bins: 10).reduce(0.0) { sum, count in
            sum + Double((count - 20) * (count - 20)) / 20
        }
        #expect(square < 21.67)
    }
}
