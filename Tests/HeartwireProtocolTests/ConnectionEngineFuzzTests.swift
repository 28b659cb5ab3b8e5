import HeartwireProtocol
import Testing

@Suite("P5: no input traps, and the cut of the bytes decides nothing")
struct ConnectionEngineFuzzTests {
    /// Small limits, so that random input reaches them.
    private static let limits: Limits = {
        var limits = Limits()
        limits.messageBytes = 2_000
        limits.fragments = 20
        limits.pendingPongs = 4
        limits.eagerReservationBytes = 64
        limits.headBytes = 600
        limits.headLines = 12
        limits.refusalBodyBytes = 40
        return limits
    }()

    /// Random cuts, some of them empty.
    private static func pieces(of bytes: [UInt8], _ random: SeededSource) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let size = random.below(4) == 0 ? random.below(200) : random.below(6)
            pieces.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return pieces
    }

    /// A lawful stream of some frames towards `role`.
    private static func stream(to role: Role, _ random: SeededSource) throws -> [UInt8] {
        let peer: Role = role == .client ? .server : .client
        var engine = try ConnectionEngine.open(peer, seed: random.next())
        for _ in 0..<random.below(12) {
            let size = random.below(3) == 0 ? random.below(300) : random.below(20)
            let bytes = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            switch random.below(6) {
            case 0: try engine.send(.text(String(decoding: bytes, as: UTF8.self)))
            case 1: try engine.send(.binary(bytes))
            case 2: try engine.sendPing(Array(bytes.prefix(125)))
            case 3: try engine.sendPong(Array(bytes.prefix(125)))
            case 4:
                let frames = "0103 c3a4e2 | 8900 | 0001 82 | 8001 ac"
                engine.queueRaw(peer == .client ? masked(frames) : hex(frames))
            default: try engine.send(.text("κόσμε"))
            }
        }
        if random.below(3) == 0 { try engine.close(4000, reason: "fuzz") }
        return engine.takeOutgoing()
    }

    /// Damages a few bytes, or cuts, or repeats a piece.
    private static func damage(_ bytes: [UInt8], _ random: SeededSource) -> [UInt8] {
        guard !bytes.isEmpty else { return bytes }
        var bytes = bytes
        for _ in 0..<random.below(4) {
            let offset = random.below(bytes.count)
            switch random.below(4) {
            case 0: bytes[offset] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes[offset] ^= 1 << UInt8(random.below(8))
            case 2: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: offset)
            default: bytes.removeSubrange(offset..<min(bytes.count, offset + random.below(5)))
            }
            if bytes.isEmpty { break }
        }
        return bytes
    }

    @Test("Damaged streams of frames, both roles", arguments: [Role.client, .server])
    func frames(to role: Role) throws {
        let random = SeededSource(seed: 6455)
        for round in 0..<1_500 {
            let bytes = Self.damage(try Self.stream(to: role, random), random)
            let whole = try ConnectionEngine.record(role, [bytes], limits: Self.limits, eof: true)
            let cut = try ConnectionEngine.record(
                role, Self.pieces(of: bytes, random), limits: Self.limits, eof: true)
            #expect(cut == whole, "round \(round)")
            #expect(whole.events.filter { $0 == .ended }.count == 1)
            #expect(whole.events.last == .ended)
        }
    }

    @Test("Random bytes, both roles", arguments: [Role.client, .server])
    func noise(to role: Role) throws {
        let random = SeededSource(seed: 7692)
        for round in 0..<3_000 {
            var bytes = (0..<random.below(80)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            // Lawful first bytes get further than noise does.
            if bytes.count > 1 {
                bytes[0] = [0x81, 0x82, 0x01, 0x02, 0x88, 0x89, 0x8A][random.below(7)]
                bytes[1] = (role == .server ? 0x80 : 0) | UInt8(random.below(128))
            }
            let whole = try ConnectionEngine.record(role, [bytes], limits: Self.limits)
            let cut = try ConnectionEngine.record(
                role, Self.pieces(of: bytes, random), limits: Self.limits)
            #expect(cut == whole, "round \(round)")
        }
    }

    @Test("Damaged opening handshakes, both roles", arguments: [Role.client, .server])
    func openings(to role: Role) throws {
        let random = SeededSource(seed: 9112)
        let request = try OpeningRequest(
            url: WebSocketURL("ws://server.example/chat"), subprotocols: ["a", "b"])
        for round in 0..<1_500 {
            var client = ConnectionEngine(
                connecting: request, limits: Self.limits, random: SeededSource(seed: 5))
            var server = ConnectionEngine(accepting: Limits(), random: SeededSource(seed: 5))
            var bytes = client.takeOutgoing()
            if role == .client {
                server.receive(bytes.span)
                if random.below(4) == 0 {
                    server.reject(status: 503, headers: ["Retry-After": "7"], body: "later")
                } else {
                    server.accept(subprotocol: "b")
                }
                bytes = server.takeOutgoing()
            }
            bytes = Self.damage(bytes + (try Self.stream(to: role, random)), random)
            let whole = Self.open(role, request, [bytes])
            let cut = Self.open(role, request, Self.pieces(of: bytes, random))
            #expect(cut == whole, "round \(round)")
        }
    }

    /// Feeds an engine that is not open yet; a server accepts whatever is lawful, at the end.
    private static func open(
        _ role: Role, _ request: OpeningRequest, _ pieces: [[UInt8]]
    ) -> Recording {
        var engine: ConnectionEngine
        switch role {
        case .client:
            engine = ConnectionEngine(
                connecting: request, limits: limits, random: SeededSource(seed: 5))
        case .server:
            engine = ConnectionEngine(accepting: limits, random: SeededSource(seed: 5))
        }
        for piece in pieces { engine.receive(piece.span) }
        engine.accept(subprotocol: "b")
        engine.receiveEOF()
        let events = engine.takeEvents().map { event in
            guard case .failed(let violation) = event else { return event }
            return .failed(violation.withoutGreeting)
        }
        return Recording(
            events: events, outgoing: engine.takeOutgoing(), state: engine.state)
    }

    @Test("Any order of calls keeps the promises: one failure, one Close each way, one end")
    func calls() throws {
        let random = SeededSource(seed: 2_011)
        for round in 0..<1_000 {
            let role: Role = random.below(2) == 0 ? .client : .server
            var engine = try ConnectionEngine.open(role, limits: Self.limits, seed: random.next())
            var events: [EngineEvent] = []
            var written: [UInt8] = []
            for _ in 0..<random.below(20) {
                switch random.below(10) {
                case 0: try? engine.send(.text("x"))
                case 1: try? engine.sendPing([1])
                case 2: try? engine.close(1000)
                case 3 where random.below(4) == 0: engine.fail(.internalError)
                case 4 where random.below(4) == 0: engine.receiveEOF()
                case 5:
                    let all = engine.withOutgoing { Array($0) }
                    let amount = random.below(all.count + 1)
                    written += all.prefix(amount)
                    engine.didWrite(amount)
                case 6: engine.releaseBuffers()
                default:
                    let bytes = Self.damage(try Self.stream(to: role, random), random)
                    engine.receive(bytes.span)
                }
                events += engine.takeEvents()
            }
            written += engine.takeOutgoing()
            let replies = WireFrame.all(in: written).map(\.summary)
            #expect(replies.filter { $0.hasPrefix("close") }.count <= 1, "round \(round)")
            let terminal = events.map(\.summary).filter {
                $0.hasPrefix("close") || $0.hasPrefix("failed")
            }
            #expect(terminal.count <= 1, "round \(round)")
            #expect(events.filter { $0 == .ended }.count <= 1, "round \(round)")
        }
    }
}
