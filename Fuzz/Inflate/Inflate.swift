// Checks what a compressed message is made into (RFC 7692 §6), with zlib and with low limits:
//
// - No compressed data traps. A message keeps to the limit, and to the ratio once it is past the grace.
// - However the bytes are cut, the same events come and the same state is reached.
// - A compressed control frame, or a compressed bit on a continuation, is a fault.
// - What a peer of ours compresses arrives unchanged, in any fragments, with any windows, with and without
//   contexts that are kept.

import FuzzSupport
import HeartwireProtocol
import HeartwireSocket

/// What libFuzzer calls for every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    var input = FuzzInput(data, size)
    let flags = input.byte()
    var options = DeflateOptions()
    options.serverNoContextTakeover = flags & 2 != 0
    options.clientNoContextTakeover = flags & 4 != 0
    let bits = input.byte()
    options.serverMaxWindowBits = 8 + Int(bits & 7)
    options.clientMaxWindowBits = 8 + Int(bits >> 3 & 7)
    options.thresholdBytes = Int(bits >> 6) * 8
    options.level = flags & 8 != 0 ? 9 : 1
    let seed = input.byte()
    if flags & 1 == 0 {
        checkHostile(&input, options, seed)
    } else {
        checkRoundTrip(&input, options)
    }
    return 0
}

private let limits: Limits = {
    var limits = Limits.small
    limits.messageBytes = 4_000
    limits.inflateRatio = 20
    limits.inflateRatioGraceBytes = 100
    return limits
}()

/// A client and a server that have agreed on compression.
private struct Pair: ~Copyable {
    var client: ConnectionEngine
    var server: ConnectionEngine

    init(_ options: DeflateOptions, _ limits: Limits) {
        client = ConnectionEngine(
            connecting: openingRequest, limits: limits, random: FuzzRandom(seed: 1),
            compression: .deflate(options), codec: ZlibCodec())
        // The opening heads are longer than the low limits would let in.
        server = ConnectionEngine(accepting: Limits(), random: FuzzRandom(seed: 2))
        let request = client.takeOutgoing()
        server.receive(request.span)
        server.accept(compression: .deflate(options), codec: ZlibCodec())
        let answer = server.takeOutgoing()
        client.receive(answer.span)
        require(client.state == .open && server.state == .open, "both are open")
        _ = client.takeEvents()
        _ = server.takeEvents()
    }
}

/// Frames with what the fuzzer made up as their payload, towards a client, which needs no masks.
private func checkHostile(_ input: inout FuzzInput, _ options: DeflateOptions, _ seed: UInt8) {
    var stream: [UInt8] = []
    var payloadBytes = 0
    var hasControl = false
    while input.count > 0 {
        // FIN, RSV1 and the opcode as they come; no other reserved bits, which other targets cover.
        let first = input.byte() & 0xCF
        let payload = input.take(min(125, Int(input.byte())))
        if first & 0x48 == 0x48 { hasControl = true }
        payloadBytes += payload.count
        stream += [first, UInt8(payload.count)] + payload
    }
    func run(_ pieces: [[UInt8]]) -> (events: [EngineEvent], state: ConnectionEngine.State) {
        var pair = Pair(options, limits)
        var events: [EngineEvent] = []
        for piece in pieces {
            pair.client.receive(piece.span)
            events += pair.client.takeEvents()
        }
        let state = pair.client.state
        _ = WireFrame.lawful(pair.client.takeOutgoing(), from: .client)
        return (events, state)
    }
    let whole = run([stream])
    let cut = run(pieces(of: stream, seed: seed))
    require(whole == cut, "the cut decides nothing: \(whole) against \(cut)")
    for event in whole.events {
        guard case .message(let message) = event else { continue }
        require(message.byteCount <= limits.messageBytes, "messages keep to the limit")
        require(
            message.byteCount
                <= limits.inflateRatioGraceBytes + limits.inflateRatio * (payloadBytes + 4),
            "messages keep to the ratio")
    }
    if hasControl { require(whole.state == .closed, "a compressed control frame is a fault") }
}

/// Messages that our own engine compresses, cut into fragments by hand.
private func checkRoundTrip(_ input: inout FuzzInput, _ options: DeflateOptions) {
    var pair = Pair(options, Limits())
    while input.count > 0 {
        let operation = input.byte()
        let piece = input.take(Int(input.byte()))
        let bytes = Array(repeatElement(piece, count: 1 + Int(operation >> 4)).joined())
        let message =
            operation & 1 == 0
            ? Message.binary(bytes) : .text(String(decoding: bytes, as: UTF8.self))
        do throws(SendError) {
            if operation & 2 == 0 {
                try pair.client.send(message)
            } else {
                try pair.server.send(message)
            }
        } catch {
            require(false, "an open connection takes messages: \(error)")
        }
        if operation & 2 == 0 {
            let wire = pair.client.takeOutgoing()
            pair.server.receive(wire.span)
            require(
                pair.server.takeEvents() == [.message(message)], "the server gets what was sent")
        } else {
            let wire = fragments(
                of: pair.server.takeOutgoing(), by: 1 + Int(operation >> 2 & 3) * 40)
            pair.client.receive(wire.span)
            require(
                pair.client.takeEvents() == [.message(message)], "the client gets what was sent")
        }
        if operation & 0x8C == 0x8C {
            pair.client.releaseBuffers()
            pair.server.releaseBuffers()
        }
    }
}

/// One whole data frame of a server as fragments of `size` bytes; the first keeps RSV1 (RFC 7692 §6.1).
private func fragments(of frame: [UInt8], by size: Int) -> [UInt8] {
    var offset = 2
    var length = Int(frame[1])
    if length >= 126 {
        let width = length == 126 ? 2 : 8
        length = frame[2..<(2 + width)].reduce(0) { $0 << 8 | Int($1) }
        offset += width
    }
    require(length == frame.count - offset, "one message is one frame")
    var fragments: [UInt8] = []
    let end = frame.count
    repeat {
        let part = frame[offset..<min(end, offset + size)]
        let isFirst = fragments.isEmpty
        offset += part.count
        let head = (isFirst ? frame[0] & 0x7F : 0) | (offset == end ? 0x80 : 0)
        fragments += [head, UInt8(part.count)] + part
    } while offset < end
    return fragments
}
