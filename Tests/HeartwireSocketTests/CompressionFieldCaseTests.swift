import HeartwireProtocol
import HeartwireSocket
import HeartwireTesting
import Testing

/// Two engines with zlib that have agreed on compression.
private struct Pair: ~Copyable {
    var client: ConnectionEngine
    var server: ConnectionEngine

    /// - Parameter answer: what the server's `Sec-WebSocket-Extensions` says in place of its own.
    init(
        _ options: DeflateOptions, server serverOptions: DeflateOptions = .everything,
        limits: Limits = Limits()
    ) throws {
        let request = try OpeningRequest(url: WebSocketURL("ws://server.example/"))
        let random = SeededRandomSource(seed: 1)
        client = ConnectionEngine(
            connecting: request, limits: limits, random: random, compression: .deflate(options),
            codec: ZlibCodec())
        server = ConnectionEngine(accepting: limits, random: random)
        let asked = client.takeBytes()
        server.receive(asked.span)
        server.accept(compression: .deflate(serverOptions), codec: ZlibCodec())
        let answer = server.takeBytes()
        client.receive(answer.span)
        _ = client.takeAll()
        _ = server.takeAll()
    }

    /// Gives the client bytes from the network.
    mutating func receive(_ digits: String) -> [EngineEvent] {
        let bytes = bytes(digits)
        client.receive(bytes.span)
        return client.takeAll()
    }

    /// Sends one message from the client to the server.
    mutating func send(_ message: Message) throws -> (first: UInt8, events: [EngineEvent]) {
        try client.send(message)
        let bytes = client.takeBytes()
        server.receive(bytes.span)
        return (bytes[0], server.takeAll())
    }
}

private func bytes(_ digits: String) -> [UInt8] {
    let values = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: values.count, by: 2).map {
        UInt8(values[$0] << 4 | values[$0 + 1])
    }
}

extension ConnectionEngine {
    fileprivate mutating func takeBytes() -> [UInt8] {
        let bytes = withOutgoing { Array($0) }
        didWrite(bytes.count)
        return bytes
    }

    fileprivate mutating func takeAll() -> [EngineEvent] {
        var events: [EngineEvent] = []
        while let event = nextEvent() { events.append(event) }
        return events
    }
}

extension DeflateOptions {
    fileprivate static var everything: DeflateOptions {
        var options = DeflateOptions()
        options.thresholdBytes = 0
        return options
    }
}

private func texts(_ texts: String...) -> [EngineEvent] {
    texts.map { .message(.text($0)) }
}

private func noise(_ count: Int) -> [UInt8] {
    let random = SeededRandomSource(seed: 7)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() >> 24) }
}

@Suite("K07: permessage-deflate in the field, with zlib")
struct CompressionFieldCaseTests {
    @Test("K07-01: a client with a window of 2^8 sends plain, and a server's of 2^8 is inflated")
    func smallestWindow() throws {
        var small = DeflateOptions.everything
        small.clientMaxWindowBits = 8
        small.serverMaxWindowBits = 8
        var pair = try Pair(.everything, server: small)
        #expect(pair.receive("c107 f248cdc9c90700") == texts("Hello"))
        let (first, events) = try pair.send(.text("Hello"))
        #expect(first == 0x81)
        #expect(events == texts("Hello"))
    }

    @Test("K07-04: a final block ends its message and no more than that")
    func finalBlock() throws {
        var pair = try Pair(.everything)
        #expect(
            pair.receive("c108 f348cdc9c9070000 c107 f248cdc9c90700 c107 f248cdc9c90700")
                == texts("Hello", "Hello", "Hello"))
    }

    @Test("K07-04: the same behind 200 KiB that cannot be compressed, read in odd pieces")
    func longFinalBlock() throws {
        let random = noise(200 << 10)
        var wire: [UInt8] = []
        var rest = random[...]
        while !rest.isEmpty {
            let piece = rest.prefix(65_535)
            rest = rest.dropFirst(piece.count)
            let length = UInt16(piece.count)
            wire.append(rest.isEmpty ? 1 : 0)
            for word in [length, ~length] {
                wire += [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
            }
            wire += piece
        }
        wire.append(0)
        let size = wire.count
        let header: [UInt8] =
            [0xC2, 0x7F, 0, 0, 0, 0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }
        let stream = header + wire + bytes("c107 f248cdc9c90700")
        var pair = try Pair(.everything)
        var events: [EngineEvent] = []
        for start in stride(from: 0, to: stream.count, by: 9_973) {
            let piece = Array(stream[start..<min(start + 9_973, stream.count)])
            pair.client.receive(piece.span)
            events += pair.client.takeAll()
        }
        #expect(events == [.message(.binary(random))] + texts("Hello"))
    }

    @Test("K07-05: empty messages, in both directions")
    func empty() throws {
        var pair = try Pair(.everything)
        #expect(try pair.send(.text("a")).events == texts("a"))
        for _ in 0..<2 {
            let (first, events) = try pair.send(.text(""))
            #expect(first == 0xC1)
            #expect(events == texts(""))
        }
        #expect(try pair.send(.text("a")).events == texts("a"))
        #expect(
            pair.receive("c101 00 8100 4107 f248cdc9c90700 8000") == texts("", "", "Hello"))
        let last = pair.receive("c100")
        guard case .failed(let violation)? = last.first, last.count == 1 else {
            Issue.record("a payload without deflate was taken")
            return
        }
        #expect(violation.closeCode == .invalidPayloadData)
    }

    @Test(
        "K07-07: the peer's window sees what ours has seen, whatever the threshold",
        arguments: [
            0, 100, 1_024, 3_000, 5_000,
        ])
    func windowInStep(threshold: Int) throws {
        let random = noise(4_096)
        let messages: [Message] = [
            .binary(random), .binary(random), .text(String(repeating: "Hello", count: 100)),
            .binary(Array(random.prefix(1_024))), .binary(random),
        ]
        for level in [1, 6, 9] {
            var options = DeflateOptions()
            options.thresholdBytes = threshold
            options.level = level
            var pair = try Pair(options)
            for message in messages {
                let (first, events) = try pair.send(message)
                #expect(events == [.message(message)])
                #expect((first & 0x40 != 0) == (message.byteCount >= threshold))
            }
        }
    }

    @Test("P2: every combination of windows and of contexts, kept or not, in both directions")
    func combinations() throws {
        let text = Message.text(String(repeating: "permessage-deflate, ", count: 300))
        for bits in [8, 9, 12, 15] {
            for forgets in [true, false] {
                var options = DeflateOptions.everything
                options.clientMaxWindowBits = bits
                options.serverMaxWindowBits = bits
                options.clientNoContextTakeover = forgets
                options.serverNoContextTakeover = forgets
                var pair = try Pair(options)
                for _ in 0..<3 {
                    #expect(try pair.send(text).events == [.message(text)])
                    try pair.server.send(text)
                    let bytes = pair.server.takeBytes()
                    #expect((bytes[0] == 0xC1) == (bits > 8))
                    pair.client.receive(bytes.span)
                    #expect(pair.client.takeAll() == [.message(text)])
                    pair.client.releaseBuffers()
                    pair.server.releaseBuffers()
                }
            }
        }
    }

    @Test("P2, P4: 1 GiB in 1 MiB stops at the limit, within a piece of the frame")
    func bomb() throws {
        // 16 MiB of zeros come to about 16 KiB; the frame promises 1 MiB of them.
        let zeros = [UInt8](repeating: 0, count: 16 << 20)
        let deflater = try #require(ZlibCodec().makeDeflater(windowBits: 15, level: 9))
        let block = try zeros.withUnsafeBytes { Array(try #require(deflater.deflate($0))) }
        #expect(block.count < 17_000)
        var limits = Limits()
        limits.messageBytes = 1 << 20
        var pair = try Pair(.everything, limits: limits)
        let header = bytes("c27f 0000000000100000")
        pair.client.receive(header.span)
        pair.client.receive(block.span)
        guard case .failed(let violation)? = pair.client.takeAll().first else {
            Issue.record("the bomb went off")
            return
        }
        #expect(violation.closeCode == .messageTooBig)
        #expect(pair.client.state == .closed)
    }

    @Test("P2: what is cut or spoilt is an error or another message of lawful form, never a trap")
    func spoilt() throws {
        let text = Message.text(String(repeating: "spoilt ", count: 100))
        var pair = try Pair(.everything)
        try pair.server.send(text)
        let wire = pair.server.takeBytes()
        for index in 2..<wire.count {
            for bit in 0..<8 {
                var spoilt = wire
                spoilt[index] ^= 1 << UInt8(bit)
                var other = try Pair(.everything)
                other.client.receive(spoilt.span)
                for event in other.client.takeAll() {
                    switch event {
                    case .message: #expect(other.client.state == .open)
                    case .failed(let violation): #expect(violation.closeCode.mayBeSent)
                    default: Issue.record("\(event)")
                    }
                }
            }
        }
    }
}
