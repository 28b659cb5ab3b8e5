import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

/// What the journal says of `report` when the first connection makes it while the second is open.
private func kinds(
    of report: TransportReport, heartbeat: HeartbeatSettings? = nil
) async throws -> [JournalEvent.Kind] {
    try await ClientWorld(.virtual).run { world in
        let watched = try world.makeClient { $0.reconnect = nil }
        for _ in 1...2 {
            await watched.client.disconnect()
            await watched.client.connect()
            try await watched.client.waitUntilOpen()
        }
        if let heartbeat { try await watched.client.setHeartbeat(heartbeat) }
        let before = watched.log.journal.count
        watched.transports.transports[0].replay(report)
        let kinds = watched.log.journal[before...].map(\.kind)
        #expect(await watched.client.state == .open(Generation(2)))
        _ = await world.windUp()
        return kinds
    }
}

@Suite("Stale reports")
struct StaleReportTests {
    @Test(
        "G1, J1: what an old connection reports stands in the journal as stale, and as nothing else",
        arguments: [
            TransportReport.progressed(.tcp), .opened, .pong(PingID(1)), .ping,
            .closed(.heartbeatTimeout),
        ])
    func stale(report: TransportReport) async throws {
        #expect(try await kinds(of: report) == [.stale])
    }

    @Test("G1: a stale message or word of room leaves no trace at all")
    func silent() async throws {
        #expect(try await kinds(of: .message(.text("old"))) == [])
        #expect(try await kinds(of: .writable) == [])
    }

    @Test("G1, H13: a heartbeat set anew tells of a stale frame where frames count, and only there")
    func setAnew() async throws {
        var heartbeat = HeartbeatSettings.every(.seconds(5), timeout: .seconds(5))
        #expect(try await kinds(of: .message(.text("old")), heartbeat: heartbeat) == [])
        heartbeat.countsInboundFrames = true
        #expect(try await kinds(of: .message(.text("old")), heartbeat: heartbeat) == [.stale])
    }

    @Test(
        "J1: a verdict and what led to it are as far apart as the settings say, to the nanosecond")
    func times() async throws {
        let log = try await ClientWorld(.virtual).run { world in
            let watched = try world.makeClient("pong=off") { configuration in
                configuration.reconnect = nil
                configuration.heartbeat = .every(.nanoseconds(1_001), timeout: .nanoseconds(777))
            }
            await watched.client.connect()
            _ = await watched.log.wait(.seconds(1)) { !$0.closes.isEmpty }
            _ = await world.windUp()
            return watched.log
        }
        let times = [JournalEvent.Kind.opened, .pingSent, .closed].compactMap {
            log.events($0).first?.time.nanoseconds
        }
        #expect(times.count == 3)
        #expect(times[1] - times[0] == 1_001 && times[2] - times[1] == 777)
    }
}

@Suite("Subscription")
struct StatesPromptnessTests {
    @Test("S1: every state reaches a consumer in the domain in the instant in which it began")
    func prompt() async throws {
        let late = try await ClientWorld(.virtual).run { world in
            let watched = try world.makeClient("close=1001@3") { configuration in
                configuration.reconnect = ReconnectPolicy()
            }
            await watched.client.connect()
            _ = await watched.log.wait(.seconds(60)) { $0.closes.count == 4 }
            await world.sleep(for: .milliseconds(1))
            let changes = watched.log.events(.stateChanged)
            let seen = watched.log.states.drop { $0.state == .idle }
            #expect(changes.count == seen.count)
            let late = zip(changes, seen).filter { $0.time != $1.time }.count
            _ = await world.windUp()
            return late
        }
        #expect(late == 0)
    }
}
