// Checks the frame reader in either role with low limits, on bytes that begin behind the opening handshake:
//
// - No bytes trap, and none make it hold more than the limits allow.
// - However the bytes are cut, and whether payloads are put where they stay or not, the same events come, the same
//   answer is written, and the same state is reached.
// - At most one Close or fault is reported, then nothing but the end of the stream, which is reported once.
// - Texts and reasons come whole; messages keep to the limit; only lawful close codes get through.
// - What is written are lawful frames, at most one of them a Close, and a fault is answered with its code.

import FuzzSupport
import HeartwireProtocol

/// What libFuzzer calls for every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    var input = FuzzInput(data, size)
    let role: Role = input.byte() & 1 == 0 ? .client : .server
    let seed = input.byte()
    let stream = input.rest()

    let whole = Transcript(of: [stream], role)
    let cut = Transcript(of: pieces(of: stream, seed: seed), role)
    require(whole == cut, "the cut decides nothing: \(whole) against \(cut)")
    let direct = Transcript(of: pieces(of: stream, seed: seed), role, isDirect: true)
    require(whole == direct, "nor does the way in: \(whole) against \(direct)")
    whole.check(role)
    return 0
}

/// What became of a stream.
private struct Transcript: Equatable {
    var events: [EngineEvent]
    var written: [UInt8]
    var state: ConnectionEngine.State
    var sent: ClosePayload?

    init(of pieces: [[UInt8]], _ role: Role, isDirect: Bool = false) {
        var engine = ConnectionEngine.opened(role)
        events = []
        for piece in pieces {
            if isDirect { engine.receiveWhereTheyStay(piece) } else { engine.receive(piece.span) }
            events += engine.takeEvents()
        }
        state = engine.state
        // All at the end, so that the flood bound meets the same backlog however the stream was cut.
        written = engine.takeOutgoing()
        sent = engine.closeSent
        engine.receiveEOF()
        events += engine.takeEvents()
    }

    func check(_ role: Role) {
        let limits = Limits.small
        require(events.last == .ended, "the end of the stream comes last")
        var isOver = false
        var fault: ProtocolViolation?
        for event in events.dropLast() {
            require(!isOver, "nothing comes behind a Close or a fault")
            switch event {
            case .message(let message):
                require(message.byteCount <= limits.messageBytes, "messages keep to the limit")
            case .pingReceived(let payload), .pongReceived(let payload):
                require(payload.count <= 125, "control frames are short")
            case .closeReceived(let code, let reason):
                isOver = true
                require(code?.mayBeReceived ?? reason.isEmpty, "the close code is lawful")
            case .failed(let violation):
                isOver = true
                fault = violation
            case .ended, .opened, .refused, .requestReceived:
                require(false, "\(event) has no place here")
            }
        }
        require((state == .closed) == isOver, "closed by a Close or a fault alone")
        let frames = WireFrame.lawful(written, from: role)
        require((frames.last?.opcode == 0x8) == isOver, "a Close or a fault is answered")
        if let fault { require(sent?.code == fault.closeCode, "a fault is answered by its code") }
    }
}
