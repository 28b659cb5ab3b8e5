import HeartwireProtocol
import HeartwireSession
import Testing

@testable import Heartwire
@testable import HeartwireTesting

private func event(
    _ kind: JournalEvent.Kind, _ generation: UInt64, at nanoseconds: Int64 = 0
) -> JournalEvent {
    JournalEvent(
        time: MonotonicInstant(nanoseconds: nanoseconds), generation: Generation(generation),
        kind: kind, oldState: .open, newState: .open,
        cause: kind == .closed ? .heartbeatTimeout : nil)
}

@Suite("WatchedClient")
struct WatchedClientTests {
    /// The faults that are found when the journal holds `events`.
    private func faults(_ events: [JournalEvent]) async throws -> [String] {
        try await ClientWorld(.virtual).run { world in
            let watched = try world.makeClient()
            for event in events { watched.log.add(event) }
            watched.stopWatching()
            return watched.faults
        }
    }

    @Test("a life with one close for each connection has no faults")
    func faultless() async throws {
        let life = [
            event(.requestAsked, 1), event(.opened, 1), event(.pingSent, 1, at: 1),
            event(.closed, 1, at: 1), event(.requestAsked, 2, at: 2), event(.closed, 2, at: 3),
        ]
        #expect(try await faults(life) == [])
    }

    @Test("G4: two closes of one connection, or none, are a fault")
    func closes() async throws {
        #expect(
            try await faults([event(.requestAsked, 1), event(.closed, 1), event(.closed, 1)])
                == ["g1 has 2 closes, not exactly one"])
        #expect(
            try await faults([event(.requestAsked, 1)]) == ["g1 has 0 closes, not exactly one"])
    }

    @Test("H7: a generation that comes again or goes back is a fault")
    func generations() async throws {
        let twice = [
            event(.requestAsked, 1), event(.requestAsked, 1), event(.closed, 1),
        ]
        #expect(
            try await faults(twice).first == "generations do not strictly increase: [g1, g1]")
        let back = [
            event(.requestAsked, 2), event(.closed, 2), event(.requestAsked, 1), event(.closed, 1),
        ]
        #expect(try await faults(back) == ["generations do not strictly increase: [g2, g1]"])
    }

    @Test("a ping after the close, or a second opening, is a fault")
    func afterwards() async throws {
        let ping = [event(.requestAsked, 1), event(.closed, 1, at: 1), event(.pingSent, 1, at: 2)]
        #expect(try await faults(ping).count == 1)
        let opened = [
            event(.requestAsked, 1), event(.opened, 1), event(.opened, 1), event(.closed, 1),
        ]
        #expect(try await faults(opened) == ["g1 was opened more than once"])
    }

    @Test("T1: a transport that ends twice, or is never ended, is a fault")
    func transports() async throws {
        let faults = try await ClientWorld(.virtual).run { world in
            let watched = try world.makeClient()
            let request = try ConnectionRequest(url: world.url())
            let made = (1...2).map { number in
                watched.transports.makeTransport(
                    Generation(number), request: request, observer: Deaf())
            }
            let twice = watched.transports.transports[0]
            twice.transportClosed(Generation(1), .heartbeatTimeout)
            twice.transportClosed(Generation(1), .heartbeatTimeout)
            watched.stopWatching()
            return withExtendedLifetime(made) { watched.faults }
        }
        #expect(
            faults == ["the transport of g1 ended 2 times", "the transport of g2 was left behind"])
    }

    @Test("states and messages are written down over all of a client's lives")
    func watches() async throws {
        let seen = try await ClientWorld(.virtual).run { world in
            let watched = try world.makeClient("hello=2x3") { $0.reconnect = nil }
            for _ in 1...2 {
                await watched.client.connect()
                let wanted = watched.log.messages.count + 2
                _ = await watched.log.wait(.seconds(1)) { $0.messages.count == wanted }
                await watched.client.disconnect()
            }
            _ = await world.windUp()
            return (watched.log.messages.count, watched.log.states.count, watched.faults)
        }
        // Idle, then twice connecting, open, closing, stopped; perhaps idle is not seen any more.
        #expect(seen.0 == 4 && (8...9).contains(seen.1) && seen.2 == [])
    }

    private final class Deaf: TransportObserver {
        func transportProgressed(_ generation: Generation, _ phase: ConnectPhase) {}
        func transportOpened(_ generation: Generation, _ opened: OpenedConnection) {}
        func transportReceived(_ generation: Generation, _ message: Message) {}
        func transportFinishedBatch(_ generation: Generation) {}
        func transportReceivedPing(_ generation: Generation, payload: [UInt8]) {}
        func transportReceivedPong(_ generation: Generation, _ id: PingID) {}
        func transportBecameWritable(_ generation: Generation) {}
        func transportClosed(_ generation: Generation, _ cause: CloseCause) {}
    }
}
