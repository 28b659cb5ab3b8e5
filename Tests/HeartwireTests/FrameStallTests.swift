import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

/// Servers that begin a frame and do not go on, in virtual time.
@Suite struct FrameStallTests {
    private let world = RawWorld()

    /// Serves a right 101 and then `pieces`, each at its time in milliseconds.
    private func serve(_ pieces: [(milliseconds: Int, bytes: [UInt8])]) {
        world.serve { connection in
            connection.write(connection.switching)
            for piece in pieces {
                connection.after(.milliseconds(piece.milliseconds)) {
                    if !connection.hasEnded { connection.write(piece.bytes) }
                }
            }
        }
    }

    private func run(
        messages: Int = .max, stall: Duration = .seconds(30)
    ) throws -> RawWorld.Result {
        try world.run("ws://h/", messages: messages) { configuration in
            configuration.heartbeat = nil
            configuration.limits.frameStall = stall
        }
    }

    @Test(
        "P4: a frame that stands still fails at the limit, within its header or its payload",
        arguments: [[0x82], [0x82, 0x7E, 0x01], [0x82, 0x05, 1, 2]] as [[UInt8]])
    func atTheLimit(_ beginning: [UInt8]) throws {
        serve([(1_000, beginning)])
        let result = try run()
        guard case .protocolViolation(let violation)? = result.cause else {
            Issue.record("\(String(describing: result.cause))")
            return
        }
        #expect(violation.closeCode == .policyViolation)
        #expect(result.milliseconds == 31_000)
        #expect(result.messages.isEmpty)
        #expect(world.executor.runToEnd())
        // The Close frame that says why goes out while the transport lingers.
        #expect(world.connections[0].body.first == 0x88)
    }

    @Test("P4: a byte one unit before the limit counts, and the time begins anew")
    func oneBefore() throws {
        serve([(0, [0x82, 0x03, 1]), (29_999, [2]), (59_998, [3])])
        let result = try run(messages: 1)
        #expect(result.messages == [.binary([1, 2, 3])])
        #expect(result.milliseconds == 59_998)
        let late = RawWorld()
        late.serve { connection in
            connection.write(connection.switching)
            connection.write([0x82, 0x03, 1])
            connection.after(.milliseconds(30_000)) { connection.write([2, 3]) }
        }
        let cut = try late.run("ws://h/", messages: 1) { $0.heartbeat = nil }
        #expect(cut.cause?.kind == .protocolViolation)
        #expect(cut.milliseconds == 30_000)
    }

    @Test("P4: between the frames of a message there may be any time")
    func betweenFrames() throws {
        serve([(0, [0x01, 0x01, 0x41]), (600_000, [0x80, 0x01, 0x42])])
        let result = try run(messages: 1)
        #expect(result.messages == [.text("AB")])
        #expect(result.milliseconds == 600_000)
    }

    @Test("P4: the limit can be set, and a connection that ends takes its timer with it")
    func setting() throws {
        serve([(0, [0x82, 0x05, 1])])
        #expect(try run(stall: .milliseconds(5)).milliseconds == 5)
        let world = RawWorld()
        world.serve { connection in
            connection.write(connection.switching)
            connection.write([0x82, 0x05, 1])
            connection.after(.seconds(2)) { connection.channel.finish() }
        }
        let result = try world.run("ws://h/") { $0.heartbeat = nil }
        #expect(result.cause?.kind == .connectionLost)
        #expect(result.milliseconds == 2_000)
        #expect(world.executor.runToEnd())
        #expect(world.milliseconds < 10_000)
    }

    @Test("T4, P4: while nobody reads it is not the server that stands still")
    func paused() throws {
        // Two messages fill what consumers can hold, and of a third a part is there.
        let block: [UInt8] = [0x82, 0x7E, 0x04, 0x00] + [UInt8](repeating: 7, count: 1_024)
        serve([(0, block + block + [0x82, 0x02, 1]), (200_000, [2])])
        let watched = try world.client("ws://h/") { configuration in
            configuration.heartbeat = nil
            configuration.receiveBufferBytes = 1_024
        }
        let executor = world.executor
        let messages = try executor.runScript {
            watched.stopWatching()
            var iterator = watched.client.messages.makeAsyncIterator()
            await watched.client.connect()
            try await watched.client.waitUntilOpen()
            let alarm = ClientLog(executor: executor)
            _ = await alarm.wait(.seconds(180)) { _ in false }
            var messages: [Message] = []
            while messages.count < 3, let message = await iterator.next() {
                messages.append(message)
            }
            await watched.client.disconnect()
            return messages
        }
        #expect(messages.map(\.byteCount) == [1_024, 1_024, 2])
    }
}
