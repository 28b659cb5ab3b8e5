import HeartwireTesting
import Testing

@Suite struct VirtualChannelTests {
    // MARK: Reading

    @Test("Bytes arrive one latency after they were written, in order")
    func arrival() {
        let wire = Wire.up(latency: .milliseconds(10))
        wire.write(wire.client, "one")
        wire.executor.advance(by: .milliseconds(4))
        wire.write(wire.client, "two")
        wire.executor.advance(by: .seconds(1))
        #expect(wire.server.lines == ["30 one", "34 two"])
    }

    @Test("Nothing is reported from within a write")
    func notFromWithin() {
        let wire = Wire.up()
        wire.write(wire.client, "x")
        #expect(wire.server.lines.isEmpty)
        wire.executor.runUntilIdle()
        #expect(wire.server.lines == ["0 x"])
    }

    @Test("Both directions are independent")
    func bothDirections() {
        let wire = Wire.up()
        wire.write(wire.client, "up")
        wire.write(wire.server, "down")
        wire.executor.runUntilIdle()
        #expect(wire.server.lines == ["0 up"])
        #expect(wire.client.lines == ["0 down"])
    }

    @Test("A read size of one makes each byte a report of its own")
    func splitReads() {
        let wire = Wire.up(readSize: 1)
        wire.write(wire.client, "abc")
        wire.write(wire.client, "d")
        wire.executor.runUntilIdle()
        #expect(wire.server.lines == ["0 a", "0 b", "0 c", "0 d"])
    }

    @Test(
        "Bytes that come while reading is off are reported together once it is on, in a later turn")
    func readingOff() {
        let wire = Wire.up()
        wire.at(wire.server) { $0.setReading(false) }
        wire.write(wire.client, "one ")
        wire.write(wire.client, "two")
        wire.executor.advance(by: .milliseconds(5))
        #expect(wire.server.lines.isEmpty)
        wire.at(wire.server) { $0.setReading(true) }
        #expect(wire.server.lines.isEmpty)
        wire.executor.runUntilIdle()
        #expect(wire.server.lines == ["5 one two"])
    }

    @Test("Reading that is turned off from within a report holds back the rest, the end among it")
    func readingOffFromWithin() {
        let wire = Wire.up(readSize: 2)
        wire.server.onReport = { _ in wire.server.channel?.setReading(false) }
        wire.write(wire.client, "abcd")
        wire.at(wire.client) { $0.finishWriting() }
        wire.executor.advance(by: .milliseconds(1))
        #expect(wire.server.lines == ["0 ab"])
        wire.at(wire.server) { $0.setReading(true) }
        wire.executor.advance(by: .milliseconds(1))
        #expect(wire.server.lines == ["0 ab", "1 cd"])
        wire.at(wire.server) { $0.setReading(true) }
        wire.executor.runUntilIdle()
        #expect(wire.server.lines == ["0 ab", "1 cd", "2 EOF"])
    }

    @Test("Turning reading on twice reports once, and off again before the turn reports nothing")
    func readingToggled() {
        let wire = Wire.up()
        wire.at(wire.server) { $0.setReading(false) }
        wire.write(wire.client, "x")
        wire.executor.runUntilIdle()
        wire.at(wire.server) { channel in
            channel.setReading(true)
            channel.setReading(true)
            channel.setReading(false)
        }
        wire.executor.runUntilIdle()
        #expect(wire.server.lines.isEmpty)
        wire.at(wire.server) { channel in
            channel.setReading(true)
            channel.setReading(true)
        }
        wire.executor.runUntilIdle()
        #expect(wire.server.lines == ["0 x"])
    }

    // MARK: The end

    @Test(
        "finishWriting sends FIN behind the bytes, and what comes from the other side is still heard"
    )
    func halfClose() {
        let wire = Wire.up()
        wire.write(wire.client, "last")
        wire.at(wire.client) { channel in
            channel.finishWriting()
            channel.finishWriting()
        }
        #expect(wire.write(wire.client, "ignored") == 7)
        wire.executor.runUntilIdle()
        wire.write(wire.server, "answer")
        wire.executor.runUntilIdle()
        #expect(wire.server.lines == ["0 last", "0 EOF"])
        #expect(wire.client.lines == ["0 answer"])
    }

    @Test("finish sends FIN behind the bytes, and this end hears nothing more")
    func finish() {
        let wire = Wire.up()
        wire.write(wire.client, "last")
        wire.at(wire.client) { channel in
            channel.finish()
            channel.finish()
        }
        wire.write(wire.server, "unheard")
        wire.executor.runUntilIdle()
        wire.at(wire.server) { $0.finish() }
        wire.executor.runUntilIdle()
        #expect(wire.server.lines == ["0 last", "0 EOF"])
        #expect(wire.client.lines.isEmpty)
        #expect(wire.client.channel?.handler == nil)
    }

    @Test(
        "finish after the other side's FIN ends the connection; bytes that were unread are dropped")
    func finishAfterEOF() {
        let wire = Wire.up()
        wire.at(wire.client) { $0.setReading(false) }
        wire.write(wire.server, "unread")
        wire.at(wire.server) { $0.finish() }
        wire.executor.runUntilIdle()
        wire.at(wire.client) { $0.finish() }
        wire.executor.runUntilIdle()
        #expect(wire.client.lines.isEmpty)
        #expect(wire.server.lines.isEmpty)
        #expect(wire.write(wire.client, "x") == 1)
    }

    @Test("abort with reset is heard as a reset, behind the bytes that were sent before")
    func abortReset() {
        let wire = Wire.up()
        wire.write(wire.client, "last")
        wire.at(wire.client) { channel in
            channel.abort(reset: true)
            channel.abort(reset: true)
        }
        wire.executor.runUntilIdle()
        #expect(wire.server.lines == ["0 last", "0 failed reset 104"])
        #expect(wire.client.lines.isEmpty)
    }

    @Test("A reader that closes itself on the bytes ahead of a reset does not hear of the reset")
    func abortFromWithin() {
        let wire = Wire.up()
        wire.server.onReport = { _ in wire.server.channel?.abort(reset: false) }
        wire.write(wire.client, "last")
        wire.at(wire.client) { $0.abort(reset: true) }
        wire.executor.runUntilIdle()
        #expect(wire.server.lines == ["0 last"])
    }

    @Test("A reset is heard while reading is off, and what was unread is gone")
    func resetWhilePaused() {
        let wire = Wire.up()
        wire.at(wire.server) { $0.setReading(false) }
        wire.write(wire.client, "unread")
        wire.at(wire.client) { $0.abort(reset: true) }
        wire.executor.runUntilIdle()
        wire.at(wire.server) { $0.setReading(true) }
        wire.executor.runUntilIdle()
        #expect(wire.server.lines == ["0 failed reset 104"])
    }

    @Test("abort without reset is heard as FIN, and bytes sent to it are answered with RST")
    func abortPlain() {
        let wire = Wire.up()
        wire.at(wire.client) { $0.abort(reset: false) }
        wire.executor.runUntilIdle()
        #expect(wire.server.lines == ["0 EOF"])
        wire.write(wire.server, "anyone?")
        wire.executor.runUntilIdle()
        #expect(wire.server.lines == ["0 EOF", "0 failed reset 104"])
        #expect(wire.write(wire.server, "gone") == 4)
    }

    @Test("abort without reset turns into RST when bytes were unread, as in a kernel")
    func abortUnread() {
        let wire = Wire.up()
        wire.at(wire.client) { $0.setReading(false) }
        wire.write(wire.server, "unread")
        wire.executor.runUntilIdle()
        wire.at(wire.client) { $0.abort(reset: false) }
        wire.executor.runUntilIdle()
        #expect(wire.server.lines == ["0 failed reset 104"])
    }

    @Test("abort after finish ends at once, without a second FIN")
    func abortAfterFinish() {
        let wire = Wire.up()
        wire.at(wire.client) { channel in
            channel.finish()
            channel.abort(reset: false)
        }
        wire.executor.runUntilIdle()
        #expect(wire.server.lines == ["0 EOF"])
    }

    @Test("Crossing resets end both sides, and each hears of it once at most")
    func crossingResets() {
        let wire = Wire.up(latency: .milliseconds(10))
        wire.at(wire.client) { $0.abort(reset: true) }
        wire.at(wire.server) { $0.abort(reset: true) }
        #expect(wire.executor.runToEnd())
        #expect(wire.client.lines.isEmpty)
        #expect(wire.server.lines.isEmpty)
    }

    @Test("A finished end that is reset goes quietly")
    func resetAfterFinish() {
        let wire = Wire.up()
        wire.at(wire.client) { $0.finish() }
        wire.at(wire.server) { $0.abort(reset: true) }
        #expect(wire.executor.runToEnd())
        #expect(wire.client.lines.isEmpty)
    }

    // MARK: The dead line

    @Test("K02-10: a frozen line takes writes and delivers nothing, not even the end, either way")
    func frozen() {
        let wire = Wire.up()
        wire.at(wire.client) { $0.freeze() }
        #expect(wire.write(wire.client, "up") == 2)
        #expect(wire.write(wire.server, "down") == 4)
        wire.at(wire.server) { $0.abort(reset: true) }
        wire.executor.advance(by: .seconds(1_000))
        #expect(wire.client.lines.isEmpty)
        #expect(wire.server.lines.isEmpty)
    }

    @Test("A line that thaws delivers what was under way, in order")
    func thawed() {
        let wire = Wire.up(latency: .milliseconds(10))
        wire.at(wire.client) { $0.freeze() }
        wire.write(wire.client, "one")
        wire.executor.advance(by: .milliseconds(15))
        wire.write(wire.client, "two")
        wire.at(wire.client) { channel in
            channel.finishWriting()
            channel.thaw()
            channel.thaw()
        }
        wire.executor.advance(by: .seconds(1))
        #expect(wire.server.lines == ["35 one", "45 two", "45 EOF"])
    }

    // MARK: Life

    @Test("A connection that has ended is let go by both of its ends")
    func released() {
        weak var client: VirtualChannel?
        weak var server: VirtualChannel?
        do {
            let wire = Wire.up()
            client = wire.client.channel
            server = wire.server.channel
            wire.at(wire.client) { $0.finish() }
            wire.executor.runUntilIdle()
            wire.at(wire.server) { $0.finish() }
            wire.executor.runUntilIdle()
            wire.client.channel = nil
            wire.server.channel = nil
            #expect(client == nil)
            #expect(server == nil)
        }
    }

    @Test("A connection that was reset is let go by both of its ends")
    func releasedAfterReset() {
        let wire = Wire.up()
        weak let client = wire.client.channel
        weak let server = wire.server.channel
        wire.at(wire.client) { $0.abort(reset: true) }
        wire.executor.runUntilIdle()
        wire.client.channel = nil
        wire.server.channel = nil
        #expect(client == nil)
        #expect(server == nil)
    }
}
