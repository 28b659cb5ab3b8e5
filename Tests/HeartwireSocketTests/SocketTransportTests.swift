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

    @Test("P4: a connection holds no buffers behind its opening and behind each pong")
    func idle() throws {
        let rig = try TransportRig.open()
        let retained = { rig.executor.perform { rig.transport.engine.retainedBytes } }
        #expect(retained() == 0)
        rig.perform { _ = try? $0.send(.text("busy")) }
        rig.serve(Frames.text("busy"))
        #expect(retained() > 0, "the next message may come at once")
        rig.perform { $0.ping(PingID(1)) }
        rig.serve(Frames.pong(PingID(1).payload))
        #expect(retained() == 0)
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

    @Test(
        "K12-02: what the server has not taken is told, wherever it waits, while the connection is open"
    )
    func unacknowledged() throws {
        let rig = try TransportRig.open()
        #expect(rig.transport.unacknowledgedBytes == 0)
        rig.atServer { $0.setReading(false) }
        let block = Message.binary([UInt8](repeating: 1, count: 300_000))
        try rig.perform { transport throws(SendError) in _ = try transport.send(block) }
        #expect(rig.transport.unacknowledgedBytes == 300_014)
        rig.atServer { $0.setReading(true) }
        #expect(rig.transport.unacknowledgedBytes == 0)
        rig.atServer { $0.setReading(false) }
        try rig.perform { transport throws(SendError) in _ = try transport.send(block) }
        rig.perform { $0.abort() }
        #expect(rig.transport.unacknowledgedBytes == 0)
    }

    @Test(
        "T4, P4: marks below zero, or the wrong way round, hold no sender for ever",
        arguments: [(0, 0), (-1, -1), (100, -5), (0, 1_000), (Int.min, Int.max)])
    func oddMarks(_ high: Int, _ low: Int) throws {
        var limits = Limits()
        limits.outgoingHighWater = high
        limits.outgoingLowWater = low
        let rig = try TransportRig.open(limits: limits)
        for size in [50, 300_000] {
            let message = Message.binary([UInt8](repeating: 1, count: size))
            var hasRoom = true
            try rig.perform { transport throws(SendError) in
                hasRoom = try transport.send(message)
            }
            #expect(hasRoom || rig.observer.events.last == .writable)
        }
        #expect(rig.observer.events.count <= 2)
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

    @Test("T4: what a read brings behind a suspension waits in order and comes a slice at a time")
    func withheld() throws {
        let rig = try TransportRig()
        rig.open()
        // 102 bytes each on the wire, so that most slices end within a frame.
        let texts = (100..<300).map { "message \($0) " + String(repeating: ".", count: 88) }
        rig.observer.onReport = { report in
            if case .message = report { rig.transport.setReading(false) }
        }
        rig.serve(rig.server.acceptance + texts.flatMap(Frames.text))
        var counts = [0, rig.observer.messages.count]
        while counts.count < 10, !rig.transport.withheld.isEmpty {
            rig.perform { $0.setReading(true) }
            counts.append(rig.observer.messages.count)
        }
        for (earlier, later) in zip(counts, counts.dropFirst()) {
            #expect(later > earlier && later - earlier <= 41)
        }
        #expect(rig.observer.messages == texts.map { .text($0) })
        #expect(rig.transport.withheld.capacity == 0)
        rig.observer.onReport = nil
        rig.serve(Frames.text("a"))
        #expect(rig.observer.messages.count == texts.count)
        rig.perform { $0.setReading(true) }
        #expect(rig.observer.messages.last == .text("a"))
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
