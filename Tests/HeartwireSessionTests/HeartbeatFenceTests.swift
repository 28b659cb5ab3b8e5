import HeartwireSession
import Testing

// Pings that are wanted for their pongs.
extension HeartbeatTests {
    @Test(
        "D3, H3: at rest a fence's ping goes out at once; while a pong is awaited there is no second one"
    )
    func fenceAtRest() throws {
        var machine = try resting()
        #expect(machine.fence(at: 50) == .sendPing(g1, ping1))
        #expect(machine.awaitedPing == ping1)
        #expect(!machine.isProbing)
        #expect(machine.nextDeadline == 1_050)
        #expect(machine.fence(at: 60) == nil)
        machine.pong(g1, ping1, at: 70)
        #expect(machine.nextDeadline == 170)
        #expect(machine.fence(at: 80) == .sendPing(g1, ping2))
    }

    @Test(
        "D3: a fence at the moment a ping is due sends the ping that was due, after a sleep as the probe"
    )
    func fenceWhenDue() throws {
        var machine = try resting()
        #expect(machine.fence(at: 100) == .sendPing(g1, ping1))
        #expect(!machine.isProbing)
        var slept = try resting()
        #expect(slept.fence(at: 50_000) == .sendPing(g1, ping1))
        #expect(slept.isProbing)
    }

    @Test("D3: no fence while nothing is read, nor without an open connection")
    func noFence() throws {
        var machine = try resting()
        machine.readingPaused(g1)
        #expect(machine.fence(at: 50) == nil)
        machine.closed(g1)
        #expect(machine.fence(at: 60) == nil)
    }

    private func resting() throws -> Heartbeat<Int> {
        var machine = try makeHeartbeat()
        _ = machine.connect()
        machine.opened(g1, at: 0)
        return machine
    }
}
