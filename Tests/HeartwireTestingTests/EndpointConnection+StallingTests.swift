import HeartwireProtocol
import HeartwireTesting
import Testing

/// Clients that begin a frame and do not go on, in virtual time.
@Suite struct EndpointConnectionStallingTests {
    /// A masked binary frame of three bytes, whose key is zero.
    private let frame: [UInt8] = [0x82, 0x83, 0, 0, 0, 0, 1, 2, 3]

    private func world(stall: Duration = .seconds(30), highWater: Int = 1 << 20) -> World {
        var limits = Limits()
        limits.frameStall = stall
        limits.outgoingHighWater = highWater
        limits.outgoingLowWater = highWater / 4
        return World(limits: limits)
    }

    @Test(
        "P4: the endpoint fails a frame that stands still at the limit, not one unit before",
        arguments: [1, 2, 4, 6, 8])
    func atTheLimit(_ count: Int) throws {
        let world = world()
        let peer = try world.open()
        world.executor.advance(by: .milliseconds(1_000))
        try peer.act { engine in engine.queueRaw(Array(frame.prefix(count))) }
        world.executor.advance(by: .milliseconds(29_999))
        #expect(peer.close == nil)
        #expect(world.endpoint.connections.map(\.state) == [.open])
        world.executor.advance(by: .milliseconds(1))
        #expect(peer.close?.code == .policyViolation)
        #expect(peer.close?.reason.contains("a frame to go on within 30.0 seconds") == true)
        #expect(peer.endTime == 31_000)
        #expect(world.endpoint.connections.isEmpty)
        #expect(world.journal.map(\.kind).contains(.closeSent(.policyViolation)))
        #expect(world.executor.runToEnd())
    }

    @Test("P4: a byte one unit before the limit counts, one at it is too late")
    func oneBefore() throws {
        let world = world()
        let peer = try world.open()
        try peer.act { engine in engine.queueRaw(Array(frame.prefix(7))) }
        world.executor.advance(by: .milliseconds(29_999))
        try peer.act { engine in engine.queueRaw([frame[7]]) }
        world.executor.advance(by: .milliseconds(29_999))
        try peer.act { engine in engine.queueRaw([frame[8]]) }
        #expect(peer.messages == [.binary([1, 2, 3])])
        // Between frames there may be any time, and no timer is left to look.
        world.executor.advance(by: .seconds(600))
        #expect(world.endpoint.connections.map(\.state) == [.open])

        try peer.act { engine in engine.queueRaw(Array(frame.prefix(7))) }
        world.executor.advance(by: .milliseconds(30_000))
        try peer.act { engine in engine.queueRaw([frame[7], frame[8]]) }
        #expect(peer.close?.code == .policyViolation)
        #expect(world.endpoint.counters.messages == 1)
    }

    @Test("P4: one byte a read of a long message, each in time, is no stall; the next one is")
    func longMessage() throws {
        let world = world(stall: .seconds(1))
        let peer = try world.open()
        let header: [UInt8] = [0x82, 0xFF, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        try peer.act { engine in engine.queueRaw(header) }
        for _ in 0..<100 {
            world.executor.advance(by: .milliseconds(999))
            try peer.act { engine in engine.queueRaw([7]) }
        }
        #expect(peer.close == nil)
        world.executor.advance(by: .milliseconds(1_000))
        #expect(peer.close?.code == .policyViolation)
    }

    @Test("P4: a piece of a frame glued to a request is watched once the request is answered")
    func glued() throws {
        for (target, answered) in [("/", 0), ("/?delay=5000", 5_000)] as [(String, Int64)] {
            let world = world()
            let wire = Diary(world.executor)
            world.executor.perform {
                wire.channel = world.network.connect(port: World.port, handler: wire)
            }
            world.executor.runUntilIdle()
            let lines = [
                "GET \(target) HTTP/1.1", "Host: h", "Upgrade: websocket", "Connection: Upgrade",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13", "", "",
            ]
            let bytes = Array(lines.joined(separator: "\r\n").utf8) + frame.prefix(3)
            world.executor.perform { _ = bytes.withUnsafeBytes { wire.channel?.write($0) } }
            world.executor.advance(by: .milliseconds(answered + 29_999))
            #expect(world.endpoint.connections.map(\.state) == [.open], "\(target)")
            world.executor.advance(by: .milliseconds(1))
            #expect(world.endpoint.connections.isEmpty, "\(target)")
            #expect(world.journal.map(\.kind).contains(.closeSent(.policyViolation)), "\(target)")
        }
    }

    @Test("P4: while the endpoint does not read it is not the client that stands still")
    func paused() throws {
        let world = world(highWater: 4_000)
        world.network.pipeCapacity = 2_000
        let peer = try world.open()
        world.executor.perform { peer.channel?.setReading(false) }
        try peer.act { engine throws(SendError) in
            for _ in 0..<40 { try engine.send(.binary([UInt8](repeating: 7, count: 494))) }
            engine.queueRaw(Array(frame.prefix(7)))
        }
        world.executor.advance(by: .seconds(90))
        #expect(world.endpoint.connections.map(\.state) == [.open])
        let held = world.endpoint.counters.messages
        #expect(held < 40)

        world.executor.perform { peer.channel?.setReading(true) }
        world.executor.advance(by: .milliseconds(29_000))
        #expect(peer.messages.count == 40)
        #expect(peer.close == nil)
        world.executor.advance(by: .seconds(2))
        #expect(peer.close?.code == .policyViolation)
    }

    @Test("P4: a connection that ends takes its timer with it, and what is frozen stays frozen")
    func endings() throws {
        let world = world()
        let peer = try world.open()
        try peer.act { engine in engine.queueRaw(Array(frame.prefix(3))) }
        world.executor.advance(by: .seconds(2))
        world.executor.perform { peer.channel?.finish() }
        #expect(world.executor.runToEnd())
        #expect(world.milliseconds < 20_000)
        #expect(!world.journal.map(\.kind).contains(.closeSent(.policyViolation)))

        let frozen = try world.open("/?freeze@100")
        try frozen.act { engine in engine.queueRaw(Array(frame.prefix(3))) }
        world.executor.advance(by: .seconds(60))
        #expect(world.endpoint.connections.map(\.state) == [.frozen])
        #expect(frozen.close == nil)
    }
}
