import HeartwireProtocol
import HeartwireSocket

// What comes from the client, in the order in which it came, and what the behaviour makes of it.

extension EndpointConnection {
    /// How many late pongs may wait at a time; further pings go unanswered.
    static let latePongLimit = 1_000

    func handleEvents() {
        while let event = engine.nextEvent() {
            switch event {
            case .requestReceived(let head): requestReceived(head)
            case .message(let message): messageReceived(message)
            case .pingReceived(let payload): pingReceived(payload)
            case .pongReceived(let payload): record(.pong(bytes: payload.count))
            case .closeReceived(let code, _): closeReceived(code)
            case .failed(let violation): failed(violation)
            // The end of the stream is the channel's report; the others are a client's events.
            case .ended, .opened, .refused: continue
            }
            guard state != .ended, state != .frozen else { return }
        }
        scheduleFlush()
    }

    private func messageReceived(_ message: Message) {
        mayBeIdle = false
        switch message {
        case .text: record(.message(isText: true, bytes: message.byteCount))
        case .binary: record(.message(isText: false, bytes: message.byteCount))
        }
        endpoint.messageHandler?(self, message)
        guard treatment.value.echoes else { return }
        if treatment.value.sharesEchoes { endpoint.share(message, from: self) }
        // Nothing is sent behind a Close frame; that is all that can go wrong here.
        guard message.byteCount >= ConnectionEngine.longMessageBytes, !isBlocked else {
            return (try? engine.send(message)) ?? ()
        }
        let channel = channel
        if let hasRoom = try? engine.send(message, writing: { channel.write($0) }) {
            isBlocked = !hasRoom
        }
    }

    /// Sends back the messages that `bytes` begin with, straight from there, where nobody else is to see them.
    ///
    /// - Returns: how many of the bytes that were.
    func echoWhole(_ bytes: Span<UInt8>) -> Int {
        let behaviour = treatment.value
        guard state == .open, behaviour.echoes, !behaviour.sharesEchoes, !endpoint.isWatched
        else { return 0 }
        var end = 0
        while end < bytes.count, let echo = engine.echo(firstOf: bytes.extracting(end...)) {
            end += echo.frameBytes
            mayBeIdle = false
            record(.message(isText: false, bytes: echo.payloadBytes))
        }
        return end
    }

    /// Passes on what another connection shared, unless this one shares nothing. Who does not read cannot hold up
    /// the others, so a connection over its high-water mark is dropped.
    func pass(on message: Message) {
        guard state == .open, behaviour.echoes, behaviour.sharesEchoes else { return }
        guard engine.outgoingCount <= endpoint.limits.outgoingHighWater else { return drop(.rst) }
        // Nothing is sent behind a Close frame.
        try? send(message)
    }

    private func pingReceived(_ payload: [UInt8]) {
        mayBeIdle = true
        record(.ping(bytes: payload.count))
        switch treatment.value.pong {
        case .on: answerPing(payload)
        case .off: return
        case .double:
            answerPing(payload)
            answerPing(payload)
        case .wrong: answerPing(payload.isEmpty ? [0xFF] : payload.map { ~$0 })
        case .late(let delay):
            guard latePongs < Self.latePongLimit else { return }
            latePongs += 1
            after(delay) { connection in
                connection.latePongs -= 1
                connection.answerPing(payload)
                connection.scheduleFlush()
            }
        }
    }

    /// Sends a pong for each ping while the client reads, and for the newest once it does not.
    private func answerPing(_ payload: [UInt8]) {
        // Nothing is sent behind a closing handshake.
        try? engine.answerPing(payload)
        if engine.holdsPing { writeOut() }
    }

    private func closeReceived(_ code: CloseCode?) {
        record(.closeReceived(code))
        guard !hasSentRawClose else {
            // The engine knows of no Close frame of ours, so it would take this for the first.
            return leave()
        }
        engine.answerClose()
        recordCloseSent(engine.closeSent?.code)
        boundEnd()
    }

    private func failed(_ violation: ProtocolViolation) {
        guard state == .open else {
            // The engine has queued its HTTP answer already.
            record(.refused(status: nil))
            state = .refused
            return
        }
        engine.fail(violation.closeCode, reason: violation.description)
        recordCloseSent(engine.closeSent?.code)
        boundEnd()
    }

    /// Nothing more is to be said behind what waits: a client that takes none of that for so long is let go (RFC 6455
    /// §7.1.1). One that is only slow gets all of it.
    private func boundEnd() {
        let waiting = engine.outgoingCount
        after(Endpoint.patience) { connection in
            guard connection.engine.outgoingCount < waiting else { return connection.abandon() }
            connection.boundEnd()
        }
    }

    func recordCloseSent(_ code: CloseCode?) {
        guard !closeRecorded else { return }
        closeRecorded = true
        record(.closeSent(code))
    }
}

// The opening handshake.

extension EndpointConnection {
    private func requestReceived(_ head: OpeningRequestHead) {
        stopOpeningTimer()
        request = head
        record(.requested)
        // Too much came behind the request, which is the next event: there is nothing to answer any more.
        guard !engine.shouldCloseTransport else { return }
        do {
            behaviour = try endpoint.script.behaviour(connection: number, request: head)
        } catch {
            return reject(status: 400, retryAfterSeconds: nil, body: "\(error)\n")
        }
        guard behaviour.answerDelay > .zero else { return answer() }
        state = .answering
        after(behaviour.answerDelay) { $0.answer() }
    }

    private func answer() {
        switch behaviour.refusal {
        case nil: open()
        case .status(let status, let seconds):
            reject(status: status, retryAfterSeconds: seconds, body: "refused on request\n")
        case .reset:
            record(.refused(status: nil))
            abandon()
        case .silence: refuse(with: [], keepFor: Endpoint.keepTime)
        case .garbage: refuse(with: garbage(), keepFor: Endpoint.patience)
        case .badAccept:
            let otherKey = OpeningRequest.makeKey(random: endpoint.random)
            let answer = OpeningResponse.accept(key: otherKey, subprotocol: nil, headers: [:])
            refuse(with: answer, keepFor: Endpoint.patience)
        }
    }

    private func reject(status: Int, retryAfterSeconds: Int?, body: String) {
        var headers: HeaderFields = ["Content-Type": "text/plain; charset=utf-8"]
        if let retryAfterSeconds { headers.append("Retry-After", "\(retryAfterSeconds)") }
        engine.reject(status: status, headers: headers, body: body)
        record(.refused(status: status))
        state = .refused
        scheduleFlush()
    }

    /// Gives an answer that leaves the client with nothing to do but go, and waits for it to go.
    private func refuse(with bytes: [UInt8], keepFor time: Duration) {
        record(.refused(status: nil))
        state = .refused
        engine.queueRaw(bytes)
        after(time) { $0.abandon() }
        scheduleFlush()
    }

    /// Bytes that no reader of HTTP takes for a status line, with the end of a head behind them.
    private func garbage() -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<8 {
            let word = endpoint.random.next()
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift) | 0x80)
            }
        }
        return bytes + [0x0D, 0x0A, 0x0D, 0x0A]
    }
}

// What the behaviour lets happen of the endpoint's own accord.

extension EndpointConnection {
    private func open() {
        state = .open
        helloRemaining = Int32(clamping: behaviour.hello?.count ?? 0)
        // A client that speaks subprotocols gets the one that it likes best.
        engine.accept(
            subprotocol: request?.subprotocols.first,
            compression: behaviour.deflates ? endpoint.compression : .off, codec: ZlibCodec())
        noteProgress()
        record(.opened)
        if let close = behaviour.close {
            atOnceOrAfter(close.delay) { $0.scriptedClose(close) }
        }
        if let drop = behaviour.drop {
            atOnceOrAfter(drop.delay) { $0.drop(drop.kind) }
        }
        if let delay = behaviour.freezeDelay {
            atOnceOrAfter(delay) { $0.freeze() }
        }
        guard state == .open else { return }
        scheduleFlush()
    }

    private func atOnceOrAfter(
        _ delay: Duration, _ action: @escaping (EndpointConnection) -> Void
    ) {
        guard delay > .zero else { return action(self) }
        after(delay, action)
    }

    /// Queues as many hello messages as the high-water mark allows.
    ///
    /// - Returns: whether anything was queued.
    func pumpHello() -> Bool {
        guard state == .open, helloRemaining > 0, let hello = behaviour.hello else { return false }
        // By way of bytes: a string that is made of so many characters one by one would hold up all other clients.
        let letters = [UInt8](repeating: UInt8(ascii: "h"), count: hello.size)
        let message = Message.text(String(decoding: letters, as: UTF8.self))
        var hasQueued = false
        while helloRemaining > 0, engine.outgoingCount < endpoint.limits.outgoingHighWater {
            do {
                try engine.send(message)
                helloRemaining -= 1
                hasQueued = true
            } catch {
                helloRemaining = 0
            }
        }
        if helloRemaining == 0, isClosePending, let close = behaviour.close {
            isClosePending = false
            send(close)
            hasQueued = true
        }
        return hasQueued
    }

    private func scriptedClose(_ close: EndpointBehaviour.Close) {
        guard helloRemaining == 0 else { return isClosePending = true }
        send(close)
        scheduleFlush()
    }
}
