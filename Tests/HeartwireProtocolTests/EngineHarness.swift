import HeartwireProtocol
import Testing

/// Bytes from hexadecimal digits; spaces and bars only help the reader.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map {
        UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
}

/// Hexadecimal digits of bytes.
func hexText(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// A generator that replays from its seed (SplitMix64).
final class SeededSource: RandomSource, RandomNumberGenerator {
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    func next() -> UInt64 { random.next() }

    /// A number from 0 up to `bound`, which is left out.
    func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }
}

/// A frame as it was read off the wire by the tests' own plain reader.
struct WireFrame: Hashable {
    var first: UInt8
    var key: [UInt8]?
    var payload: [UInt8]

    /// All the frames in `bytes`, which must end with a whole one.
    static func all(in bytes: [UInt8]) -> [WireFrame] {
        var frames: [WireFrame] = []
        var rest = bytes[...]
        while let first = rest.popFirst(), let second = rest.popFirst() {
            var length = Int(second & 0x7F)
            if length > 125 {
                let width = length == 126 ? 2 : 8
                length = rest.prefix(width).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(width)
            }
            var key: [UInt8]?
            if second & 0x80 != 0 {
                key = Array(rest.prefix(4))
                rest = rest.dropFirst(4)
            }
            let payload = rest.prefix(length).enumerated().map { offset, byte in
                key.map { byte ^ $0[offset % 4] } ?? byte
            }
            rest = rest.dropFirst(length)
            frames.append(WireFrame(first: first, key: key, payload: payload))
        }
        return frames
    }

    /// `pong 0102`, `close 1002`, `close`: what a fixture states. Reasons are left out.
    var summary: String {
        switch first {
        case 0x81: "text \(String(decoding: payload, as: UTF8.self))"
        case 0x82: "binary \(hexText(payload))"
        case 0x88 where payload.isEmpty: "close"
        case 0x88: "close \(Int(payload[0]) << 8 | Int(payload[1]))"
        case 0x89: "ping \(hexText(payload))"
        case 0x8A: "pong \(hexText(payload))"
        default: "frame \(hexText([first])) \(hexText(payload))"
        }
    }
}

/// Masks frames that are written as a server sends them, separated by bars, lawful or not.
func masked(_ frames: String, key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]) -> [UInt8] {
    frames.split(separator: "|").flatMap { frame -> [UInt8] in
        var bytes = hex(String(frame))
        guard bytes.count >= 2 else { return bytes }
        let extra = bytes[1] & 0x7F == 126 ? 2 : bytes[1] & 0x7F == 127 ? 8 : 0
        bytes[1] |= 0x80
        guard bytes.count >= 2 + extra else { return bytes }
        let payload = bytes[(2 + extra)...].enumerated().map { $1 ^ key[$0 % 4] }
        return bytes[..<(2 + extra)] + key + payload
    }
}

extension EngineEvent {
    /// One line that a fixture can state: violations by code and clause, without their words.
    var summary: String {
        switch self {
        case .requestReceived(let request): "request \(request.target)"
        case .opened: "opened"
        case .refused(let refusal): "refused \(refusal.status)"
        case .message(.text(let text)): "text \(text)"
        case .message(.binary(let bytes)): "binary \(hexText(bytes))"
        case .pingReceived(let payload): "ping \(hexText(payload))"
        case .pongReceived(let payload): "pong \(hexText(payload))"
        case .closeReceived(nil, let reason): "close none\(reason)"
        case .closeReceived(let code?, let reason): "close \(code.rawValue) \(reason)"
        case .failed(let violation): "failed \(violation.closeCode.rawValue) \(violation.clause)"
        case .ended: "ended"
        }
    }
}

/// What became of an engine that was fed.
struct Recording: Hashable {
    var events: [EngineEvent] = []
    var outgoing: [UInt8] = []
    var state: ConnectionEngine.State = .connecting

    var summaries: [String] { events.map(\.summary) }
    var replies: [String] { WireFrame.all(in: outgoing).map(\.summary) }
}

extension ConnectionEngine {
    /// An engine in the state `open` with nothing left to write or to report.
    static func open(
        _ role: Role, limits: Limits = Limits(), seed: UInt64 = 1
    ) throws -> ConnectionEngine {
        let request = try OpeningRequest(url: WebSocketURL("ws://server.example/"))
        let random = SeededSource(seed: seed)
        var client = ConnectionEngine(connecting: request, limits: limits, random: random)
        var server = ConnectionEngine(accepting: limits, random: random)
        let asked = client.takeOutgoing()
        server.receive(asked.span)
        _ = server.takeEvents()
        server.accept()
        let answer = server.takeOutgoing()
        client.receive(answer.span)
        _ = client.takeEvents()
        switch role {
        case .client: return client
        case .server: return server
        }
    }

    /// All that waits to be written, as written.
    mutating func takeOutgoing() -> [UInt8] {
        let bytes = withOutgoing { Array($0) }
        didWrite(bytes.count)
        return bytes
    }

    /// All events that wait.
    mutating func takeEvents() -> [EngineEvent] {
        var events: [EngineEvent] = []
        while let event = nextEvent() { events.append(event) }
        return events
    }

    /// Feeds pieces to an open engine without writing anything in between.
    static func record(
        _ role: Role, _ pieces: [[UInt8]], limits: Limits = Limits(), eof: Bool = false,
        before: (inout ConnectionEngine) throws -> Void = { _ in }
    ) throws -> Recording {
        var engine = try open(role, limits: limits)
        try before(&engine)
        var recording = Recording()
        for piece in pieces {
            engine.receive(piece.span)
            recording.events += engine.takeEvents()
        }
        if eof {
            engine.receiveEOF()
            recording.events += engine.takeEvents()
        }
        recording.outgoing = engine.withOutgoing { Array($0) }
        recording.state = engine.state
        return recording
    }
}

extension ConnectionEngine {
    /// Feeds an open engine byte by byte, and straight into the message wherever that is possible.
    static func recordDirectly(
        _ role: Role, _ stream: [UInt8], atMost limit: Int, limits: Limits
    ) throws -> Recording {
        var engine = try open(role, limits: limits)
        var recording = Recording()
        var offset = 0
        while offset < stream.count {
            if engine.directBytes > 0 {
                engine.receiveDirectly(atMost: limit) { room in
                    let piece = stream[offset...].prefix(room.count)
                    room.copyBytes(from: piece)
                    offset += piece.count
                    return piece.count
                }
            } else {
                let byte = [stream[offset]]
                engine.receive(byte.span)
                offset += 1
            }
            recording.events += engine.takeEvents()
        }
        recording.outgoing = engine.withOutgoing { Array($0) }
        recording.state = engine.state
        return recording
    }
}

/// Every way to cut bytes in two, and the cut into single bytes.
func cuts(of bytes: [UInt8]) -> [[[UInt8]]] {
    (0...bytes.count).map { [Array(bytes[..<$0]), Array(bytes[$0...])] } + [bytes.map { [$0] }]
}

/// A lawful stream of frames, or one fault in it, and what must come of it in either role.
struct FrameFixture: Sendable, CustomTestStringConvertible {
    /// The promise, clause or field case, as a sentence.
    var name: String
    /// The frames as a server sends them, separated by bars; masked for the other role.
    var frames: String
    /// The events, by ``EngineEvent/summary``.
    var events: [String]
    /// The frames that are queued, by ``WireFrame/summary``.
    var replies: [String] = []
    var state: ConnectionEngine.State = .open
    var limits = Limits()

    var testDescription: String { name }

    func stream(to role: Role) -> [UInt8] {
        switch role {
        case .client: hex(frames)
        case .server: masked(frames)
        }
    }
}
