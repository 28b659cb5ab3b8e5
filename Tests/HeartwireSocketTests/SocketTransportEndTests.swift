import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import HeartwireSocket

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

    @Test(
        "5.5.1: who takes messages in the domain answers those ahead of a Close in the same turn",
        arguments: [
            Frames.text("a") + Frames.close(1_001), Frames.text("a") + [0x83],
            Frames.ping([1]) + Frames.text("a") + Frames.close(1_001),
        ])
    func answeredAheadOfClose(_ read: [UInt8]) throws {
        let rig = try TransportRig.open()
        rig.observer.onReport = { report in
            // As a consumer does that is woken then: in a job of the same turn.
            guard report == .batch, rig.observer.closed.isEmpty else { return }
            nonisolated(unsafe) let transport = rig.transport
            rig.executor.execute { _ = try? transport.send(.text("answer")) }
        }
        rig.serve(read)
        rig.observer.onReport = nil
        let opcodes = Frames.opcodes(ofClient: rig.server.received).filter { $0 != 0xA }
        #expect(opcodes == [0x1, 0x8])
        #expect(rig.observer.closed.count == 1)
    }

    @Test(
        "5.5.1: the same where one read becomes two reports, as a long message and what follows it do"
    )
    func answeredAheadOfCloseInPieces() throws {
        let rig = try TransportRig.open()
        rig.perform { transport in
            Frames.text("a").withUnsafeBytes { transport.channelReceived($0) }
            nonisolated(unsafe) let sender = transport
            rig.executor.execute { _ = try? sender.send(.text("answer")) }
            Frames.close(1_001).withUnsafeBytes { transport.channelReceived($0) }
        }
        #expect(Frames.opcodes(ofClient: rig.server.received) == [0x1, 0x8])
        #expect(rig.observer.closed.count == 1)
    }

    @Test("T1: nothing of a read is reported once an observer has aborted in the middle of it")
    func abortedWithinRead() throws {
        let rig = try TransportRig.open()
        rig.observer.onReport = { report in
            if case .message = report { rig.transport.abort() }
        }
        rig.serve(Frames.text("a") + Frames.text("b") + Frames.ping([1]) + Frames.close(1_001))
        rig.observer.onReport = nil
        #expect(rig.observer.reports == [.message(.text("a"))])
        try rig.checkOver()
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
