import HeartwireSession
import Testing

/// A heartbeat in whole milliseconds: interval 100, timeout 1000, unless told otherwise.
func makeHeartbeat(
    interval: Int = 100, timeout: Int = 1000, probeTimeout: Int? = nil, tolerance: Int? = nil,
    countsInboundFrames: Bool = false
) throws -> Heartbeat<Int> {
    Heartbeat(
        try .init(
            interval: interval, timeout: timeout, probeTimeout: probeTimeout,
            suspensionTolerance: tolerance, countsInboundFrames: countsInboundFrames))
}

let ping1 = PingID(1)
let ping2 = PingID(2)
let ping3 = PingID(3)

@Suite("Heartbeat: the worked sequence")
struct HeartbeatWorkedSequenceTests {
    /// H12, number by number; `at` and `span` turn milliseconds into the clock's own terms.
    func check<I: HeartbeatInstant>(_ at: (Int) -> I, _ span: (Int) -> I.Interval) throws {
        var machine = Heartbeat<I>(try .init(interval: span(100), timeout: span(1000)))
        #expect(machine.connect() == g1)
        machine.opened(g1, at: at(0))
        #expect(machine.nextDeadline == at(100))
        #expect(machine.tick(at: at(99)) == nil)
        #expect(machine.tick(at: at(100)) == .sendPing(g1, ping1))
        #expect(machine.nextDeadline == at(1100))
        #expect(machine.tick(at: at(1099)) == nil)
        machine.pong(g1, at: at(1100))
        #expect(machine.awaitedPing == ping1)
        #expect(machine.tick(at: at(1100)) == .close(g1, .heartbeatTimeout))
        #expect(machine.phase == .closed)

        #expect(machine.connect() == g2)
        machine.opened(g1, at: at(1200))
        #expect(machine.phase == .connecting)
        machine.opened(g2, at: at(2000))
        #expect(machine.tick(at: at(2100)) == .sendPing(g2, ping2))
        machine.pong(g1, at: at(2150))
        #expect(machine.awaitedPing == ping2)
        #expect(machine.tick(at: at(3100)) == .close(g2, .heartbeatTimeout))

        #expect(machine.connect() == g3)
        machine.opened(g3, at: at(4000))
        #expect(machine.tick(at: at(4100)) == .sendPing(g3, ping3))
        machine.pong(g3, at: at(4200))
        #expect(machine.nextDeadline == at(4300))
        #expect(machine.tick(at: at(4299)) == nil)
        #expect(machine.tick(at: at(4300)) == .sendPing(g3, PingID(4)))
    }

    @Test("H12: the worked sequence holds in whole milliseconds")
    func inMilliseconds() throws {
        try check({ $0 }, { $0 })
    }

    @Test("H1, H12: the worked sequence holds on the continuous clock")
    func onTheContinuousClock() throws {
        let start = ContinuousClock.now
        try check({ start.advanced(by: .milliseconds($0)) }, { .milliseconds($0) })
    }

    @Test("H1, H12: the worked sequence holds on the session's clock")
    func onTheSessionClock() throws {
        try check(
            { MonotonicInstant.origin.advanced(by: .milliseconds($0)) }, { .milliseconds($0) })
    }
}

@Suite("Heartbeat: pings, pongs and deadlines")
struct HeartbeatTests {
    @Test("H2: the first ping is due one whole interval after the opening, to the unit")
    func firstPing() throws {
        var machine = try makeHeartbeat()
        _ = machine.connect()
        #expect(machine.nextDeadline == nil)
        #expect(machine.tick(at: 10_000) == nil, "nothing is due before the opening")
        machine.opened(g1, at: 50)
        #expect(machine.tick(at: 149) == nil)
        #expect(machine.tick(at: 150) == .sendPing(g1, ping1))
    }

    @Test("H2: a tick one unit after a ping was due sends it too")
    func firstPingLate() throws {
        var machine = try opened()
        #expect(machine.tick(at: 101) == .sendPing(g1, ping1))
    }

    @Test("H3: while a pong is awaited no second ping is sent")
    func onePing() throws {
        var machine = try opened()
        #expect(machine.tick(at: 100) == .sendPing(g1, ping1))
        for now in 100..<1100 {
            #expect(machine.tick(at: now) == nil)
        }
    }

    @Test(
        "H4: a pong one unit before the deadline counts; at the deadline and after it is late",
        arguments: [(1099, true), (1100, false), (1101, false)])
    func pongAtTheDeadline(now: Int, counts: Bool) throws {
        var machine = try awaiting()
        machine.pong(g1, ping1, at: now)
        #expect((machine.awaitedPing == nil) == counts)
        #expect(machine.nextDeadline == (counts ? now + 100 : 1100))
        #expect(machine.tick(at: 1100) == (counts ? nil : .close(g1, .heartbeatTimeout)))
    }

    @Test("H4: at the deadline the verdict is the same whichever of tick and pong comes first")
    func sameVerdict() throws {
        var tickFirst = try awaiting()
        #expect(tickFirst.tick(at: 1100) == .close(g1, .heartbeatTimeout))
        tickFirst.pong(g1, ping1, at: 1100)
        #expect(tickFirst.phase == .closed)
        var pongFirst = try awaiting()
        pongFirst.pong(g1, ping1, at: 1100)
        #expect(pongFirst.tick(at: 1100) == .close(g1, .heartbeatTimeout))
    }

    @Test(
        "H5: the close comes from a tick at or after the deadline, once",
        arguments: [(1099, false), (1100, true), (1101, true), (2100, true)])
    func closeOnce(now: Int, closes: Bool) throws {
        var machine = try awaiting()
        #expect(machine.tick(at: now) == (closes ? .close(g1, .heartbeatTimeout) : nil))
        guard closes else { return }
        #expect(machine.nextDeadline == nil)
        for later in [now, now + 1, now + 100, now + 100_000, .max] {
            #expect(machine.tick(at: later) == nil)
        }
    }

    @Test("H6: after a pong in time the next ping is due one interval after that pong")
    func nextPing() throws {
        var machine = try awaiting()
        machine.pong(g1, ping1, at: 777)
        #expect(machine.nextDeadline == 877)
        #expect(machine.tick(at: 876) == nil)
        #expect(machine.tick(at: 877) == .sendPing(g1, ping2))
        #expect(machine.nextDeadline == 1877)
    }

    @Test("H7: each connect gives a greater generation and forgets the old deadline")
    func generations() throws {
        var machine = try awaiting()
        #expect(machine.connect() == g2)
        #expect(machine.nextDeadline == nil)
        #expect(machine.awaitedPing == nil)
        #expect(machine.tick(at: 5_000) == nil, "the deadline of the first connection is gone")
        #expect(machine.connect() == g3, "also before it was open")
        machine.closed(g3)
        #expect(machine.connect() == Generation(4), "also after its end")
    }

    @Test("H7: a generation from elsewhere is taken only when it is newer")
    func generationFromElsewhere() throws {
        var machine = try makeHeartbeat()
        let first = machine.connect(as: Generation(5))
        #expect(first)
        machine.opened(Generation(5), at: 0)
        for old in [0, 4, 5] as [UInt64] {
            let taken = machine.connect(as: Generation(old))
            #expect(!taken)
            #expect(machine.phase == .open)
            #expect(machine.generation == Generation(5))
        }
        let newer = machine.connect(as: Generation(6))
        #expect(newer)
        #expect(machine.phase == .connecting)
        #expect(machine.connect() == Generation(7))
    }

    @Test("H8: a wrong generation changes nothing, in any phase", arguments: [0, 1, 3] as [UInt64])
    func wrongGeneration(number: UInt64) throws {
        let wrong = Generation(number)
        var connecting = try makeHeartbeat()
        connecting.connect(as: g2)
        connecting.opened(wrong, at: 0)
        #expect(connecting.phase == .connecting)
        #expect(connecting.failed(wrong, "no") == nil)
        connecting.closed(wrong)
        #expect(connecting.phase == .connecting)

        var open = connecting
        open.opened(g2, at: 0)
        #expect(open.tick(at: 100) == .sendPing(g2, ping1))
        open.opened(wrong, at: 50)
        open.pong(wrong, ping1, at: 200)
        open.pong(wrong, at: 200)
        open.frameReceived(wrong, at: 200)
        open.readingPaused(wrong)
        #expect(open.readingResumed(wrong, at: 200) == nil)
        #expect(open.failed(wrong, "no") == nil)
        open.closed(wrong)
        #expect(open.phase == .open)
        #expect(open.awaitedPing == ping1)
        #expect(open.nextDeadline == 1100)
    }

    @Test("H8: also where frames count and while reading is paused", arguments: [0, 2] as [UInt64])
    func wrongGenerationOfFrames(number: UInt64) throws {
        var machine = try makeHeartbeat(countsInboundFrames: true)
        _ = machine.connect()
        machine.opened(g1, at: 0)
        machine.frameReceived(Generation(number), at: 50)
        #expect(machine.nextDeadline == 100)
        machine.readingPaused(g1)
        #expect(machine.readingResumed(Generation(number), at: 500) == nil)
        #expect(machine.nextDeadline == nil)
    }

    @Test("H8: in the idle phase nothing but a connect changes anything")
    func idle() throws {
        var machine = try makeHeartbeat()
        machine.opened(.none, at: 0)
        machine.pong(.none, at: 0)
        machine.readingPaused(.none)
        #expect(machine.readingResumed(.none, at: 0) == nil)
        #expect(machine.tick(at: 1_000) == nil)
        #expect(machine.probe(at: 0) == nil)
        #expect(machine.failed(.none, "no") == nil)
        machine.closed(.none)
        #expect(machine.phase == .idle)
        #expect(machine.nextDeadline == nil)
    }

    @Test("H8: a repeated opening changes nothing, neither at rest nor under a ping")
    func repeatedOpening() throws {
        var resting = try opened()
        resting.opened(g1, at: 60)
        #expect(resting.nextDeadline == 100)
        var waiting = try awaiting()
        waiting.opened(g1, at: 160)
        #expect(waiting.nextDeadline == 1100)
        #expect(waiting.awaitedPing == ping1)
    }

    @Test("H8: a pong at rest changes nothing")
    func pongAtRest() throws {
        var machine = try opened()
        machine.pong(g1, at: 50)
        machine.pong(g1, ping1, at: 50)
        #expect(machine.nextDeadline == 100)
    }

    @Test("H8: after the end nothing but a connect changes anything")
    func afterTheEnd() throws {
        var machine = try awaiting()
        machine.closed(g1)
        #expect(machine.phase == .closed)
        machine.opened(g1, at: 200)
        machine.pong(g1, ping1, at: 200)
        machine.frameReceived(g1, at: 200)
        machine.readingPaused(g1)
        #expect(machine.readingResumed(g1, at: 200) == nil)
        #expect(machine.probe(at: 200) == nil)
        #expect(machine.failed(g1, "late") == nil)
        machine.closed(g1)
        #expect(machine.tick(at: 5_000) == nil)
        #expect(machine.phase == .closed)
        #expect(machine.nextDeadline == nil)
    }

    @Test("H9: a pong for an earlier ping of the same connection changes nothing")
    func pongForAnEarlierPing() throws {
        var machine = try awaiting()
        machine.pong(g1, ping1, at: 150)
        #expect(machine.tick(at: 250) == .sendPing(g1, ping2))
        machine.pong(g1, ping1, at: 260)
        #expect(machine.awaitedPing == ping2)
        #expect(machine.nextDeadline == 1250)
        machine.pong(g1, ping3, at: 260)
        #expect(machine.awaitedPing == ping2, "nor does one for a ping that was never sent")
        machine.pong(g1, ping2, at: 260)
        #expect(machine.nextDeadline == 360)
    }

    @Test("H9: a pong that comes twice counts once")
    func pongTwice() throws {
        var machine = try awaiting()
        machine.pong(g1, ping1, at: 150)
        machine.pong(g1, ping1, at: 200)
        #expect(machine.nextDeadline == 250)
    }

    @Test("H9: ping ids are never reused across connections")
    func pingIDs() throws {
        var machine = try awaiting()
        machine.connect(as: g2)
        machine.opened(g2, at: 500)
        #expect(machine.tick(at: 600) == .sendPing(g2, ping2))
        var successor = Heartbeat<Int>(machine.configuration, after: machine.lastPing)
        successor.connect(as: g3)
        successor.opened(g3, at: 0)
        #expect(successor.tick(at: 100) == .sendPing(g3, ping3))
    }

    @Test("H10: the first failure gives the one close action, with its cause")
    func firstFailure() throws {
        var connecting = try makeHeartbeat()
        _ = connecting.connect()
        #expect(connecting.failed(g1, "refused") == .close(g1, .failure("refused")))
        #expect(connecting.failed(g1, "again") == nil)

        var open = try awaiting()
        #expect(open.failed(g1, "reset") == .close(g1, .failure("reset")))
        #expect(open.failed(g1, "end of stream") == nil)
        #expect(open.tick(at: 1100) == nil)

        var timedOut = try awaiting()
        #expect(timedOut.tick(at: 1100) == .close(g1, .heartbeatTimeout))
        #expect(timedOut.failed(g1, "reset") == nil)
    }

    @Test("H13: a frame that is no pong changes nothing unless the settings say so")
    func framesAreNoPongs() throws {
        var machine = try awaiting()
        machine.frameReceived(g1, at: 500)
        #expect(machine.awaitedPing == ping1)
        #expect(machine.tick(at: 1100) == .close(g1, .heartbeatTimeout))
    }

    @Test("H13: where any frame counts, it counts like a pong and only before the deadline")
    func framesThatCount() throws {
        var machine = try makeHeartbeat(countsInboundFrames: true)
        _ = machine.connect()
        machine.frameReceived(g1, at: 0)
        #expect(machine.phase == .connecting)
        machine.opened(g1, at: 0)
        machine.frameReceived(g1, at: 99)
        #expect(machine.nextDeadline == 199)
        machine.frameReceived(g1, at: 199)
        #expect(machine.nextDeadline == 199, "a ping that is due is sent")
        #expect(machine.tick(at: 199) == .sendPing(g1, ping1))
        var late = machine
        machine.frameReceived(g1, at: 1198)
        #expect(machine.nextDeadline == 1298)
        late.frameReceived(g1, at: 1199)
        #expect(late.tick(at: 1199) == .close(g1, .heartbeatTimeout))
    }

    @Test("H15: the deadline runs from the moment the ping is asked for")
    func deadlineFromTheRequest() throws {
        var machine = try opened()
        #expect(machine.tick(at: 130) == .sendPing(g1, ping1))
        #expect(machine.nextDeadline == 1130, "not from when it was due, nor from any write")
    }

    @Test("H14: near the end of the range the arithmetic stops instead of overflowing")
    func endOfTheRange() throws {
        var machine = try makeHeartbeat()
        _ = machine.connect()
        machine.opened(g1, at: .max - 105)
        #expect(machine.nextDeadline == .max - 5)
        #expect(machine.tick(at: .max - 6) == nil)
        #expect(machine.tick(at: .max - 5) == .sendPing(g1, ping1))
        #expect(machine.nextDeadline == .max)
        machine.pong(g1, ping1, at: .max - 1)
        #expect(machine.nextDeadline == .max)
        #expect(machine.tick(at: .max) == .sendPing(g1, ping2))
        machine.pong(g1, ping2, at: .max)
        #expect(machine.tick(at: .max) == .close(g1, .heartbeatTimeout))
    }

    @Test("H14: from one end of the range to the other is a sleep, not a trap")
    func wholeRange() throws {
        var machine = try makeHeartbeat()
        _ = machine.connect()
        machine.opened(g1, at: .min)
        #expect(machine.nextDeadline == .min + 100)
        #expect(machine.tick(at: .min) == nil)
        #expect(machine.tick(at: .max) == .sendPing(g1, ping1))
        #expect(machine.tick(at: .min) == nil, "time that goes backwards does nothing")
        #expect(machine.tick(at: .max) == .close(g1, .heartbeatTimeout))
    }

    @Test("K02-06: pongs 10 ms after their pings never time out, however soon the check runs")
    func promptPongs() throws {
        var machine = try makeHeartbeat(interval: 2_000, timeout: 1_000)
        _ = machine.connect()
        machine.opened(g1, at: 0)
        for round in 1...100 {
            let due = try #require(machine.nextDeadline)
            #expect(machine.tick(at: due) == .sendPing(g1, PingID(UInt64(round))))
            #expect(machine.tick(at: due) == nil)
            machine.pong(g1, PingID(UInt64(round)), at: due + 10)
        }
        #expect(machine.nextDeadline == 101 * 2_000 + 100 * 10)
        #expect(machine.phase == .open)
    }

    func opened() throws -> Heartbeat<Int> {
        var machine = try makeHeartbeat()
        _ = machine.connect()
        machine.opened(g1, at: 0)
        return machine
    }

    func awaiting() throws -> Heartbeat<Int> {
        var machine = try opened()
        #expect(machine.tick(at: 100) == .sendPing(g1, ping1))
        return machine
    }
}
