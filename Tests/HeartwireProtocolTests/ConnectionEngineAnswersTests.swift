import HeartwireProtocol
import Testing

/// An owner that turned `answersAutomatically` off answers in the order of the events.
@Suite struct ConnectionEngineAnswersTests {
    private func open(_ role: Role = .server) throws -> ConnectionEngine {
        var engine = try ConnectionEngine.open(role)
        engine.answersAutomatically = false
        return engine
    }

    private func receive(_ engine: inout ConnectionEngine, _ frames: String) -> [String] {
        let bytes = masked(frames)
        engine.receive(bytes.span)
        return engine.takeEvents().map(\.summary)
    }

    private func replies(_ engine: inout ConnectionEngine) -> [String] {
        WireFrame.all(in: engine.takeOutgoing()).map(\.summary)
    }

    @Test("By default the engine answers by itself")
    func automatic() throws {
        var engine = try ConnectionEngine.open(.server)
        let answersAutomatically = engine.answersAutomatically
        #expect(answersAutomatically)
        #expect(receive(&engine, "89 01 2a | 88 02 03e8") == ["ping 2a", "close 1000 "])
        #expect(replies(&engine) == ["pong 2a", "close 1000"])
    }

    @Test("RFC 6455 5.5.2: a ping is reported and its pong left to the owner")
    func ping() throws {
        var engine = try open()
        #expect(receive(&engine, "89 01 2a") == ["ping 2a"])
        #expect(replies(&engine) == [])
        try engine.sendPong([0x2A])
        #expect(replies(&engine) == ["pong 2a"])
    }

    @Test("Pings can be answered at once while the end is left to the owner, and the reverse")
    func apart() throws {
        var engine = try ConnectionEngine.open(.server)
        engine.answersEndings = false
        var automatic = engine.answersAutomatically
        #expect(!automatic)
        #expect(receive(&engine, "89 01 2a | 88 02 03e8") == ["ping 2a", "close 1000 "])
        #expect(replies(&engine) == ["pong 2a"])
        engine.answerClose()
        #expect(replies(&engine) == ["close 1000"])

        engine = try ConnectionEngine.open(.server)
        engine.answersPings = false
        automatic = engine.answersAutomatically
        #expect(!automatic)
        #expect(receive(&engine, "89 01 2a | 88 02 03e8") == ["ping 2a", "close 1000 "])
        #expect(replies(&engine) == ["close 1000"])
    }

    @Test("RFC 6455 5.5.1: what came ahead of a Close can be sent back ahead of its answer")
    func close() throws {
        var engine = try open()
        #expect(receive(&engine, "81 01 41 | 88 02 03e8") == ["text A", "close 1000 "])
        var shouldClose = engine.shouldCloseTransport
        #expect(!shouldClose)
        try engine.send(.text("A"))
        engine.answerClose()
        shouldClose = engine.shouldCloseTransport
        #expect(shouldClose)
        #expect(replies(&engine) == ["text A", "close 1000"])
        let sent = engine.closeSent
        #expect(sent == ClosePayload(code: 1000))
        engine.answerClose()
        #expect(replies(&engine) == [])
    }

    @Test(
        "K01-04: nothing is read behind a Close whose answer is owed, in the same read or a later one"
    )
    func behindClose() throws {
        var engine = try open()
        #expect(receive(&engine, "88 00 | 81 01 41") == ["close none"])
        #expect(receive(&engine, "81 01 41 | 88 02 03e9 | 83 00") == [])
        engine.answerClose()
        #expect(replies(&engine) == ["close"])
    }

    @Test("RFC 6455 7.1.7: what came ahead of a fault can be answered ahead of the Close for it")
    func fault() throws {
        var engine = try open()
        #expect(receive(&engine, "81 01 41 | 83 00 | 81 01 42") == ["text A", "failed 1002 5.2"])
        #expect(receive(&engine, "81 01 42") == [])
        var state = engine.state
        #expect(state == .open)
        try engine.send(.text("A"))
        engine.fail(.protocolError)
        state = engine.state
        #expect(state == .closed)
        #expect(replies(&engine) == ["text A", "close 1002"])
    }

    @Test("The peer's answer to our own Close ends the closing handshake, and so does a fault then")
    func closing() throws {
        for (frames, event) in [("88 02 03e8", "close 1000 "), ("83 00", "failed 1002 5.2")] {
            var engine = try open()
            try engine.close(1000)
            #expect(replies(&engine) == ["close 1000"])
            #expect(receive(&engine, frames) == [event])
            let state = engine.state
            #expect(state == .closed)
            engine.answerClose()
            #expect(replies(&engine) == [])
        }
    }

    @Test("There is nothing to answer before a Close has come, or after the stream has ended")
    func nothingToAnswer() throws {
        var engine = try open()
        engine.answerClose()
        var state = engine.state
        #expect(state == .open)
        _ = receive(&engine, "88 00")
        engine.receiveEOF()
        #expect(engine.takeEvents() == [.ended])
        engine.answerClose()
        state = engine.state
        #expect(state == .closed)
        #expect(replies(&engine) == [])
    }
}
