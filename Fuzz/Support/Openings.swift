public import HeartwireProtocol

extension ConnectionEngine {
    /// An engine whose opening handshake is done, with nothing waiting in it.
    public static func opened(_ role: Role, limits: Limits = .small) -> ConnectionEngine {
        switch role {
        case .client:
            var client = ConnectionEngine(
                connecting: openingRequest, limits: limits, random: FuzzRandom(seed: 1))
            let key = key(in: client.takeOutgoing())
            let answer = OpeningResponse.accept(key: key, subprotocol: nil, headers: [:])
            client.receive(answer.span)
            require(client.state == .open, "a lawful answer opens the connection")
            _ = client.takeEvents()
            return client
        case .server:
            var server = ConnectionEngine(accepting: limits, random: FuzzRandom(seed: 2))
            let request = openingRequest.bytes(key: "AAAAAAAAAAAAAAAAAAAAAA==")
            server.receive(request.span)
            server.accept()
            require(server.state == .open, "a lawful request can be accepted")
            _ = server.takeEvents()
            _ = server.takeOutgoing()
            return server
        }
    }

    /// All events that wait.
    public mutating func takeEvents() -> [EngineEvent] {
        var events: [EngineEvent] = []
        while let event = nextEvent() { events.append(event) }
        return events
    }

    /// All bytes that wait to be written, as if they had been. Pongs that were held back come along.
    public mutating func takeOutgoing() -> [UInt8] {
        var taken: [UInt8] = []
        while outgoingCount > 0 {
            taken += withOutgoing { Array($0) }
            didWrite(outgoingCount)
        }
        return taken
    }
}

/// The request that the targets' clients send.
public let openingRequest: OpeningRequest = {
    do {
        return try OpeningRequest(
            url: try WebSocketURL("ws://h/"), subprotocols: ["a", "b"])
    } catch {
        fatalError("the request is lawful: \(error)")
    }
}()

/// The nonce in a client's request.
private func key(in request: [UInt8]) -> String {
    var reader = RequestReader()
    guard case .received(let head)? = reader.receive(request.span).outcome else {
        fatalError("does not hold: our own request is lawful")
    }
    return head.key
}
