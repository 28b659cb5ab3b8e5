import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("The client's heartbeat")
struct ClientHeartbeatTests {
    private let world = World()

    @Test("H2, H6: pings go out one interval after the opening and after each pong, and no more")
    func pings() throws {
        let client = try world.openClient("/?pong=late:250") {
            $0.heartbeat = .every(.seconds(1), timeout: .seconds(1))
        }
        world.executor.advance(by: .milliseconds(4_999))
        let times = world.endpointEvents.filter { $0.kind.name == "ping" }.map(\.time)
        #expect(
            times == [
                .milliseconds(1_000), .milliseconds(2_250), .milliseconds(3_500),
                .milliseconds(4_750),
            ])
        #expect(try world.state(client) == .open(Generation(1)))
    }

    @Test(
        "H4, H5: a pong exactly at the deadline is late; the connection is dropped without a Close frame"
    )
    func latePong() throws {
        let client = try world.client("/?pong=late:1000") {
            $0.heartbeat = .every(.seconds(1), timeout: .seconds(1))
            $0.reconnect = nil
        }
        let cause = try world.run { await WebSocketClientTests.stopCause(client) }
        #expect(cause == .refusedToRetry(.heartbeatTimeout))
        #expect(world.milliseconds == 2_000)
        #expect(!world.endpointKinds.contains { $0.name == "close-received" })
        #expect(world.journal.count { $0.kind == .aborted } == 1)
        try world.checkNothingLeft(client)
    }

    @Test(
        "H9: pongs that come twice, or for another ping, change nothing",
        arguments: [
            ("double", true), ("wrong", false),
        ])
    func oddPongs(_ pong: String, _ lives: Bool) throws {
        let world = World()
        let client = try world.openClient("/?pong=\(pong)") {
            $0.heartbeat = .every(.seconds(1), timeout: .seconds(1))
            $0.reconnect = nil
        }
        world.executor.advance(by: .seconds(10))
        let state = try world.state(client)
        #expect((state == .open(Generation(1))) == lives)
        #expect(world.causes == (lives ? [] : [.heartbeatTimeout]))
    }

    @Test("H13: messages from the server are no pongs")
    func messagesAreNoPongs() throws {
        let client = try world.openClient("/?pong=off") {
            $0.heartbeat = .every(.seconds(1), timeout: .seconds(1))
            $0.reconnect = nil
        }
        for _ in 0..<15 {
            if world.connection != nil { try world.atEndpoint { try $0.send(text: "alive") } }
            world.executor.advance(by: .milliseconds(200))
        }
        #expect(world.causes == [.heartbeatTimeout])
        try world.checkNothingLeft(client)
    }

    @Test(
        "H13, K02-05: where frames count, a message that takes longer than the timeout is life, and silence is none"
    )
    func framesCount() throws {
        var settings = HeartbeatSettings.every(.seconds(1), timeout: .seconds(2))
        settings.countsInboundFrames = true
        let counting = settings
        let client = try world.openClient("/?pong=off") {
            $0.heartbeat = counting
            $0.reconnect = nil
        }
        let length = 60 * 600
        try world.atEndpoint {
            $0.send(raw: [0x82, 126, UInt8(length >> 8), UInt8(length & 255)])
        }
        for _ in 0..<60 {
            try world.atEndpoint { $0.send(raw: [UInt8](repeating: 1, count: 600)) }
            world.executor.advance(by: .milliseconds(500))
        }
        world.executor.advance(by: .milliseconds(2_499))
        #expect(world.causes == [])
        world.executor.advance(by: .milliseconds(1))
        #expect(world.causes == [.heartbeatTimeout])
        try world.checkNothingLeft(client)
    }

    @Test(
        "H13: what counts as life can be changed while the connection is open",
        arguments: [true, false])
    func framesCountFromNowOn(_ counts: Bool) throws {
        let world = World()
        var settings = HeartbeatSettings.every(.seconds(1), timeout: .seconds(1))
        settings.countsInboundFrames = !counts
        let (first, second) = (settings, HeartbeatSettings.every(.seconds(1), timeout: .seconds(1)))
        let client = try world.openClient("/?pong=off") {
            $0.heartbeat = first
            $0.reconnect = nil
        }
        try world.run {
            var changed = second
            changed.countsInboundFrames = counts
            try await client.setHeartbeat(changed)
        }
        for _ in 0..<15 {
            if world.connection != nil { try world.atEndpoint { try $0.send(text: "alive") } }
            world.executor.advance(by: .milliseconds(200))
        }
        #expect(world.causes == (counts ? [] : [.heartbeatTimeout]))
    }

    @Test("H13, J1: where frames count, what comes during the close is not told as stale")
    func framesDuringTheClose() throws {
        var settings = HeartbeatSettings.every(.seconds(1), timeout: .seconds(1))
        settings.countsInboundFrames = true
        let counting = settings
        let client = try world.openClient("/?freeze@0") {
            $0.heartbeat = counting
            $0.reconnect = nil
        }
        let received = Box(0)
        world.start { for await _ in client.messages { received.value += 1 } }
        world.start { await client.disconnect() }
        world.executor.advance(by: .milliseconds(100))
        for _ in 0..<5 {
            world.executor.perform {
                client.core.transportReceived(Generation(1), .text("meanwhile"))
                client.core.transportFinishedBatch(Generation(1))
            }
            world.executor.advance(by: .milliseconds(100))
        }
        #expect(JournalEvent.State(try world.state(client)) == .closing)
        #expect(received.value == 5)
        world.executor.advance(by: .seconds(10))
        #expect(world.journal.filter { $0.kind == .stale } == [])
        try world.checkNothingLeft(client)
    }

    @Test("H9: pongs that nobody asked for are no life, whatever they carry")
    func unsolicitedPongs() throws {
        let client = try world.openClient("/?pong=off") {
            $0.heartbeat = .every(.seconds(1), timeout: .seconds(1))
            $0.reconnect = nil
        }
        for _ in 0..<19 {
            try world.atEndpoint {
                for id in 0..<20 where id != 1 { try $0.pong([0, 0, 0, 0, 0, 0, 0, UInt8(id)]) }
                try $0.pong([])
                try $0.pong([UInt8](repeating: 0, count: 125))
            }
            world.executor.advance(by: .milliseconds(100))
        }
        #expect(world.causes == [])
        world.executor.advance(by: .milliseconds(100))
        #expect(world.causes == [.heartbeatTimeout])
        try world.checkNothingLeft(client)
    }

    @Test("K02-01, H7: the second connection starts with a clean heartbeat and survives")
    func cleanHeartbeat() throws {
        var deaf = EndpointBehaviour()
        deaf.pong = .off
        world.endpoint.script = .sequence([deaf], then: .always(EndpointBehaviour()))
        let client = try world.openClient {
            $0.heartbeat = .every(.seconds(10), timeout: .seconds(5))
        }
        world.executor.advance(by: .seconds(15 + 1 + 60))
        #expect(try world.state(client) == .open(Generation(2)))
        #expect(world.causes == [.heartbeatTimeout])
        let first = world.endpointEvents.first { $0.kind.name == "ping" && $0.connection == 2 }
        #expect(first?.time == .seconds(26))
    }

    @Test("K02-02: a heartbeat timeout is not taken for a clean close, and the client reconnects")
    func timeoutReconnects() throws {
        let client = try world.openClient("/?pong=off") {
            $0.heartbeat = .every(.seconds(1), timeout: .seconds(1))
        }
        world.executor.advance(by: .milliseconds(3_500))
        #expect(world.causes == [.heartbeatTimeout])
        #expect(try world.state(client) == .open(Generation(2)))
    }
}
