import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireSocket

extension TCPChannelTests {
    @Test("a read takes no more than was asked for, and nothing is lost by it")
    func limitedReads() async throws {
        let pair = try await connectedPair(.poll)
        let block = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for (limit, largest) in [(8_192, 8_192), (0, 1), (Int.max, block.count)] {
            let before = pair.clientHandler.log.entries.count
            let bytes = limit == 0 ? Array(block.prefix(100)) : block
            try await on(pair.loop) { pair.client.limitReads(to: limit) }
            _ = try await on(pair.loop) { pair.serverChannel.write(bytes) }
            let reports = await pair.clientHandler.log.wait {
                RecordingHandler.bytes(Array($0.dropFirst(before))).count == bytes.count
            }
            let fresh = Array(reports.dropFirst(before))
            #expect(RecordingHandler.bytes(fresh) == bytes)
            for report in fresh { #expect(RecordingHandler.bytes([report]).count <= largest) }
        }
        pair.server.stop()
        pair.loop.shutdown()
    }

    @Test(
        "T2: bytes that are wanted where they stay come there, and what follows behind them",
        arguments: PollerKind.allCases)
    func directReading(_ kind: PollerKind) async throws {
        let pair = try await connectedPair(kind)
        let wanted = TCPChannel.smallestDirectRead + 5
        let bytes = (0..<(wanted + 1_000)).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        try await on(pair.loop) {
            pair.serverHandler.channelDirectBytes = wanted
            #expect(pair.client.write(bytes) == bytes.count)
            pair.client.finishWriting()
        }
        await pair.serverHandler.log.wait { $0.contains(.endOfStream) }
        let reports = pair.serverHandler.log.entries
        let direct = try await on(pair.loop) { pair.serverHandler.direct }
        #expect(direct.count > TCPChannel.smallestDirectRead - 1)
        #expect(direct + RecordingHandler.bytes(reports) == bytes)
        #expect(reports.last == .endOfStream)
        pair.server.stop()
        pair.loop.shutdown()
    }

    @Test(
        "T2: the end of the stream, a reset and nothing at all come by a direct read like by any",
        arguments: PollerKind.allCases)
    func directEnds(_ kind: PollerKind) async throws {
        for isReset in [false, true] {
            let pair = try await connectedPair(kind)
            try await on(pair.loop) {
                pair.serverHandler.channelDirectBytes = 1 << 20
                if isReset { pair.client.abort(reset: true) } else { pair.client.finishWriting() }
            }
            let end = isReset ? ChannelReport.failed(.reset) : .endOfStream
            await pair.serverHandler.log.wait { $0.contains(end) }
            #expect(RecordingHandler.bytes(pair.serverHandler.log.entries).isEmpty)
            pair.server.stop()
            pair.loop.shutdown()
        }
    }

    @Test(
        "T2: of a long message nothing comes elsewhere than where it stays, and little of what follows",
        arguments: PollerKind.allCases)
    func longDirectReading(_ kind: PollerKind) async throws {
        let pair = try await connectedPair(kind)
        let wanted = 2 * TCPChannel.largestDirectRead + 100
        let bytes = (0..<(wanted + 300_000)).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        try await on(pair.loop) {
            pair.serverHandler.channelDirectBytes = wanted
            var sent = 0
            pair.clientHandler.onWritable = {
                sent += pair.client.write(Array(bytes[sent...]))
                if sent == bytes.count { pair.client.finishWriting() }
            }
            pair.clientHandler.onWritable?()
        }
        let reports = await pair.serverHandler.log.wait { $0.contains(.endOfStream) }
        var direct: [Int] = []
        var behind: [Int] = []
        for report in reports {
            switch report {
            case .direct(let count):
                #expect(behind.isEmpty)
                direct.append(count)
            case .bytes(let bytes): behind.append(bytes.count)
            case .connected, .endOfStream, .writable, .failed: continue
            }
        }
        #expect(direct.reduce(0, +) == wanted)
        #expect(direct.allSatisfy { $0 <= TCPChannel.largestDirectRead })
        #expect(try #require(behind.first) <= TCPChannel.behindLongMessage)
        let came =
            try await on(pair.loop) { pair.serverHandler.direct } + RecordingHandler.bytes(reports)
        let isWhole = came == bytes
        #expect(isWhole)
        pair.server.stop()
        pair.loop.shutdown()
    }

    @Test("T2: behind a message that one direct read takes, as much is read as ever")
    func shortDirectReading() async throws {
        let pair = try await connectedPair(.poll)
        // A long message before it makes no difference.
        for wanted in [2 * TCPChannel.largestDirectRead, TCPChannel.smallestDirectRead] {
            let before = pair.serverHandler.log.entries.count
            let behind = 3 * TCPChannel.behindLongMessage
            try await on(pair.loop) { pair.serverChannel.setReading(false) }
            try await on(pair.loop) { pair.serverHandler.channelDirectBytes = wanted }
            let bytes = [UInt8](repeating: 5, count: wanted + (wanted > behind ? 0 : behind))
            #expect(try await on(pair.loop) { pair.client.write(bytes) } == bytes.count)
            try await on(pair.loop) { pair.serverChannel.setReading(true) }
            let reports = await pair.serverHandler.log.wait { reports in
                Self.received(reports.dropFirst(before)) == bytes.count
            }
            guard wanted < behind else { continue }
            #expect(RecordingHandler.bytes([try #require(reports.last)]).count == behind)
        }
        pair.server.stop()
        pair.loop.shutdown()
    }

    /// How many bytes have come in all, wherever to.
    private static func received(_ reports: some Sequence<ChannelReport>) -> Int {
        reports.reduce(0) { sum, report in
            switch report {
            case .direct(let count): sum + count
            case .bytes(let bytes): sum + bytes.count
            case .connected, .endOfStream, .writable, .failed: sum
            }
        }
    }
}
