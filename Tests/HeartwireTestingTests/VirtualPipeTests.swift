import HeartwireTesting
import Testing

@Suite struct VirtualPipeTests {
    @Test("A pipe takes what it has room for, and tells once when there is room again")
    func backPressure() {
        let wire = Wire.up(capacity: 10)
        wire.at(wire.server) { $0.setReading(false) }
        #expect(wire.write(wire.client, "0123456789abc") == 10)
        #expect(wire.write(wire.client, "abc") == 0)
        #expect(wire.client.channel?.unacknowledgedBytes == 10)
        wire.executor.advance(by: .milliseconds(5))
        #expect(wire.client.lines.isEmpty)
        wire.at(wire.server) { $0.setReading(true) }
        wire.executor.runUntilIdle()
        #expect(wire.server.lines == ["5 0123456789"])
        #expect(wire.client.lines == ["5 writable"])
        #expect(wire.client.channel?.unacknowledgedBytes == 0)
        #expect(wire.write(wire.client, "abc") == 3)
        wire.executor.runUntilIdle()
        #expect(wire.client.lines == ["5 writable"])
    }

    @Test("A write that fits to the byte is no short write")
    func exactFit() {
        let wire = Wire.up(capacity: 4)
        #expect(wire.write(wire.client, "full") == 4)
        wire.executor.runUntilIdle()
        #expect(wire.client.lines.isEmpty)
    }

    @Test("Nothing written is nothing sent")
    func empty() {
        let wire = Wire.up()
        #expect(wire.write(wire.client, "") == 0)
        #expect(wire.executor.pendingTimers == 0)
    }

    @Test("The news of room takes a latency of its own")
    func roomTakesTime() {
        let wire = Wire.up(latency: .milliseconds(10), capacity: 4)
        wire.write(wire.client, "fullmore")
        wire.executor.advance(by: .seconds(1))
        #expect(wire.server.lines == ["30 full"])
        #expect(wire.client.lines == ["40 writable"])
    }

    @Test("A frozen line tells of no room; thawed it does")
    func frozenRoom() {
        let wire = Wire.up(latency: .milliseconds(10), capacity: 4)
        wire.write(wire.client, "fullmore")
        wire.executor.advance(by: .milliseconds(10))
        wire.at(wire.client) { $0.freeze() }
        wire.executor.advance(by: .seconds(1))
        #expect(wire.server.lines == ["30 full"])
        #expect(wire.client.lines.isEmpty)
        wire.at(wire.client) { $0.thaw() }
        wire.executor.runUntilIdle()
        #expect(wire.client.lines == ["1030 writable"])
    }

    @Test("Bytes for an end that has finished are thrown away and make room")
    func drained() {
        let wire = Wire.up(capacity: 4)
        wire.at(wire.server) { $0.finish() }
        wire.write(wire.client, "fullmore")
        wire.executor.runUntilIdle()
        #expect(wire.client.lines.contains("0 writable"))
        #expect(wire.client.channel?.unacknowledgedBytes == 0)
    }

    @Test("A sender that has ended hears nothing of room")
    func endedSender() {
        let wire = Wire.up(capacity: 4)
        wire.write(wire.client, "fullmore")
        wire.at(wire.client) { $0.abort(reset: false) }
        wire.executor.runUntilIdle()
        #expect(wire.client.lines.isEmpty)
        #expect(wire.server.lines == ["0 full", "0 EOF"])
    }

    @Test("A hundred thousand bytes come whole through a pipe of one hundred, in reads of seven")
    func manyPieces() {
        let wire = Wire.up(latency: .microseconds(3), capacity: 100, readSize: 7)
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var sent = 0
        var received = 0
        wire.client.onReport = { _ in
            sent += bytes[sent...].withUnsafeBytes { wire.client.channel?.write($0) ?? 0 }
        }
        wire.server.onReport = { _ in received += 1 }
        wire.executor.perform { wire.client.onReport?("start") }
        #expect(wire.executor.runToEnd())
        #expect(sent == 100_000)
        #expect(received >= 100_000 / 7)
        #expect(wire.client.channel?.unacknowledgedBytes == 0)
    }
}
