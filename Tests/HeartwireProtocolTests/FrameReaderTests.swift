import Testing

@testable import HeartwireProtocol

@Suite("Frames out of bytes in any cut")
struct FrameReaderTests {
    /// What a reader makes of pieces, in the words of the fixtures.
    private func read(
        _ pieces: [[UInt8]], from sender: Role = .server, limits: Limits = Limits(),
        inflating: Bool = false
    ) -> [String] {
        var reader = FrameReader(sender: sender, limits: limits.shared)
        if inflating {
            reader.allowCompression(.stored(StoredCodec()))
        }
        var events = EventQueue()
        var found: [String] = []
        func collect(_ events: inout EventQueue) {
            while let event = events.popFirst() { found.append(event.summary) }
        }
        do throws(ProtocolViolation) {
            for piece in pieces {
                var offset = 0
                while offset < piece.count {
                    let control = try reader.step(piece.span, &offset, &events)
                    collect(&events)
                    switch control {
                    case .ping(let payload): found.append("ping \(hexText(payload))")
                    case .pong(let payload): found.append("pong \(hexText(payload))")
                    case .close(let close): found.append("close \(close.bytes.count)")
                    case nil: break
                    }
                }
            }
        } catch {
            found.append("violation \(error.closeCode.rawValue)")
        }
        return found
    }

    @Test("One step ends with one frame, and moves behind it")
    func steps() throws {
        let bytes = hex("8901 2a 8101 41 0101")
        var reader = FrameReader(sender: .server, limits: Limits().shared)
        var events = EventQueue()
        var offset = 0
        #expect(try reader.step(bytes.span, &offset, &events) == .ping([0x2A]))
        #expect(offset == 3)
        #expect(try reader.step(bytes.span, &offset, &events) == nil)
        #expect(offset == 6)
        #expect(events.popFirst() == .message(.text("A")))
        #expect(try reader.step(bytes.span, &offset, &events) == nil)
        #expect(offset == bytes.count)
    }

    @Test("In the middle of a data frame the rest goes straight into the message")
    func direct() throws {
        var reader = FrameReader(sender: .client, limits: Limits().shared)
        var events = EventQueue()
        #expect(reader.directBytes == 0)
        // Nothing has begun, so nothing is asked for.
        try reader.fill(atMost: 9, &events) { _ in 9 }
        let frame = masked("8206 0102030405 06", key: [9, 8, 7, 6])
        var offset = 0
        let beginning = Array(frame[..<8])
        #expect(!reader.isInFrame)
        _ = try reader.step(beginning.span, &offset, &events)
        #expect(reader.isInFrame)
        #expect(reader.directBytes == 4)
        try reader.fill(atMost: 0, &events) { _ in 9 }
        #expect(reader.directBytes == 4)
        for piece in [frame[8..<9], frame[9..<12]] {
            try reader.fill(atMost: 100, &events) { room in
                room.copyBytes(from: piece)
                return piece.count
            }
        }
        #expect(reader.directBytes == 0)
        #expect(events.popFirst() == .message(.binary([1, 2, 3, 4, 5, 6])))
        #expect(events.popFirst() == nil)
    }

    @Test("RFC 6455 5.4: a whole binary message is told from all else, and looking takes nothing")
    func wholeBinary() throws {
        var limits = Limits()
        limits.messageBytes = 4
        var reader = FrameReader(sender: .client, limits: limits.shared)
        let lawful = masked("8204 01020304 | 8200")
        #expect(reader.wholeBinary(lawful.span)?.payloadLength == 4)
        #expect(reader.wholeBinary(lawful.span)?.size == 6)
        for other in ["", "8202 01", "8205 0102030405", "0201 01", "8101 41", "8901 01", "8b00"] {
            let bytes = masked(other)
            #expect(reader.wholeBinary(bytes.span) == nil, "\(other)")
        }
        var events = EventQueue()
        var offset = 0
        let beginning = masked("8202 0102")[..<7]
        _ = try reader.step(Array(beginning).span, &offset, &events)
        #expect(reader.wholeBinary(lawful.span) == nil, "in the middle of a frame")
    }

    @Test(
        "RFC 6455 5.4: what begins with a whole message is told from all else, and looking takes nothing"
    )
    func wholeMessage() throws {
        var limits = Limits()
        limits.messageBytes = 4
        var reader = FrameReader(sender: .client, limits: limits.shared)
        func first(of bytes: [UInt8]) -> (message: Message?, end: Int) {
            var offset = 0
            let message = reader.wholeMessage(bytes.span, at: &offset)
            return (message, offset)
        }
        let (binary, text) = (masked("8204 01020304"), masked("8102 c3a9"))
        #expect(first(of: binary) == (.binary([1, 2, 3, 4]), 10))
        #expect(first(of: text + binary) == (.text("é"), 8))
        let others = [
            "", "82", "8202 01", "8205 0102030405", "0201 01", "8001 01", "8101 c3", "8901 01",
            "8b00",
        ]
        for other in others {
            #expect(first(of: masked(other)) == (nil, 0), "\(other)")
        }
        var events = EventQueue()
        var offset = 0
        let beginning = masked("8202 0102")[..<7]
        _ = try reader.step(Array(beginning).span, &offset, &events)
        #expect(first(of: binary) == (nil, 0), "in the middle of a frame")
    }

    @Test("A control frame and what is inflated never go straight anywhere")
    func notDirect() throws {
        var reader = FrameReader(sender: .server, limits: Limits().shared)
        reader.allowCompression(.stored(StoredCodec()))
        var events = EventQueue()
        var offset = 0
        let ping = hex("8903 01")
        _ = try reader.step(ping.span, &offset, &events)
        #expect(reader.directBytes == 0)
        offset = 0
        let rest = hex("0203")
        #expect(try reader.step(rest.span, &offset, &events) == .ping([1, 2, 3]))
        offset = 0
        let compressed = hex("c203 01")
        _ = try? reader.step(compressed.span, &offset, &events)
        #expect(reader.directBytes == 0)
    }

    @Test("Every kind of frame, masked and not, cut at every byte")
    func everyCut() {
        let frames =
            "0103 616263 | 8902 0102 | 0001 64 | 8a00 | 8001 65 | 8202 ffff | 8806 03e8 6f6b6f6b"
        let expected = [
            "ping 0102", "pong ", "text abcde", "binary ffff", "close 6",
        ]
        for pieces in cuts(of: hex(frames)) { #expect(read(pieces) == expected) }
        for pieces in cuts(of: masked(frames)) { #expect(read(pieces, from: .client) == expected) }
    }

    @Test("A header of 14 bytes in single bytes")
    func longHeader() {
        let payload = [UInt8](repeating: 7, count: 65_536)
        let frame = hex("82ff 0000000000010000 00000000") + payload
        let pieces = frame[..<20].map { [$0] } + [Array(frame[20...])]
        #expect(read(pieces, from: .client) == ["binary " + hexText(payload)])
    }

    @Test("P4: memory follows what arrived, not what a header promises")
    func memory() throws {
        var limits = Limits()
        limits.eagerReservationBytes = 1_000
        var reader = FrameReader(sender: .server, limits: limits.shared)
        var events = EventQueue()
        let start = hex("827f 0000000000f00000") + [UInt8](repeating: 0, count: 100)
        var offset = 0
        #expect(try reader.step(start.span, &offset, &events) == nil)
        #expect(reader.allocated >= 1_000)
        #expect(reader.allocated < 4_000)
        let more = [UInt8](repeating: 0, count: 10_000)
        offset = 0
        #expect(try reader.step(more.span, &offset, &events) == nil)
        #expect(reader.allocated < 3 * 10_100)
    }

    @Test("Dropped, it holds nothing and begins anew")
    func drop() throws {
        var reader = FrameReader(sender: .server, limits: Limits().shared)
        var events = EventQueue()
        for start in ["0103 6162", "827e", "8905 00"] {
            let bytes = hex(start)
            var offset = 0
            _ = try reader.step(bytes.span, &offset, &events)
            reader.drop()
            #expect(reader.allocated == 0)
        }
        let next = hex("8101 41")
        var offset = 0
        _ = try reader.step(next.span, &offset, &events)
        #expect(events.popFirst() == .message(.text("A")))
    }

    @Test(
        "RFC 7692 6: compressed frames are read once they are let in, in any cut, pings between them"
    )
    func compressed() {
        let frames = hex("4106 00 0300 fcff 41 89012a 8003 4243 00 8101 44 c101 00")
        #expect(read([frames]) == ["violation 1002"])
        for pieces in cuts(of: frames) {
            #expect(
                read(pieces, inflating: true) == ["ping 2a", "text ABC", "text D", "text "])
        }
    }

    @Test("RFC 7692 5.1: whole compressed frames of both kinds, behind one another")
    func wholeCompressed() {
        let frames = hex("c107 00 0100 feff 41 00 c207 00 0100 feff 42 00")
        #expect(read([frames], inflating: true) == ["text A", "binary 42"])
    }

    @Test("Storage is given back between frames, and kept within one")
    func release() throws {
        var reader = FrameReader(sender: .server, limits: Limits().shared)
        var events = EventQueue()
        let pieces = ["01", "03 61", "6263 80", "02", "64", "65"]
        for piece in pieces {
            let bytes = hex(piece)
            var offset = 0
            while offset < bytes.count { _ = try reader.step(bytes.span, &offset, &events) }
            reader.releaseStorage()
        }
        #expect(events.popFirst() == .message(.text("abcde")))
        reader.releaseStorage()
        #expect(reader.allocated == 0)
    }
}
