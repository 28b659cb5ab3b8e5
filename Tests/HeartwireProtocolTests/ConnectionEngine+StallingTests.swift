import HeartwireProtocol
import Testing

@Suite struct ConnectionEngineStallingTests {
    private func feed(_ engine: inout ConnectionEngine, _ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        engine.receive(bytes.span)
    }

    private func summaries(_ engine: inout ConnectionEngine) -> [String] {
        engine.takeEvents().map(\.summary)
    }

    @Test(
        "P4: a frame is under way from the first byte of its header to the last of its payload",
        arguments: [Role.client, .server])
    func isInFrame(_ role: Role) throws {
        var engine = try ConnectionEngine.open(role)
        let bytes = role == .client ? hex("8202 0102") : masked("8202 0102")
        var states = [engine.isInFrame]
        for byte in bytes {
            feed(&engine, [byte])
            states.append(engine.isInFrame)
        }
        let middle = [Bool](repeating: true, count: bytes.count - 1)
        #expect(states == [false] + middle + [false])
        let events = summaries(&engine)
        #expect(events == ["binary 0102"])
    }

    @Test("P4: a frame that has stood still fails the connection with 1008, once")
    func stalled() throws {
        var limits = Limits()
        limits.frameStall = .seconds(7)
        var engine = try ConnectionEngine.open(.client, limits: limits)
        feed(&engine, hex("8205 01"))
        engine.frameStalled()
        engine.frameStalled()
        let events = engine.takeEvents()
        #expect(events.map(\.summary) == ["failed 1008 10.4"])
        guard case .failed(let violation)? = events.first else { return }
        #expect(violation.description.contains("within 7.0 seconds"))
        let replies = WireFrame.all(in: engine.takeOutgoing()).map(\.summary)
        #expect(replies == ["close 1008"])
        let isOver = engine.shouldCloseTransport && !engine.isInFrame
        #expect(isOver)
    }

    @Test("P4: between frames, within a message too, nothing stands still")
    func betweenFrames() throws {
        var engine = try ConnectionEngine.open(.client)
        engine.frameStalled()
        feed(&engine, hex("0101 41"))
        engine.frameStalled()
        feed(&engine, hex("8001 42"))
        let events = summaries(&engine)
        #expect(events == ["text AB"])
    }
}
