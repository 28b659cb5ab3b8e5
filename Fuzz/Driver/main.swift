// Says what the engine makes of bytes, for comparison with other implementations (Fuzz/Differential/run).
//
// Each line of the standard input is a role, a seed for the cuts, and the bytes that come behind the opening
// handshake in hexadecimal digits; each line of the standard output is a JSON object with the events, the
// code of our Close frame, and the fault, if there was one.

import FuzzSupport
import HeartwireProtocol

/// The bounds that the other implementations are given, too.
func limits() -> Limits {
    var limits = Limits()
    limits.messageBytes = 1 << 20
    limits.pendingPongs = 1_000
    return limits
}

func bytes(fromHex text: Substring) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map {
        UInt8(truncatingIfNeeded: digits[$0] << 4 | digits[$0 + 1])
    }
}

func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func json(_ event: EngineEvent) -> String? {
    switch event {
    case .message(.text(let text)): #"["text","\#(hex(text.utf8))"]"#
    case .message(.binary(let bytes)): #"["binary","\#(hex(bytes))"]"#
    case .pingReceived(let payload): #"["ping","\#(hex(payload))"]"#
    case .pongReceived(let payload): #"["pong","\#(hex(payload))"]"#
    case .closeReceived(let code, let reason):
        #"["close",\#(code.map { "\($0.rawValue)" } ?? "null"),"\#(hex(reason.utf8))"]"#
    case .failed, .ended, .opened, .refused, .requestReceived: nil
    }
}

func answer(to line: String) -> String? {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, let seed = UInt8(words[1]) else { return nil }
    var engine = ConnectionEngine.opened(
        words[0] == "client" ? .client : .server, limits: limits())
    var events: [String] = []
    var fault = "null"
    for piece in pieces(of: bytes(fromHex: words[2]), seed: seed) {
        engine.receive(piece.span)
        for event in engine.takeEvents() {
            if let text = json(event) { events.append(text) }
            if case .failed(let violation) = event {
                fault =
                    #"{"code":\#(violation.closeCode.rawValue),"words":"\#(hex(violation.description.utf8))"}"#
            }
        }
    }
    let sent = engine.closeSent.map { $0.code.map { "\($0.rawValue)" } ?? "0" } ?? "null"
    return #"{"events":[\#(events.joined(separator: ","))],"sent":\#(sent),"fault":\#(fault)}"#
}

while let line = readLine() {
    guard let answer = answer(to: line) else { fatalError("no line of ours: \(line.prefix(40))") }
    print(answer)
}
