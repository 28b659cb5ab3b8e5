import HeartwireProtocol
import Testing

@testable import HeartwireSession

// Fences.
extension SessionMachineTests {
    private func fenced(beats: Bool) throws -> SessionMachine {
        openMachine(
            SessionConfiguration(
                heartbeat: beats ? try pulse() : nil, connectTimeout: .seconds(30),
                closeTimeout: .seconds(5)))
    }

    @Test(
        "D3, H3: with and without a heartbeat a fence sends one ping, and a next one after its pong",
        arguments: [true, false])
    func fenceOnePing(beats: Bool) throws {
        var machine = try fenced(beats: beats)
        #expect(machine.handle(.fenceRequested, now: at(10)) == [.sendPing(g1, ping1)])
        #expect(machine.permits(.sendPing(g1, ping1)))
        #expect(!machine.admitsFence)
        #expect(!machine.permits(.sendPing(g1, ping2)))
        #expect(machine.handle(.fenceRequested, now: at(11)).isEmpty)
        #expect(machine.handle(.pongReceived(g1, ping2), now: at(12)).isEmpty)
        #expect(machine.handle(.fenceRequested, now: at(13)).isEmpty)
        #expect(machine.handle(.pongReceived(g1, ping1), now: at(14)).isEmpty)
        #expect(!machine.permits(.sendPing(g1, ping1)))
        #expect(machine.admitsFence)
        #expect(machine.handle(.fenceRequested, now: at(15)) == [.sendPing(g1, ping2)])
        #expect(machine.staleEvents == 0)
    }

    @Test("D3, H15: a fence's ping is judged like any other where there is a heartbeat")
    func fenceVerdict() throws {
        var machine = try fenced(beats: true)
        _ = machine.handle(.fenceRequested, now: at(10))
        #expect(machine.nextDeadline == at(1_010))
        let effects = machine.handle(.timerFired(g1), now: at(1_010))
        #expect(effects.contains(.connectionEnded(g1, .heartbeatTimeout)))
        var silent = try fenced(beats: false)
        _ = silent.handle(.fenceRequested, now: at(10))
        #expect(silent.handle(.timerFired(g1), now: at(60_000)).isEmpty)
        #expect(silent.state == .open(g1))
    }

    @Test("D3: while nothing is read no fence is sent", arguments: [true, false])
    func fencePaused(beats: Bool) throws {
        var machine = try fenced(beats: beats)
        _ = machine.handle(.readingPaused(g1), now: at(10))
        #expect(machine.handle(.fenceRequested, now: at(11)).isEmpty)
        #expect(!machine.admitsFence)
        _ = machine.handle(.readingResumed(g1), now: at(12))
        #expect(machine.handle(.fenceRequested, now: at(13)) == [.sendPing(g1, ping1)])
    }

    @Test("D3, G3: only an open connection has a fence, and none of an older one is awaited on it")
    func fencePhases() throws {
        var machine = SessionMachine(SessionConfiguration(heartbeat: nil), seed: 1)
        #expect(machine.handle(.fenceRequested, now: at(0)).isEmpty)
        #expect(!machine.admitsFence)
        machine = try fenced(beats: false)
        _ = machine.handle(.fenceRequested, now: at(0))
        _ = machine.handle(
            .transportClosed(g1, .connectionLost(ConnectionFailure(.reset))), now: at(1))
        #expect(machine.handle(.fenceRequested, now: at(2)).isEmpty)
        _ = machine.handle(.connectRequested, now: at(3))
        _ = machine.handle(.requestProvided(g2), now: at(3))
        _ = machine.handle(.transportOpened(g2), now: at(3))
        #expect(machine.handle(.fenceRequested, now: at(4)) == [.sendPing(g2, ping2)])
    }

    @Test("D3, H14: after a change of the heartbeat the fence's older ping no longer counts")
    func fenceChanged() throws {
        var machine = try fenced(beats: false)
        _ = machine.handle(.fenceRequested, now: at(0))
        _ = machine.handle(.heartbeatChanged(try pulse()), now: at(1))
        #expect(!machine.permits(.sendPing(g1, ping1)))
        #expect(machine.handle(.fenceRequested, now: at(2)) == [.sendPing(g1, ping2)])
    }
}
