import HeartwireProtocol
import HeartwireSocket
import HeartwireTesting
import Testing

/// What became of a stream.
private struct Transcript: Hashable {
    var events: [EngineEvent] = []
    var written: [UInt8] = []
    var state = ConnectionEngine.State.connecting
}

/// Low enough that damaged messages reach them, in either order.
private let limits: Limits = {
    var limits = Limits()
    limits.messageBytes = 30_000
    limits.inflateRatio = 6
    limits.inflateRatioGraceBytes = 500
    return limits
}()

private let options: DeflateOptions = {
    var options = DeflateOptions()
    options.thresholdBytes = 0
    return options
}()

private struct Dice {
    let random: SeededRandomSource

    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    /// Some text that compresses well, some that does not, and some that is none.
    func message() -> Message {
        let size = [below(40), below(3_000), below(40_000)][below(3)]
        let spread = [1, 4, 26][below(3)]
        let bytes = (0..<size).map { _ in UInt8(97 + below(spread)) }
        return below(2) == 0 ? .text(String(decoding: bytes, as: UTF8.self)) : .binary(bytes)
    }

    func damaged(_ bytes: [UInt8], from start: Int) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<below(3) where bytes.count > start {
            bytes[start + below(bytes.count - start)] ^= 1 << UInt8(below(8))
        }
        return bytes
    }

    func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        let longest = [3, 700, 5_000][below(3)]
        while !rest.isEmpty {
            pieces.append(Array(rest.prefix(1 + below(longest))))
            rest = rest.dropFirst(pieces[pieces.count - 1].count)
        }
        return pieces
    }
}

extension ConnectionEngine {
    fileprivate mutating func takeWritten() -> [UInt8] {
        let bytes = withOutgoing { Array($0) }
        didWrite(bytes.count)
        return bytes
    }
}

@Suite("P2: how the network cut a compressed stream decides nothing, with zlib")
struct CompressionCutTests {
    private func makeClient() throws -> ConnectionEngine {
        ConnectionEngine(
            connecting: try OpeningRequest(url: WebSocketURL("ws://server.example/")),
            limits: limits, random: SeededRandomSource(seed: 1), compression: .deflate(options),
            codec: ZlibCodec())
    }

    /// What a peer of `role` writes, from the opening on, and where its frames begin.
    private func stream(to role: Role, _ dice: Dice) throws -> (bytes: [UInt8], frames: Int) {
        var client = try makeClient()
        var server = ConnectionEngine(accepting: limits, random: SeededRandomSource(seed: 2))
        let request = client.takeWritten()
        server.receive(request.span)
        server.accept(compression: .deflate(options), codec: ZlibCodec())
        let answer = server.takeWritten()
        client.receive(answer.span)
        var bytes = role == .client ? answer : request
        let frames = bytes.count
        for _ in 0...dice.below(4) {
            let message = dice.message()
            if role == .client { try server.send(message) } else { try client.send(message) }
        }
        bytes += role == .client ? server.takeWritten() : client.takeWritten()
        return (bytes, frames)
    }

    /// A server accepts as soon as it is asked, as an owner does between two reads.
    private func transcript(of pieces: [[UInt8]], _ role: Role) throws -> Transcript {
        var engine = try makeClient()
        if role == .server {
            engine = ConnectionEngine(accepting: limits, random: SeededRandomSource(seed: 2))
        } else {
            _ = engine.takeWritten()
        }
        var transcript = Transcript()
        for piece in pieces {
            engine.receive(piece.span)
            while let event = engine.nextEvent() {
                transcript.events.append(event)
                if case .requestReceived = event {
                    engine.accept(compression: .deflate(options), codec: ZlibCodec())
                }
            }
        }
        transcript.written = engine.takeWritten()
        transcript.state = engine.state
        return transcript
    }

    @Test(
        "Damaged messages, small and long, over the marks of the ratio, both roles",
        arguments: [
            Role.client, .server,
        ])
    func damaged(to role: Role) throws {
        let dice = Dice(random: SeededRandomSource(seed: 7_692))
        var faults: Set<CloseCode> = []
        for round in 0..<150 {
            let (bytes, frames) = try stream(to: role, dice)
            let input = dice.damaged(bytes, from: frames)
            // Frames that come ahead of the answer to a request are bounded by the limit of a head.
            let ways: [[[UInt8]]] =
                role == .client
                ? [[input], dice.pieces(of: input)]
                : [
                    [Array(input[..<frames]), Array(input[frames...])],
                    [Array(input[..<frames])] + dice.pieces(of: Array(input[frames...])),
                    dice.pieces(of: Array(input[..<frames]))
                        + dice.pieces(
                            of: Array(input[frames...])),
                ]
            let whole = try transcript(of: ways[0], role)
            for way in ways.dropFirst() {
                #expect(try transcript(of: way, role) == whole, "round \(round)")
            }
            if case .failed(let violation) = whole.events.last {
                faults.insert(violation.closeCode)
            }
        }
        #expect(faults.isSuperset(of: [.protocolError, .invalidPayloadData, .messageTooBig]))
    }
}
