// Checks the engine as a sequence of operations: a client and a server that are joined by two wires, on which
// bytes arrive in any pieces, while either side sends, pings, closes, fails or goes away in any order.
//
// - No order of calls traps; a call that throws queues nothing.
// - A state is followed by the lawful ones alone, and after the end of the stream nothing is reported.
// - Two engines never find a fault in each other, and what they write are lawful frames.
// - Messages arrive in order and unchanged: all of them if neither side failed and all bytes arrived, and
//   otherwise the first so many.
// - No more pings are reported than were sent; pongs carry payloads of pings, or were sent unasked.
// - Once hostile bytes are put on a wire, or a frame is said to stand still, only the first two rules are asked for.

import FuzzSupport
import HeartwireProtocol

/// What libFuzzer calls for every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    var input = FuzzInput(data, size)
    var pair = Pair(flags: input.byte())
    while input.count > 0 { pair.perform(&input) }
    pair.finish()
    return 0
}

/// One side with what it has seen, and the wire that leads to it.
private struct Side: ~Copyable {
    var engine: ConnectionEngine
    var wire: [UInt8] = []
    var state = ConnectionEngine.State.open
    var received: [Message] = []
    var sent: [Message] = []
    var pingsSent = 0
    var pingsSeen = 0
    var pongsSent = 0
    var hasEnded = false
    var isFailed = false
    var written: [UInt8] = []
    let answers: Bool

    init(_ role: Role, answers: Bool) {
        self.answers = answers
        engine = ConnectionEngine.opened(role, limits: Limits())
        engine.answersEndings = answers
    }

    /// Takes what happened, and answers by hand where that was asked for.
    mutating func note(isHonest: Bool) {
        for event in engine.takeEvents() {
            require(!hasEnded, "nothing is reported behind the end of the stream")
            switch event {
            case .message(let message): received.append(message)
            case .pingReceived: pingsSeen += 1
            case .pongReceived: break
            case .closeReceived:
                if !answers { engine.answerClose() }
            case .failed(let violation):
                require(!isHonest, "two engines get on with each other: \(violation)")
                if !answers { engine.fail(violation.closeCode) }
            case .ended: hasEnded = true
            case .requestReceived, .opened, .refused:
                require(false, "an opening handshake comes once")
            }
        }
        let next = engine.state
        switch (state, next) {
        case (.open, .open), (.open, .closing), (.open, .closed), (.closing, .closing),
            (.closing, .closed), (.closed, .closed):
            state = next
        case (.connecting, _), (_, .connecting), (.closing, .open), (.closed, .open),
            (.closed, .closing):
            require(false, "\(next) does not follow \(state)")
        }
    }

    /// Does what may throw, and insists that nothing was queued if it does.
    mutating func attempt(
        _ body: (inout ConnectionEngine) throws(SendError) -> Void
    ) -> Bool {
        let waiting = engine.outgoingCount
        do throws(SendError) {
            try body(&engine)
            return true
        } catch {
            require(engine.outgoingCount == waiting, "a call that throws queues nothing")
            return false
        }
    }
}

private struct Pair: ~Copyable {
    var client: Side
    var server: Side
    var isHonest = true

    init(flags: UInt8) {
        client = Side(.client, answers: flags & 1 == 0)
        server = Side(.server, answers: flags & 2 == 0)
    }

    mutating func perform(_ input: inout FuzzInput) {
        let operation = input.byte()
        if operation & 0x80 == 0 {
            Self.perform(operation & 0xF, &input, &client, &server, &isHonest)
        } else {
            Self.perform(operation & 0xF, &input, &server, &client, &isHonest)
        }
        client.note(isHonest: isHonest)
        server.note(isHonest: isHonest)
    }

    private static func perform(
        _ operation: UInt8, _ input: inout FuzzInput, _ side: inout Side, _ other: inout Side,
        _ isHonest: inout Bool
    ) {
        switch operation {
        case 0, 1:
            let size = operation == 0 ? input.below(256) : input.word()
            let message = Message.binary([UInt8](repeating: input.byte(), count: size))
            if side.attempt({ e throws(SendError) in try e.send(message) }) {
                side.sent.append(message)
            }
        case 2:
            let message = Message.text(
                String(decoding: input.take(input.below(64)), as: UTF8.self))
            if side.attempt({ e throws(SendError) in try e.send(message) }) {
                side.sent.append(message)
            }
        case 3:
            let payload = input.take(input.below(130))
            if side.attempt({ e throws(SendError) in try e.sendPing(payload) }) {
                require(payload.count <= 125, "a ping is short")
                side.pingsSent += 1
            }
        case 4:
            let payload = input.take(input.below(130))
            if side.attempt({ e throws(SendError) in try e.sendPong(payload) }) {
                side.pongsSent += 1
            }
        case 5:
            let code = CloseCode(rawValue: UInt16(truncatingIfNeeded: input.word()))
            let reason = String(decoding: input.take(input.below(140)), as: UTF8.self)
            if side.attempt({ e throws(SendError) in try e.close(code, reason: reason) }) {
                require(code.mayBeSent && reason.utf8.count <= 123, "a Close frame is lawful")
            }
        case 6:
            _ = side.attempt { e throws(SendError) in try e.close(nil) }
        case 7:
            side.isFailed = true
            let code = CloseCode(rawValue: UInt16(truncatingIfNeeded: input.word()))
            side.engine.fail(code, reason: String(decoding: input.take(200), as: UTF8.self))
        case 8:
            side.isFailed = true
            side.engine.receiveEOF()
        case 9:
            side.engine.releaseBuffers()
        case 10:
            isHonest = false
            side.wire += input.take(input.below(256))
        case 11:
            side.engine.didWrite(0)
            if side.engine.isInFrame {
                isHonest = false
                side.engine.frameStalled()
            }
        case 12, 13:
            move(&side, &other, operation == 12 ? input.below(256) : .max)
        default:
            let count = min(side.wire.count, operation == 14 ? input.below(16) : .max)
            let piece = Array(side.wire.prefix(count))
            side.wire.removeFirst(count)
            if operation == 14 {
                side.engine.receiveWhereTheyStay(piece)
            } else {
                side.engine.receive(piece.span)
            }
        }
    }

    /// Moves up to `limit` bytes from `side` onto the wire to `other`.
    private static func move(_ side: inout Side, _ other: inout Side, _ limit: Int) {
        let bytes = side.engine.withOutgoing { Array($0.prefix(limit)) }
        side.engine.didWrite(bytes.count)
        side.written += bytes
        other.wire += bytes
    }

    /// Lets everything arrive, ends both streams, and compares.
    mutating func finish() {
        for _ in 0..<4 {
            Self.deliver(&client, &server, isHonest)
            Self.deliver(&server, &client, isHonest)
        }
        let closed = [client.engine.state, server.engine.state]
        let wasFailed = client.isFailed || server.isFailed
        for _ in 0..<2 {
            client.engine.receiveEOF()
            server.engine.receiveEOF()
            client.note(isHonest: isHonest)
            server.note(isHonest: isHonest)
        }
        require(client.hasEnded && server.hasEnded, "the end of the stream is reported")
        require(
            client.engine.state == .closed && server.engine.state == .closed,
            "the end of the stream closes")
        guard isHonest else { return }
        _ = WireFrame.lawful(client.written, from: .client)
        _ = WireFrame.lawful(server.written, from: .server)
        let couples = [
            (client.sent, server.received), (server.sent, client.received),
        ]
        for (sent, received) in couples {
            require(received.count <= sent.count, "no more arrives than was sent")
            require(Array(sent.prefix(received.count)) == received, "messages arrive in order")
        }
        require(server.pingsSeen <= client.pingsSent, "no ping comes from nowhere")
        require(client.pingsSeen <= server.pingsSent, "no ping comes from nowhere")
        guard !wasFailed, closed == [.open, .open] else { return }
        require(client.sent.count == server.received.count, "all messages arrive")
        require(server.sent.count == client.received.count, "all messages arrive")
        require(server.pingsSeen == client.pingsSent, "all pings arrive")
    }

    /// Lets everything arrive that `side` has written.
    private static func deliver(_ side: inout Side, _ other: inout Side, _ isHonest: Bool) {
        move(&side, &other, .max)
        let piece = other.wire
        other.wire = []
        other.engine.receive(piece.span)
        other.note(isHonest: isHonest)
    }
}
