import HeartwireProtocol
import HeartwireTesting
import Testing

@Suite struct VirtualNetworkTests {
    @Test("The listener hears one latency after the dialling, the caller after two")
    func connecting() {
        let wire = Wire(latency: .milliseconds(30))
        wire.dial()
        wire.executor.advance(by: .milliseconds(29))
        #expect(wire.server.lines.isEmpty)
        wire.executor.advance(by: .seconds(1))
        #expect(wire.server.lines == ["30 accepted"])
        #expect(wire.client.lines == ["60 connected"])
    }

    @Test("Without latency a connection is up in a later turn at the same instant")
    func noLatency() {
        let wire = Wire()
        wire.dial()
        #expect(wire.client.lines.isEmpty)
        wire.executor.runUntilIdle()
        #expect(wire.client.lines == ["0 connected"])
        #expect(wire.server.lines == ["0 accepted"])
    }

    @Test("A port on which nobody listens refuses after a round trip, as the kernel would say it")
    func refused() {
        let wire = Wire(latency: .milliseconds(30))
        wire.dial(port: 8)
        wire.executor.advance(by: .seconds(1))
        #expect(wire.client.lines == ["60 failed refused 111"])
    }

    @Test("A port that is not listened on any more refuses, and what is up stays up")
    func stopListening() {
        let wire = Wire.up()
        wire.network.stopListening(port: Wire.port)
        let late = Diary(wire.executor)
        wire.executor.perform { _ = wire.network.connect(port: Wire.port, handler: late) }
        wire.write(wire.client, "still here")
        wire.executor.runUntilIdle()
        #expect(late.lines == ["0 failed refused 111"])
        #expect(wire.server.lines == ["0 still here"])
    }

    @Test("A black hole gives no answer, however long one waits")
    func blackHole() {
        let wire = Wire(latency: .milliseconds(1))
        wire.network.blackHole(port: 8)
        wire.dial(port: 8)
        #expect(wire.executor.runToEnd(limit: .seconds(100_000)))
        #expect(wire.client.lines.isEmpty)
    }

    @Test("An attempt that is aborted is heard of by nobody")
    func abortedAttempt() {
        let wire = Wire(latency: .milliseconds(10))
        wire.dial()
        wire.at(wire.client) { $0.abort(reset: false) }
        wire.executor.advance(by: .seconds(1))
        #expect(wire.client.lines.isEmpty)
        #expect(wire.server.lines.isEmpty)
    }

    @Test("An attempt that is aborted when the listener has it already is reset there")
    func abortedLate() {
        let wire = Wire(latency: .milliseconds(10))
        wire.dial()
        wire.executor.advance(by: .milliseconds(15))
        wire.at(wire.client) { $0.finish() }
        wire.executor.advance(by: .seconds(1))
        #expect(wire.client.lines.isEmpty)
        #expect(wire.server.lines == ["10 accepted", "25 failed reset 104"])
    }

    @Test(
        "An attempt that nobody answers can be aborted, and a refusal that is under way is not heard"
    )
    func abortedUnanswered() {
        let wire = Wire(latency: .milliseconds(10))
        wire.dial(port: 8)
        wire.executor.advance(by: .milliseconds(15))
        wire.at(wire.client) { $0.abort(reset: true) }
        wire.executor.advance(by: .seconds(1))
        #expect(wire.client.lines.isEmpty)
    }

    @Test("The URL's port decides, the host plays no part, and attempts are counted")
    func byURL() throws {
        let wire = Wire()
        let url = try WebSocketURL("ws://nowhere.invalid:7/")
        wire.executor.perform { _ = wire.network.connect(to: url, handler: wire.client) }
        let other = try WebSocketURL("wss://nowhere.invalid/")
        wire.executor.perform { _ = wire.network.connect(to: other, handler: wire.client) }
        wire.executor.runUntilIdle()
        #expect(wire.client.lines == ["0 connected", "0 failed refused 111"])
        #expect(wire.network.attempts == 2)
    }

    @Test("A listener that writes at once is heard after the connection is up")
    func greeting() {
        let wire = Wire(latency: .milliseconds(5))
        wire.network.listen(port: 8) { channel in
            let bytes: [UInt8] = [0x68, 0x69]
            _ = bytes.withUnsafeBytes { channel.write($0) }
            channel.finish()
        }
        wire.dial(port: 8)
        wire.executor.advance(by: .seconds(1))
        #expect(wire.client.lines == ["10 connected", "10 hi", "10 EOF"])
    }

    @Test("Changed settings hold for later connections only")
    func settings() {
        let wire = Wire.up()
        wire.network.latency = .seconds(5)
        wire.write(wire.client, "fast")
        wire.executor.runUntilIdle()
        #expect(wire.server.lines == ["0 fast"])
        let late = Diary(wire.executor)
        wire.executor.perform { _ = wire.network.connect(port: Wire.port, handler: late) }
        wire.executor.advance(by: .seconds(20))
        #expect(late.lines == ["10000 connected"])
    }
}
