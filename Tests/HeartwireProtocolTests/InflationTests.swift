import Testing

@testable import HeartwireProtocol

@Suite("RFC 7692 7.2.2: messages are inflated as they arrive")
struct InflationTests {
    private func make(
        _ codec: StoredCodec = StoredCodec(), keepsContext: Bool = true, limits: Limits = Limits()
    ) -> Inflation {
        Inflation(codec: codec, windowBits: 15, keepsContext: keepsContext, limits: limits.shared)
    }

    /// The message, or the violation as its close code and what was expected.
    private func read(
        _ inflation: Inflation, _ pieces: [[UInt8]], isText: Bool = false, key: MaskingKey? = nil
    ) -> Result<Message, ProtocolViolation> {
        do throws(ProtocolViolation) {
            inflation.begin(isText: isText)
            var offset = 0
            for piece in pieces {
                let now = key?.advanced(by: offset)
                let bytes = now?.combined(with: piece.span) ?? piece
                try inflation.append(bytes.span, key: now)
                offset += piece.count
            }
            return .success(try inflation.end())
        } catch {
            return .failure(error)
        }
    }

    private func violation(
        _ pieces: [[UInt8]], isText: Bool = false, limits: Limits = Limits()
    ) -> ProtocolViolation? {
        guard case .failure(let violation) = read(make(limits: limits), pieces, isText: isText)
        else { return nil }
        return violation
    }

    @Test("RFC 7692 7.2.2: text and binary, in one piece and in any cut, masked and plain")
    func cuts() {
        let text = "Grüße, 世界"
        let wire = StoredCodec.wire(Array(text.utf8))
        let inflation = make()
        for key in [nil, MaskingKey(1, 2, 3, 4)] {
            for pieces in everySplit(wire) {
                #expect(read(inflation, pieces, isText: true, key: key) == .success(.text(text)))
                #expect(read(inflation, pieces, key: key) == .success(.binary(Array(text.utf8))))
            }
        }
    }

    @Test("A message may be larger than any room for it was")
    func growth() {
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let inflation = make()
        for key in [nil, MaskingKey(random: 0xDEAD_BEEF)] {
            #expect(
                read(inflation, [StoredCodec.wire(bytes)], key: key) == .success(.binary(bytes)))
        }
    }

    @Test("K07-05: a message without a byte of deflate is not whole, and an empty block is empty")
    func empty() {
        let inflation = make()
        #expect(read(inflation, [[0x00]]) == .success(.binary([])))
        #expect(read(inflation, [[0x00]], isText: true) == .success(.text("")))
        for pieces in [[], [[]]] as [[[UInt8]]] {
            let violation = violation(pieces)
            #expect(violation?.closeCode == .invalidPayloadData)
            #expect(violation?.clause == "7.2.1")
        }
    }

    @Test("P2: a message that ends within a block is an error, wherever it was cut")
    func truncated() {
        let wire = StoredCodec.wire([1, 2, 3])
        // But for one byte, which is an empty message: a stored block of three begins as one of none.
        for length in 0..<wire.count where length != 1 {
            #expect(violation([Array(wire[..<length])])?.closeCode == .invalidPayloadData)
        }
    }

    @Test("K07-04: a final block ends a message, with and without an empty block behind it")
    func finalBlock() {
        let inflation = make()
        let hello = Array("Hello".utf8)
        for wire in [
            StoredCodec.wire(hello, isFinal: true),
            StoredCodec.wire(hello, isFinal: true).dropLast(),
        ] {
            #expect(read(inflation, [Array(wire)]) == .success(.binary(hello)))
            #expect(read(inflation, [StoredCodec.wire(hello)]) == .success(.binary(hello)))
        }
        // What the final block has filled the room with to the last byte is not asked for again.
        let exact = [UInt8](repeating: 5, count: 4_096)
        let wire = Array(StoredCodec.wire(exact, isFinal: true).dropLast())
        #expect(
            read(make(), [Array(wire[..<100]), Array(wire[100...])]) == .success(.binary(exact)))
        // A message that says nothing at all is not whole because the one before it was.
        guard case .failure = read(inflation, [[]]) else {
            Issue.record("an empty payload was taken for a message")
            return
        }
    }

    @Test("P2: corrupt data is an error at once, and so is an inflater that is stuck")
    func corrupt() {
        for byte in [0xFF, 0xFE] as [UInt8] {
            let inflation = make()
            inflation.begin(isText: false)
            let piece = [byte, 0, 0]
            #expect(throws: ProtocolViolation.self) {
                try inflation.append(piece.span, key: nil)
            }
            let violation = violation([[byte]])
            #expect(violation?.closeCode == .invalidPayloadData)
            #expect(violation?.clause == "7.2.2")
            #expect(violation?.rfc == 7_692)
        }
    }

    @Test("RFC 6455 8.1: text is judged after inflating, at the first impossible byte")
    func text() {
        let bad = Array(StoredCodec.wire([0x41, 0xC0, 0x41, 0x41]).prefix(7))
        let inflation = make()
        inflation.begin(isText: true)
        #expect(throws: ProtocolViolation.self) { try inflation.append(bad.span, key: nil) }
        #expect(violation([StoredCodec.wire([0xE2, 0x82])], isText: true)?.clause == "8.1")
        #expect(violation([StoredCodec.wire([0xE2, 0x82])], isText: false) == nil)
        let euro = [StoredCodec.wire([0xE2]).dropLast(), StoredCodec.wire([0x82, 0xAC])[...]]
        #expect(read(make(), euro.map { Array($0) }, isText: true) == .success(.text("€")))
    }

    @Test("P4: a message may inflate to the limit and not to a byte more, and no room is larger")
    func size() {
        var limits = Limits()
        for limit in [0, 1, 4_095, 4_096, 4_097, 10_000] {
            limits.messageBytes = limit
            let inflation = make(limits: limits)
            #expect(
                read(inflation, [StoredCodec.zeros(limit) + [0]])
                    == .success(.binary([UInt8](repeating: 0, count: limit))))
            guard case .failure(let violation) = read(inflation, [StoredCodec.zeros(limit + 1)])
            else {
                Issue.record("\(limit + 1) bytes were taken")
                return
            }
            #expect(violation.closeCode == .messageTooBig)
            #expect(violation.expected == "at most \(limit) bytes in a message")
            #expect(inflation.allocated <= max(limit + 1, 4_096))
        }
        limits.messageBytes = -1
        guard case .failure = read(make(limits: limits), [[0x00]]) else {
            Issue.record("a negative limit admits nothing")
            return
        }
    }

    @Test("P4: a bomb stops at the limit, with no more memory than that")
    func bomb() {
        let bomb = (0..<64).flatMap { _ in StoredCodec.zeros(0xFF_FFFF) }
        var limits = Limits()
        limits.messageBytes = 100_000
        let inflation = make(limits: limits)
        guard case .failure(let violation) = read(inflation, [bomb]) else {
            Issue.record("the bomb went off")
            return
        }
        #expect(violation.closeCode == .messageTooBig)
        #expect(inflation.allocated <= 100_001)
    }

    @Test("P4: past the grace a byte may inflate to so many and not to one more")
    func ratio() {
        var limits = Limits()
        limits.inflateRatio = 10
        limits.inflateRatioGraceBytes = 1_000
        // Five bytes have arrived with the empty block behind the zeros, four when the zeros are read.
        let lawful = read(make(limits: limits), [StoredCodec.zeros(1_050) + [0]])
        #expect(lawful == .success(.binary([UInt8](repeating: 0, count: 1_050))))
        let violation = violation([StoredCodec.zeros(1_051) + [0]], limits: limits)
        #expect(violation?.closeCode == .messageTooBig)
        #expect(violation?.rfc == 7_692)
        #expect(violation?.expected == "at most 10 bytes out of each")
        limits.inflateRatio = Int.min
        limits.inflateRatioGraceBytes = Int.min
        #expect(self.violation([StoredCodec.zeros(1)], limits: limits) != nil)
    }

    @Test("P4: the ratio is looked at every 4 KiB of a message, in whatever pieces it came")
    func marks() {
        var limits = Limits()
        limits.inflateRatio = 10
        limits.inflateRatioGraceBytes = 0
        // 4,096 bytes, nine of them headers, inflate to ten times as many, or to one byte more.
        let literals = StoredCodec.wire([UInt8](repeating: 1, count: 5_000))
        let lawful = StoredCodec.zeros(36_873) + literals
        let early = StoredCodec.zeros(36_874) + literals
        for size in [1, 2, 3, 4, 100, 4_095, 4_096, 4_097, 10_000] {
            let pieces = [stride(from: 0, to: lawful.count, by: size)].joined()
                .map { Array(lawful[$0..<min(lawful.count, $0 + size)]) }
            guard case .success(let message) = read(make(limits: limits), pieces) else {
                Issue.record("pieces of \(size) bytes were refused")
                continue
            }
            #expect(message.byteCount == 41_873)
            let inflation = make(limits: limits)
            inflation.begin(isText: false)
            #expect(throws: ProtocolViolation.self) {
                for offset in stride(from: 0, to: 4_096, by: size) {
                    let piece = Array(early[offset..<min(4_096, offset + size)])
                    try inflation.append(piece.span, key: nil)
                }
            }
        }
    }

    @Test("Of two faults the first in the message counts, in whatever pieces it came")
    func firstFault() {
        var limits = Limits()
        limits.messageBytes = 100
        limits.inflateRatio = 10
        limits.inflateRatioGraceBytes = 0
        let corrupt = StoredCodec.zeros(90) + [0xFF, 0, 0]
        let noText =
            Array(StoredCodec.wire([0x41, 0xC0, 0x41]).dropLast()) + StoredCodec.zeros(200)
        for (wire, isText, code) in [
            (corrupt, false, .invalidPayloadData), (noText, true, .invalidPayloadData),
            (noText, false, .messageTooBig),
        ] as [([UInt8], Bool, CloseCode)] {
            let whole = violation([wire], isText: isText, limits: limits)
            #expect(whole?.closeCode == code)
            for pieces in everySplit(wire) {
                #expect(violation(pieces, isText: isText, limits: limits) == whole)
            }
        }
    }

    @Test("RFC 7692 7.1.1: a context that is not kept is forgotten after each message")
    func contexts() {
        for keepsContext in [true, false] {
            let codec = StoredCodec()
            let inflation = make(codec, keepsContext: keepsContext)
            #expect(!inflation.holdsContext)
            #expect(inflation.allocated == 0)
            for _ in 0..<2 { _ = read(inflation, [StoredCodec.wire([1])]) }
            #expect(
                codec.log.entries == ["inflater 15"]
                    + (keepsContext ? [] : ["forget received", "forget received"]))
            #expect(inflation.holdsContext)
            #expect(inflation.allocated > 0)
            inflation.releaseStorage()
            #expect(inflation.holdsContext == keepsContext)
            #expect(inflation.allocated == 0)
            #expect(read(inflation, [StoredCodec.wire([2])]) == .success(.binary([2])))
        }
    }

    @Test("A room of the usual size is kept for the next message, a larger one is given back")
    func keptStorage() {
        var limits = Limits()
        limits.eagerReservationBytes = 8_192
        let inflation = make(limits: limits)
        _ = read(inflation, [StoredCodec.zeros(8_000) + [0]])
        #expect(inflation.allocated == 8_192)
        _ = read(inflation, [StoredCodec.zeros(9_000) + [0]])
        #expect(inflation.allocated == 0)
    }

    @Test("Without memory for an inflater the connection fails with 1011")
    func noMemory() {
        var codec = StoredCodec()
        codec.hasMemory = false
        guard case .failure(let violation) = read(make(codec), [[0x00]]) else {
            Issue.record("nothing can inflate")
            return
        }
        #expect(violation.closeCode == .internalError)
    }
}
