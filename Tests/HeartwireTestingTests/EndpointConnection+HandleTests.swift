import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@Suite struct EndpointConnectionHandleTests {
    /// A world with one open client, and the endpoint's handle on it.
    private func open(
        _ target: String = "/"
    ) throws -> (world: World, peer: Peer, connection: EndpointConnection) {
        let world = World()
        let peer = try world.open(target)
        return (world, peer, try #require(world.endpoint.connections.first))
    }

    private func act(_ world: World, _ body: () throws -> Void) throws {
        try world.executor.perform(body)
        world.executor.runUntilIdle()
    }

    @Test("A test can send text, binary, pings and pongs at will")
    func sending() throws {
        let (world, peer, connection) = try open()
        try act(world) {
            try connection.send(text: "t")
            try connection.send(binary: [1])
            try connection.send(.text("m"))
            try connection.ping([2])
            try connection.ping()
            try connection.pong([3])
            try connection.pong()
        }
        let expected: [EngineEvent] = [
            .message(.text("t")), .message(.binary([1])), .message(.text("m")), .pingReceived([2]),
            .pingReceived([]), .pongReceived([3]), .pongReceived([]),
        ]
        #expect(peer.events.suffix(7) == expected)
        #expect(peer.reads.count == 2)
        #expect(world.endpoint.counters.pongs == 2)
    }

    @Test("A test can close, and the client's answer ends the connection")
    func closing() throws {
        let (world, peer, connection) = try open()
        try act(world) { connection.close(1012, reason: "restart") }
        #expect(peer.close == ClosePayload(code: 1012, reason: "restart"))
        #expect(peer.end == .finished)
        #expect(connection.state == .ended)
    }

    @Test("Only the first Close goes out")
    func closingTwice() throws {
        let (world, peer, connection) = try open()
        try act(world) {
            connection.close(1001)
            connection.close(1002)
            connection.close(1006)
        }
        #expect(peer.close == ClosePayload(code: 1001))
        #expect(world.journalNames.filter { $0 == "close-sent" }.count == 1)
    }

    @Test("An unlawful Close is cut to what a frame holds, and its answer is not answered")
    func unlawfulClose() throws {
        let (world, peer, connection) = try open()
        try act(world) { connection.close(1005, reason: String(repeating: "r", count: 200)) }
        let frame = Array(peer.received.suffix(127))
        #expect(frame.prefix(4) == [0x88, 125, 0x03, 0xED])
        #expect(peer.violation?.closeCode == .protocolError)
        #expect(peer.end == .finished)
        #expect(
            world.journal.map(\.kind).suffix(3) == [
                .closeSent(1005), .closeReceived(1002), .ended,
            ])
    }

    @Test("A reason without a code is unlawful and goes out as it is")
    func reasonWithoutCode() throws {
        let (world, peer, connection) = try open()
        try act(world) { connection.close(nil, reason: "x") }
        #expect(Array(peer.received.suffix(3)) == [0x88, 1, 0x78])
        #expect(peer.violation != nil)
    }

    @Test("A test can put any bytes on the wire, half a frame too")
    func rawBytes() throws {
        let (world, peer, connection) = try open()
        try act(world) { connection.send(raw: [0x81, 0x03, 0x61]) }
        #expect(peer.messages.isEmpty)
        try act(world) { connection.send(raw: [0x62, 0x63]) }
        #expect(peer.messages == [.text("abc")])
        try act(world) { connection.send(raw: [0x83, 0x00]) }
        #expect(peer.violation?.closeCode == .protocolError)
    }

    @Test("A test can drop with FIN behind what is queued, or with RST")
    func dropping() throws {
        let (world, peer, connection) = try open()
        try act(world) {
            try connection.send(text: "last")
            connection.drop(.fin)
            connection.drop(.rst)
        }
        #expect(peer.messages == [.text("last")])
        #expect(peer.end == .finished)

        let other = try world.open()
        let second = try #require(world.endpoint.connections.first)
        try act(world) { second.drop(.rst) }
        #expect(other.end == .failed(.reset))
        try act(world) { second.drop(.rst) }
        #expect(
            world.journal.filter { $0.kind.name == "dropped" }.map(\.kind) == [
                .dropped(.fin), .dropped(.rst),
            ])
    }

    @Test("A test can freeze, and drop a frozen connection later")
    func freezing() throws {
        let (world, peer, connection) = try open()
        try act(world) {
            connection.freeze()
            connection.freeze()
            try? connection.send(text: "never")
        }
        try peer.send(.text("unread"))
        world.executor.advance(by: .seconds(100))
        #expect(peer.messages.isEmpty)
        #expect(world.endpoint.counters.messages == 0)
        try act(world) { connection.drop(.rst) }
        #expect(peer.end == .failed(.reset))
        #expect(world.journalNames.filter { $0 == "frozen" }.count == 1)
    }

    @Test("A frozen connection can be ended with FIN, too")
    func frozenFin() throws {
        let (world, peer, connection) = try open()
        try act(world) { connection.freeze() }
        try act(world) { connection.drop(.fin) }
        #expect(peer.end == .finished)
        #expect(connection.state == .ended)
    }

    @Test("Sending on a connection that is closing or over is the caller's fault and says so")
    func sendingLate() throws {
        let (world, _, connection) = try open()
        world.executor.perform {
            connection.close(1000)
            #expect(throws: SendError.closing) { try connection.send(text: "x") }
            #expect(throws: SendError.closing) { try connection.ping() }
            #expect(throws: SendError.closing) { try connection.pong() }
        }
        world.executor.runUntilIdle()
        try act(world) {
            #expect(throws: SendError.closed) { try connection.send(binary: []) }
            connection.send(raw: [0])
            connection.close(1000)
            connection.freeze()
        }
        #expect(connection.state == .ended)
    }

    @Test("A ping payload of 126 bytes is refused")
    func longPing() throws {
        let (world, _, connection) = try open()
        try act(world) {
            #expect(throws: SendError.controlPayloadTooLong(126)) {
                try connection.ping([UInt8](repeating: 0, count: 126))
            }
        }
    }
}
