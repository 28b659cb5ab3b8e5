import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import HeartwireSocket

@Suite("The socket transport")
struct SocketTransportTests {
    // MARK: Opening

    @Test("T1: opening reports its progress and opens once; nothing is reported from within open()")
    func opening() throws {
        let rig = try TransportRig()
        rig.executor.perform {
            rig.transport.open()
            rig.transport.open()
            #expect(rig.observer.reports.isEmpty)
        }
        rig.executor.runUntilIdle()
        #expect(rig.network.attempts == 1)
        #expect(rig.observer.events == [.progressed(.upgrade)])
        rig.serve(rig.server.acceptance)
        #expect(rig.observer.events == [.progressed(.upgrade), .opened("p")])
        #expect(rig.channel?.writes.count == 1, "the request leaves in one write")
    }

    @Test("K05-01: a frame in the segment of the 101, or split from it anywhere, arrives once")
    func firstFrame() throws {
        let hello = Frames.text("Hello")
        for split in [nil, 0, 1, 4] as [Int?] {
            let rig = try TransportRig()
            rig.open()
            let answer = rig.server.acceptance
            if let split {
                rig.serve(answer + hello.prefix(split))
                rig.serve(Array(hello.dropFirst(split)))
            } else {
                rig.serve(answer + hello)
            }
            #expect(rig.observer.messages == [.text("Hello")])
        }
        let bytewise = try TransportRig()
        bytewise.open()
        for byte in bytewise.server.acceptance + hello { bytewise.serve([byte]) }
        #expect(bytewise.observer.messages == [.text("Hello")])
    }

    @Test("D1: before the opening nothing can be sent, and pings and closes are nothing")
    func tooEarly() throws {
        let rig = try TransportRig()
        for opens in [false, true] {
            if opens { rig.open() }
            rig.perform {
                $0.ping(PingID(1))
                $0.close(1_000, reason: "")
                $0.setReading(true)
            }
            #expect(throws: SendError.notOpen) {
                try rig.executor.perform { _ = try rig.transport.send(.text("early")) }
            }
        }
        rig.serve(rig.server.acceptance)
        rig.server.received = []
        rig.executor.advance(by: .seconds(1))
        #expect(rig.server.received.isEmpty)
    }

    // MARK: Messages

    @Test("T1: what one read brings is reported in order, with one end of the batch")
    func oneRead() throws {
        let rig = try TransportRig.open()
        rig.serve(Frames.text("a") + Frames.ping([7]) + Frames.text("b") + [0x82, 0x01, 0x09])
        #expect(
            rig.observer.reports == [
                .message(.text("a")), .ping([7]), .message(.text("b")), .message(.binary([9])),
                .batch,
            ])
        #expect(rig.server.received.count == 7, "the ping is answered: two bytes, mask, payload")
        #expect(rig.server.received.prefix(2) == [0x8A, 0x81])
    }

    @Test("T1: frames that are queued in one turn leave in one write")
    func oneWrite() throws {
        let rig = try TransportRig.open()
        try rig.perform { transport throws(SendError) in
            for number in 0..<100 { #expect(try transport.send(.text("\(number)"))) }
            transport.ping(PingID(1))
            transport.close(1_000, reason: "bye")
        }
        #expect(rig.channel?.writes.count == 1)
        #expect(rig.channel?.writes.first == rig.server.received.count)
        // A turn in which nothing is queued writes nothing.
        rig.serve(Frames.text("x"))
        #expect(rig.channel?.writes.count == 1)
    }

    @Test(
        "T4: past the high-water mark send says so, and room is reported once, at the low-water mark"
    )
    func backPressure() throws {
        var limits = Limits()
        limits.outgoingHighWater = 100_000
        limits.outgoingLowWater = 10_000
        let rig = try TransportRig.open(limits: limits)
        rig.atServer { $0.setReading(false) }
        let block = Message.binary([UInt8](repeating: 1, count: 50_000))
        var answers: [Bool] = []
        try rig.perform { transport throws(SendError) in
            for _ in 0..<9 { answers.append(try transport.send(block)) }
        }
        #expect(answers.first == true)
        #expect(answers.last == false)
        #expect(rig.observer.reports.isEmpty)
        rig.atServer { $0.setReading(true) }
        #expect(rig.observer.events == [.writable])
        #expect(rig.server.received.count == 9 * 50_008)
    }

    @Test("T4: reading stops and goes on as it is told, only while there is a connection")
    func reading() throws {
        let rig = try TransportRig.open()
        rig.perform { $0.setReading(false) }
        rig.serve(Frames.text("a"))
        #expect(rig.observer.messages.isEmpty)
        rig.perform { $0.setReading(true) }
        #expect(rig.observer.messages == [.text("a")])
        #expect(rig.channel?.reading == [false, true])
        rig.perform {
            $0.abort()
            $0.setReading(false)
        }
        #expect(rig.channel?.reading == [false, true])
    }

    // MARK: Pings

    /// The payload of the newest ping that came to the server.
    private func pingPayload(_ rig: TransportRig) -> [UInt8] {
        let frame = rig.server.received.suffix(14)
        let bytes = Array(frame)
        guard bytes.count == 14, bytes[0] == 0x89, bytes[1] == 0x88 else { return [] }
        return (0..<8).map { bytes[6 + $0] ^ bytes[2 + $0 % 4] }
    }

    @Test("T1, H9: a pong is reported for its ping, with its id, at most once")
    func pongs() throws {
        let rig = try TransportRig.open()
        rig.perform { $0.ping(PingID(0x0102_0304_0506_0708)) }
        let payload = pingPayload(rig)
        #expect(payload == [1, 2, 3, 4, 5, 6, 7, 8])
        rig.serve(
            Frames.pong([]) + Frames.pong([1, 2, 3]) + Frames.pong([8, 7, 6, 5, 4, 3, 2, 1]))
        #expect(rig.observer.events.isEmpty, "unsolicited pongs mean nothing")
        rig.serve(Frames.pong(payload) + Frames.pong(payload))
        #expect(rig.observer.events == [.pong(PingID(0x0102_0304_0506_0708))])
        rig.serve(Frames.pong(payload))
        #expect(rig.observer.events.count == 1)
    }

    @Test("H9: a pong for an earlier ping is not one for the newest")
    func earlierPong() throws {
        let rig = try TransportRig.open()
        rig.perform { $0.ping(PingID(1)) }
        let first = pingPayload(rig)
        rig.perform { $0.ping(PingID(2)) }
        let second = pingPayload(rig)
        rig.serve(Frames.pong(first))
        #expect(rig.observer.events.isEmpty)
        rig.serve(Frames.pong(second))
        #expect(rig.observer.events == [.pong(PingID(2))])
    }

    @Test("K02-13: each ping of the server is answered once, in order, with its payload")
    func serverPings() throws {
        let rig = try TransportRig.open()
        let payloads: [[UInt8]] = [Array("1700000000000".utf8), Array(0...124), []]
        let bytes = payloads.flatMap { Frames.ping($0) }
        rig.serve(bytes + bytes)
        for byte in bytes { rig.serve([byte]) }
        let pings = payloads + payloads + payloads
        #expect(rig.observer.events == pings.map { .ping($0) })
        var rest = rig.server.received[...]
        for payload in pings {
            #expect(rest.first == 0x8A)
            let mask = Array(rest.dropFirst(2).prefix(4))
            let masked = rest.dropFirst(6).prefix(payload.count)
            #expect(zip(masked, 0...).map { $0 ^ mask[$1 % 4] } == payload)
            rest = rest.dropFirst(6 + payload.count)
        }
        #expect(rest.isEmpty)
    }
}

@Suite("How the socket transport ends")
struct SocketTransportEndTests {
    // MARK: Each end

    /// What a server can do to an open connection.
    enum End: CaseIterable, Sendable {
        case close, emptyClose, endOfStream, reset, violation, violatingClose

        func happen(_ rig: TransportRig) {
            switch self {
            case .close: rig.serve(Frames.close(1_001, "away"))
            case .emptyClose: rig.serve([0x88, 0x00])
            case .endOfStream: rig.atServer { $0.finishWriting() }
            case .reset: rig.atServer { $0.abort(reset: true) }
            case .violation: rig.serve([0xF1, 0x00])
            case .violatingClose: rig.serve(Frames.close(1_005))
            }
        }

        var kind: CloseCause.Kind {
            switch self {
            case .close, .emptyClose: .closedByPeer
            case .endOfStream, .reset: .connectionLost
            case .violation, .violatingClose: .protocolViolation
            }
        }
    }

    @Test("T1, G4: each end is reported once, behind what came before it", arguments: End.allCases)
    func ends(_ end: End) throws {
        let rig = try TransportRig.open()
        rig.serve(Frames.text("last"))
        end.happen(rig)
        #expect(rig.observer.messages == [.text("last")])
        #expect(rig.observer.closed.map(\.kind) == [end.kind])
        #expect(rig.observer.reports.last == .closed(try #require(rig.observer.closed.first)))
        try rig.checkOver()
    }

    @Test("T1, G4: the first end decides: a second one is a symptom", arguments: End.allCases)
    func twoEnds(_ end: End) throws {
        for second in End.allCases {
            let rig = try TransportRig.open()
            end.happen(rig)
            second.happen(rig)
            #expect(rig.observer.closed.map(\.kind) == [end.kind])
            try rig.checkOver()
        }
    }

    /// What can go wrong before the opening.
    enum Failure: CaseIterable, Sendable {
        case refused, resetInHandshake, eofInHandshake, http, garbage, badAccept

        var kind: CloseCause.Kind {
            switch self {
            case .refused, .resetInHandshake: .connectFailed
            case .http: .refused
            case .eofInHandshake, .garbage, .badAccept: .badHandshake
            }
        }
    }

    @Test("T1, K05-11: each failure of an opening is reported once", arguments: Failure.allCases)
    func failures(_ failure: Failure) throws {
        let rig = try TransportRig(listens: failure != .refused)
        rig.open()
        switch failure {
        case .refused: break
        case .resetInHandshake: rig.atServer { $0.abort(reset: true) }
        case .eofInHandshake: rig.atServer { $0.finishWriting() }
        case .http: rig.serve(OpeningResponse.reject(status: 403, headers: [:], body: "no"))
        case .garbage: rig.serve([0, 1, 2, 13, 10, 13, 10])
        case .badAccept:
            rig.serve(OpeningResponse.accept(key: "x", subprotocol: nil, headers: [:]))
        }
        #expect(rig.observer.closed.map(\.kind) == [failure.kind])
        #expect(!rig.observer.reports.contains(.opened("p")))
        #expect(rig.channel?.hasEnded == (failure != .refused && failure != .resetInHandshake))
        rig.executor.perform { _ = try? rig.transport.send(.text("x")) }
        rig.executor.advance(by: .seconds(2))
        #expect(rig.executor.pendingTimers == 0)
        #expect(rig.observer.closed.count == 1)
    }

    @Test("K10-08: a thousand messages, a Close and FIN in one write: all messages, then the end")
    func messagesBeforeClose() throws {
        let rig = try TransportRig.open()
        rig.executor.perform {
            rig.server.write(
                (0..<1_000).flatMap { _ in Frames.text("A") } + Frames.close(1_000))
            rig.server.channel?.finishWriting()
        }
        rig.executor.runUntilIdle()
        #expect(rig.observer.messages.count == 1_000)
        #expect(rig.observer.closed == [.closedByPeer(PeerClose(code: 1_000))])
        try rig.checkOver()
    }

    @Test("K01-04: after the server's Close nothing else counts, and it is answered once")
    func afterClose() throws {
        let rig = try TransportRig.open()
        rig.serve(Frames.close(1_000) + Frames.close(1_001) + Frames.text("A"))
        #expect(rig.observer.events == [.closed(.closedByPeer(PeerClose(code: 1_000)))])
        #expect(rig.server.received.count == 8)
        #expect(rig.server.received.first == 0x88)
        try rig.checkOver()
    }

    // MARK: The closing handshake

    @Test(
        "K10-10: the end is known when the answer comes; a server that keeps TCP is left after 1 s")
    func serverKeepsTCP() throws {
        let rig = try TransportRig.open()
        rig.perform { $0.close(4_000, reason: "bye") }
        #expect(rig.observer.reports.isEmpty)
        rig.serve(Frames.close(4_000))
        #expect(rig.observer.closed == [.closedByPeer(PeerClose(code: 4_000))])
        #expect(rig.channel?.hasEnded == false)
        rig.executor.advance(by: .milliseconds(999))
        #expect(!rig.server.hasEOF)
        rig.executor.advance(by: .milliseconds(1))
        #expect(rig.server.hasEOF)
        #expect(rig.channel?.hasEnded == true)
        try rig.checkOver()
    }

    @Test("RFC 6455 7.1.1: the client waits for the server to end TCP, and then follows at once")
    func serverEndsTCP() throws {
        let rig = try TransportRig.open()
        rig.perform { $0.close(1_000, reason: "") }
        rig.serve(Frames.close(1_000))
        #expect(!rig.server.hasEOF)
        rig.atServer { $0.finishWriting() }
        #expect(rig.server.hasEOF)
        #expect(rig.milliseconds == 0)
        #expect(rig.executor.pendingTimers == 0)
    }

    @Test("T4: reading goes on while the transport lingers, though it was suspended")
    func lingersReading() throws {
        let rig = try TransportRig.open()
        rig.observer.onReport = { report in
            if case .message = report { rig.transport.setReading(false) }
        }
        rig.serve(Frames.text("a") + Frames.close(1_000))
        #expect(rig.observer.closed.count == 1)
        rig.atServer { $0.finishWriting() }
        #expect(rig.channel?.hasEnded == true)
        rig.observer.onReport = nil
    }

    @Test(
        "K10-06: a Close that came ahead of a reset is the cause, though our answer could not go out"
    )
    func closeThenReset() throws {
        let rig = try TransportRig.open()
        try rig.perform { transport throws(SendError) in
            _ = try transport.send(.binary([UInt8](repeating: 1, count: 100_000)))
        }
        rig.executor.perform {
            rig.server.write(Frames.close(1_008, "poly"))
            rig.server.channel?.abort(reset: true)
        }
        rig.executor.runUntilIdle()
        #expect(rig.observer.closed == [.closedByPeer(PeerClose(code: 1_008, reason: "poly"))])
        try rig.checkOver()
    }

    // MARK: Aborting

    @Test(
        "T1, H15: after abort() nothing is reported and nothing is left, in any state",
        arguments: 0..<6)
    func aborting(_ state: Int) throws {
        let rig = state < 3 ? try TransportRig() : try TransportRig.open()
        switch state {
        case 0: break
        case 1: rig.executor.perform { rig.transport.open() }
        case 2: rig.open()
        case 3: break
        case 4: rig.perform { $0.close(1_000, reason: "") }
        default: rig.serve(Frames.close(1_000))
        }
        let known = rig.observer.reports
        rig.perform { $0.abort() }
        #expect(rig.observer.reports == known)
        if state >= 2 { #expect(rig.server.hasEOF || rig.server.failure == .reset) }
        try rig.checkOver()
        rig.perform { $0.abort() }
        #expect(rig.observer.reports == known)
    }

    @Test("T1: abort() from within a report ends the reports, in the middle of a read too")
    func abortFromWithin() throws {
        let rig = try TransportRig.open()
        rig.observer.onReport = { report in
            if report == .message(.text("b")) { rig.transport.abort() }
        }
        rig.serve(Frames.text("a") + Frames.text("b") + Frames.text("c") + Frames.close(1_000))
        #expect(rig.observer.reports == [.message(.text("a")), .message(.text("b"))])
        try rig.checkOver()
        rig.observer.onReport = nil
    }

    @Test("K09-07: when it has ended, nobody holds the transport")
    func released() throws {
        let network = VirtualNetwork(executor: VirtualExecutor())
        weak var observed: SocketTransport?
        do {
            let rig = try TransportRig.open()
            observed = rig.transport
            rig.serve(Frames.close(1_000))
            rig.executor.advance(by: .seconds(1))
        }
        #expect(observed == nil)
        _ = network
    }
}

@Suite("The socket transport over TCP", .serialized, .timeLimit(.minutes(1)))
struct SocketTransportOverTCPTests {
    @Test(
        "K10-06: over TCP, real time: the Close counts that came ahead of RST, with 100 KiB unsent",
        arguments: PollerKind.allCases)
    func closeThenReset(_ kind: PollerKind) async throws {
        let loop = try kind.makeLoop()
        let server = try TestServer(loop: loop)
        let log = Log<String>()
        let observer = LoggingObserver(log)
        let request = try ConnectionRequest(url: server.url(), subprotocols: ["p"])
        let transport = try await on(loop) {
            let transport = SocketTransportFactory(loop: loop).makeTransport(
                Generation(1), request: request, observer: observer)
            transport.open()
            return OpenedTransport(value: transport)
        }
        await server.accepted.wait { !$0.isEmpty }
        let head = await server.handlers[0].log.wait {
            RecordingHandler.bytes($0).suffix(4) == [13, 10, 13, 10]
        }
        let bare = BareServer()
        bare.received = RecordingHandler.bytes(head)
        let answer = bare.acceptance
        _ = try await on(loop) { server.channels[0].write(answer) }
        #expect(await log.wait { !$0.isEmpty } == ["opened"])
        try await on(loop) {
            server.channels[0].setReading(false)
            // More than both kernels' buffers take, so our answer to the Close cannot go out.
            _ = try transport.value.send(.binary([UInt8](repeating: 1, count: 8 << 20)))
        }
        try await on(loop) {
            server.channels[0].write(Frames.close(1_008, "poly"))
            server.channels[0].abort(reset: true)
        }
        let reports = await log.wait { $0.contains { $0.hasPrefix("closed") } }
        #expect(reports.last == "closed by the peer: 1008 \"poly\"")
        server.stop()
        loop.shutdown()
    }
}

/// A transport on its way between the loop and a test.
private struct OpenedTransport: @unchecked Sendable {
    let value: any Transport
}

private final class LoggingObserver: TransportObserver, @unchecked Sendable {
    private let log: Log<String>

    init(_ log: Log<String>) {
        self.log = log
    }

    func transportProgressed(_ generation: Generation, _ phase: ConnectPhase) {}
    func transportOpened(_ generation: Generation, _ opened: OpenedConnection) { log.add("opened") }
    func transportReceived(_ generation: Generation, _ message: Message) { log.add("message") }
    func transportFinishedBatch(_ generation: Generation) {}
    func transportReceivedPing(_ generation: Generation, payload: [UInt8]) {}
    func transportReceivedPong(_ generation: Generation, _ id: PingID) {}
    func transportBecameWritable(_ generation: Generation) {}
    func transportClosed(_ generation: Generation, _ cause: CloseCause) { log.add("\(cause)") }
}
