import HeartwireProtocol
import Testing

@testable import HeartwireSession

@Suite("SessionMachine: long walks")
struct SessionMachineWalkTests {
    static func configuration() throws -> SessionConfiguration {
        var policy = ReconnectPolicy(
            backoff: try Backoff(
                base: .milliseconds(50), cap: .milliseconds(400), attempts: 3),
            stability: .milliseconds(300))
        policy.verdicts[.closeCode(4000)] = .stop
        return SessionConfiguration(
            heartbeat: try pulse(100, 200), reconnect: policy,
            connectTimeout: .milliseconds(500), closeTimeout: .milliseconds(150),
            wakeSpacing: .milliseconds(100), pathSettling: .milliseconds(30))
    }

    @Test("G6: long random walks keep the invariants", arguments: 1...4 as ClosedRange<UInt64>)
    func walk(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var machine = SessionMachine(try Self.configuration(), seed: seed)
        var auditor = SessionAuditor()
        var now = at(0)
        var opened = 0
        var suspended = 0
        for step in 0..<20_000 {
            now = Self.later(now, machine, &random)
            let event = Self.event(machine, &random)
            let before = machine
            let effects = machine.handle(event, now: now)
            if let broken = auditor.judge(event, now, from: before, to: machine, effects) {
                Issue.record("seed \(seed), step \(step), \(event): \(broken)")
                return
            }
            if case .open = machine.state { opened += 1 }
            if machine.isSuspended { suspended += 1 }
        }
        #expect(suspended > 500, "the walk was hardly ever asleep")
        #expect(opened > 500, "the walk was mostly elsewhere")
        _ = machine.handle(.disconnectRequested(code: nil, reason: ""), now: now)
        _ = machine.handle(.timerFired(machine.generation), now: .distantFuture)
        #expect(machine.nextDeadline == nil)
        #expect(machine.staleEvents > 1_000)
    }

    /// Mostly exactly the next deadline or one unit beside it, sometimes a long sleep, at times no time at all.
    static func later(
        _ now: MonotonicInstant, _ machine: SessionMachine, _ random: inout SplitMix64
    ) -> MonotonicInstant {
        let due = machine.nextDeadline ?? now
        return switch random.next() % 16 {
        case 0...7: now
        case 8...10: now.advanced(by: .milliseconds(Int(random.next() % 60)))
        case 11: max(now, due.advanced(by: .nanoseconds(-1)))
        case 12, 13: max(now, due)
        case 14: max(now, due.advanced(by: .nanoseconds(1)))
        default: now.advanced(by: .seconds(Int(random.next() % 3)))
        }
    }

    static func event(_ machine: SessionMachine, _ random: inout SplitMix64) -> SessionEvent {
        let current = machine.generation.number
        let stamp: Generation =
            switch random.next() % 8 {
            case 0: Generation(random.next() % (current + 1))
            case 1: Generation(current + 1 + random.next() % 3)
            default: machine.generation
            }
        let peer = PeerClose(code: random.next() % 8 == 0 ? 4000 : 1001)
        return switch random.next() % 36 {
        case 0: .connectRequested
        case 1:
            random.next() % 4 == 0
                ? .disconnectRequested(code: 1000, reason: "") : .connectRequested
        case 2: .probeRequested
        case 32: .suspendRequested
        case 33, 34: .resumeRequested
        case 35: .pathChanged(random.next() % 2 == 0 ? .usable : .unusable)
        case 3...7: .requestProvided(stamp)
        case 8: .requestFailed(stamp, "no")
        case 9, 10: .connectProgressed(stamp, .tls)
        case 11...15: .transportOpened(stamp)
        case 16...21: .pongReceived(stamp, machine.lastPing)
        case 22: .pongReceived(stamp, PingID(random.next() % (machine.lastPing.number + 2)))
        case 23: .readingPaused(stamp)
        case 24: .readingResumed(stamp)
        case 25: .transportClosed(stamp, .closedByPeer(peer))
        case 26: .frameReceived(stamp)
        case 27:
            random.next() % 2 == 0
                ? .transportClosed(stamp, .refused(Refusal(status: 401))) : .frameReceived(stamp)
        default: .timerFired(stamp)
        }
    }
}
