// Checks the negotiation of permessage-deflate (RFC 7692 §7), from both sides:
//
// - No offer and no answer traps, whatever it says.
// - A server with any options answers any offer with nothing, or with one element whose parameters are the four
//   known ones, each once, with windows of 8 to 15 bits that are no larger than the offer's.
// - A server never asks for a smaller window of a client that did not mention its own.
// - A client with any options takes an answer that keeps to its offer, and fails on any other.
// - A client and a server of ours always agree, on the same, and what one compresses the other inflates.

import FuzzSupport
import HeartwireProtocol
import HeartwireSocket

/// What libFuzzer calls for every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    var input = FuzzInput(data, size)
    let kind = input.below(3)
    let (mine, theirs) = (options(&input), options(&input))
    // Header fields that hold what HTTP does not allow never get as far as the negotiation.
    let field = String(
        decoding: input.rest().map { $0 < 0x20 || $0 > 0x7E ? 0x20 : $0 }, as: UTF8.self)
    switch kind {
    case 0: checkOffer(field, mine)
    case 1: checkAnswer(field, mine)
    default: checkPair(mine, theirs, field)
    }
    return 0
}

private func options(_ input: inout FuzzInput) -> DeflateOptions {
    let flags = input.byte()
    let bits = input.byte()
    var options = DeflateOptions()
    options.serverNoContextTakeover = flags & 1 != 0
    options.clientNoContextTakeover = flags & 2 != 0
    options.serverMaxWindowBits = Int(bits & 0xF)
    options.clientMaxWindowBits = Int(bits >> 4)
    options.thresholdBytes = 0
    return options
}

private let nonce = "AAAAAAAAAAAAAAAAAAAAAA=="

private func request(offering field: String) -> [UInt8] {
    let head = """
        GET / HTTP/1.1
        Host: h
        Upgrade: websocket
        Connection: Upgrade
        Sec-WebSocket-Key: \(nonce)
        Sec-WebSocket-Version: 13
        Sec-WebSocket-Extensions: \(field)


        """
    return Array(head.replacing("\n", with: "\r\n").utf8)
}

private func checkOffer(_ field: String, _ options: DeflateOptions) {
    var server = ConnectionEngine(accepting: Limits(), random: FuzzRandom(seed: 1))
    let bytes = request(offering: field)
    server.receive(bytes.span)
    server.accept(compression: .deflate(options), codec: ZlibCodec())
    let answer = server.takeOutgoing()
    guard server.state == .open else { return }
    var reader = ResponseReader(key: nonce)
    // Its client has offered nothing, so that an answer with an extension is refused; without one it opens.
    if case .opened? = reader.receive(answer.span).outcome { return }
    let element = extensionField(answer)
    var parts = element.split(separator: ";").map { $0.drop { $0 == " " } }
    require(parts.removeFirst() == "permessage-deflate", "the extension is named")
    require(Set(parts.map { $0.prefix { $0 != "=" } }).count == parts.count, "each comes once")
    for part in parts {
        let pair = part.split(separator: "=")
        switch pair[0] {
        case "server_no_context_takeover", "client_no_context_takeover":
            require(pair.count == 1, "a flag has no value")
        case "server_max_window_bits", "client_max_window_bits":
            require(pair.count == 2, "a window has its size")
            require(Int(pair[1]).map((8...15).contains) ?? false, "a window is one")
        default: require(false, "the parameter is known: \(part)")
        }
    }
    if element.contains("client_max_window_bits") {
        require(
            field.lowercased().contains("client_max_window_bits"), "the client mentioned its window"
        )
    }
}

private func extensionField(_ head: [UInt8]) -> Substring {
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    let name = "Sec-WebSocket-Extensions: "
    let found = lines.filter { $0.hasPrefix(name) }
    require(found.count == 1, "an answer that is not plain has one extension field")
    return found[0].dropFirst(name.count)
}

private func client(_ options: DeflateOptions) -> ConnectionEngine {
    ConnectionEngine(
        connecting: openingRequest, limits: Limits(), random: FuzzRandom(seed: 1),
        compression: .deflate(options), codec: ZlibCodec())
}

private func received(_ head: [UInt8]) -> OpeningRequestHead {
    var reader = RequestReader()
    guard case .received(let request)? = reader.receive(head.span).outcome else {
        fatalError("does not hold: our own request is lawful")
    }
    return request
}

private func checkAnswer(_ field: String, _ options: DeflateOptions) {
    var client = client(options)
    let head = client.takeOutgoing()
    let answer = OpeningResponse.accept(
        key: received(head).key, subprotocol: nil,
        headers: ["Sec-WebSocket-Extensions": field])
    client.receive(answer.span)
    for event in client.takeEvents() {
        switch event {
        case .opened(let result):
            guard let agreed = result.compression else { continue }
            let bits = [agreed.serverMaxWindowBits, agreed.clientMaxWindowBits]
            require(bits.allSatisfy((8...15).contains), "a window is one")
            require(
                agreed.clientMaxWindowBits <= max(8, options.clientMaxWindowBits),
                "the client keeps to its own window")
            require(
                agreed.clientNoContextTakeover || !options.clientNoContextTakeover,
                "the client does as it said")
        case .failed(let violation):
            require(violation.closeCode == .protocolError, "an answer is a fault or it is none")
        case .requestReceived, .refused, .message, .pingReceived, .pongReceived, .closeReceived,
            .ended:
            require(false, "an opening handshake is opened or failed: \(event)")
        }
    }
}

private func checkPair(_ mine: DeflateOptions, _ theirs: DeflateOptions, _ text: String) {
    var client = client(mine)
    let head = client.takeOutgoing()
    var server = ConnectionEngine(accepting: Limits(), random: FuzzRandom(seed: 1))
    server.receive(head.span)
    server.accept(compression: .deflate(theirs), codec: ZlibCodec())
    let answer = server.takeOutgoing()
    client.receive(answer.span)
    guard case .opened(let result)? = client.nextEvent() else {
        return require(false, "our client and our server agree")
    }
    require(result.compression != nil, "both want compression")
    _ = server.takeEvents()
    for number in 0..<3 {
        let message = Message.text(String(repeating: text, count: number))
        do throws(SendError) {
            try client.send(message)
            try server.send(message)
        } catch {
            require(false, "an open connection takes messages: \(error)")
        }
        let (fromClient, fromServer) = (client.takeOutgoing(), server.takeOutgoing())
        server.receive(fromClient.span)
        client.receive(fromServer.span)
        require(server.takeEvents() == [.message(message)], "the server gets what was sent")
        require(client.takeEvents() == [.message(message)], "the client gets what was sent")
    }
}
