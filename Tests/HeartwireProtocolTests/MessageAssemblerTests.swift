import Testing

@testable import HeartwireProtocol

@Suite("5.4: messages out of frames")
struct MessageAssemblerTests {
    private func header(
        _ opcode: Opcode, _ length: Int, isFinal: Bool = true, key: MaskingKey? = nil
    ) -> FrameHeader {
        FrameHeader(
            isFinal: isFinal, opcode: opcode, payloadLength: length, maskingKey: key, size: 2)
    }

    private func admission(
        _ assembler: MessageAssembler, _ header: FrameHeader
    ) -> ProtocolViolation? {
        do throws(ProtocolViolation) {
            try assembler.admit(header)
            return nil
        } catch {
            return error
        }
    }

    /// Feeds whole frames, and gives the message that they end with.
    private func assemble(
        _ assembler: inout MessageAssembler, _ frames: [(FrameHeader, [UInt8])]
    ) throws -> Message? {
        var message: Message?
        for (header, payload) in frames {
            try assembler.admit(header)
            assembler.begin(header)
            try assembler.append(payload.span, key: header.maskingKey)
            message = try assembler.end(header)
        }
        return message
    }

    @Test("Fragments become one message of the first one's kind")
    func kinds() throws {
        var assembler = MessageAssembler(limits: Limits().shared)
        #expect(!assembler.isInMessage)
        #expect(try assemble(&assembler, [(header(.text, 1, isFinal: false), [0xE2])]) == nil)
        #expect(assembler.isInMessage)
        #expect(
            try assemble(
                &assembler,
                [
                    (header(.continuation, 1, isFinal: false), [0x82]),
                    (header(.continuation, 1), [0xAC]),
                ]) == .text("€"))
        #expect(!assembler.isInMessage)
        #expect(
            try assemble(
                &assembler,
                [(header(.binary, 2, isFinal: false), [1, 2]), (header(.continuation, 1), [3])])
                == .binary([1, 2, 3]))
    }

    @Test("8.1: a whole text that is not UTF-8 is no message")
    func invalidWhole() {
        let assembler = MessageAssembler(limits: Limits().shared)
        let bytes: [UInt8] = [0x41, 0xFF]
        #expect(throws: ProtocolViolation.self) {
            _ = try assembler.wholeMessage(header(.text, 2), bytes.span)
        }
    }

    @Test("A source fills the message itself, and is judged and unmasked like any piece")
    func filled() throws {
        var assembler = MessageAssembler(limits: Limits().shared)
        #expect(!assembler.takesDirectly)
        let key = MaskingKey(1, 2, 3, 4)
        let text = header(.text, 4, key: key)
        assembler.begin(text)
        #expect(assembler.takesDirectly)
        // A source that claims more than its room, or less than nothing, is held to its room.
        let taken = try assembler.fill(2, key: key) { room in
            room.copyBytes(from: [UInt8(ascii: "o") ^ 1, UInt8(ascii: "k") ^ 2])
            return 99
        }
        #expect(taken == 2)
        #expect(try assembler.fill(2, key: key) { _ in -1 } == 0)
        #expect(throws: ProtocolViolation.self) {
            _ = try assembler.fill(2, key: nil) { room in
                room.copyBytes(from: [0xFF])
                return 1
            }
        }
    }

    @Test("Each piece is unmasked with its own key")
    func keys() throws {
        var assembler = MessageAssembler(limits: Limits().shared)
        let (first, second) = (MaskingKey(1, 2, 3, 4), MaskingKey(random: 0xDEAD_BEEF))
        let (head, tail) = (Array("abcdefg".utf8), Array("hijklmnopqrstuvwxyz".utf8))
        let message = try assemble(
            &assembler,
            [
                (header(.text, 7, isFinal: false, key: first), first.combined(with: head.span)),
                (header(.continuation, 19, key: second), second.combined(with: tail.span)),
            ])
        #expect(message == .text("abcdefghijklmnopqrstuvwxyz"))
    }

    @Test("A whole frame becomes a message at once")
    func whole() throws {
        let assembler = MessageAssembler(limits: Limits().shared)
        let key = MaskingKey(9, 9, 9, 9)
        let bytes = Array("whole".utf8)
        let secret = key.combined(with: bytes.span)
        let none: [UInt8] = []
        #expect(try assembler.wholeMessage(header(.text, 5), bytes.span) == .text("whole"))
        #expect(try assembler.wholeMessage(header(.binary, 5), bytes.span) == .binary(bytes))
        #expect(
            try assembler.wholeMessage(header(.text, 5, key: key), secret.span) == .text("whole"))
        #expect(
            try assembler.wholeMessage(header(.binary, 5, key: key), secret.span) == .binary(bytes))
        #expect(try assembler.wholeMessage(header(.text, 0, key: key), none.span) == .text(""))
        #expect(try assembler.wholeMessage(header(.binary, 0, key: key), none.span) == .binary([]))
    }

    @Test("10.4: a message may be as long as the limit and not a byte longer")
    func size() throws {
        var limits = Limits()
        limits.messageBytes = 10
        var assembler = MessageAssembler(limits: limits.shared)
        #expect(admission(assembler, header(.binary, 10)) == nil)
        #expect(admission(assembler, header(.binary, 11))?.closeCode == .messageTooBig)
        #expect(admission(assembler, header(.text, Int.max))?.closeCode == .messageTooBig)
        let start = (header(.binary, 6, isFinal: false), [UInt8](repeating: 0, count: 6))
        #expect(try assemble(&assembler, [start]) == nil)
        #expect(admission(assembler, header(.continuation, 4)) == nil)
        #expect(admission(assembler, header(.continuation, 5))?.closeCode == .messageTooBig)
        #expect(admission(assembler, header(.continuation, Int.max))?.closeCode == .messageTooBig)
    }

    @Test("10.4: a limit of zero admits empty messages only, a negative one none")
    func oddLimits() {
        var limits = Limits()
        limits.messageBytes = 0
        #expect(admission(MessageAssembler(limits: limits.shared), header(.text, 0)) == nil)
        #expect(admission(MessageAssembler(limits: limits.shared), header(.text, 1)) != nil)
        limits.messageBytes = Int.min
        #expect(admission(MessageAssembler(limits: limits.shared), header(.text, 0)) != nil)
        limits = Limits()
        limits.fragments = 0
        #expect(
            admission(MessageAssembler(limits: limits.shared), header(.text, 0))?.closeCode
                == .messageTooBig)
        limits = Limits()
        limits.eagerReservationBytes = -5
        var assembler = MessageAssembler(limits: limits.shared)
        assembler.begin(header(.binary, 100))
        #expect(assembler.allocated == 0)
    }

    @Test("10.4: a message may have as many frames as the limit and not one more")
    func fragments() throws {
        var limits = Limits()
        limits.fragments = 3
        var assembler = MessageAssembler(limits: limits.shared)
        for opcode in [Opcode.text, .continuation, .continuation] {
            _ = try assemble(&assembler, [(header(opcode, 0, isFinal: false), [])])
        }
        let violation = admission(assembler, header(.continuation, 0))
        #expect(violation?.closeCode == .messageTooBig)
        #expect(violation?.expected == "at most 3 frames in a message")
    }

    @Test("5.4: the place in the message is judged before anything else")
    func place() throws {
        var assembler = MessageAssembler(limits: Limits().shared)
        #expect(admission(assembler, header(.continuation, Int.max))?.clause == "5.4")
        _ = try assemble(&assembler, [(header(.text, 0, isFinal: false), [])])
        #expect(
            admission(assembler, header(.binary, Int.max))?.seen == "a new binary frame")
        #expect(admission(assembler, header(.text, 0))?.seen == "a new text frame")
    }

    @Test("8.1: text is judged piece by piece, and at its end")
    func text() {
        var assembler = MessageAssembler(limits: Limits().shared)
        assembler.begin(header(.text, 4))
        let (good, bad) = ([0xF4] as [UInt8], [0x90] as [UInt8])
        #expect(throws: Never.self) { try assembler.append(good.span, key: nil) }
        #expect(throws: ProtocolViolation.self) { _ = try assembler.end(header(.text, 4)) }
        #expect(throws: ProtocolViolation.self) { try assembler.append(bad.span, key: nil) }
    }

    @Test("No more is reserved than the header promises, the limit allows or has arrived")
    func reservation() throws {
        var limits = Limits()
        limits.eagerReservationBytes = 4_096
        var assembler = MessageAssembler(limits: limits.shared)
        assembler.begin(header(.binary, 1 << 20))
        #expect((4_096..<8_192).contains(assembler.allocated))
        assembler.drop()
        #expect(assembler.allocated == 0)
        assembler.begin(header(.binary, 100))
        #expect((100..<400).contains(assembler.allocated))
    }

    /// An assembler for compressed messages, and the codec's book about it.
    private func inflating(
        _ limits: Limits = Limits()
    ) -> (MessageAssembler, codec: StoredCodec) {
        let codec = StoredCodec()
        var assembler = MessageAssembler(limits: limits.shared)
        assembler.allowCompression(.stored(codec, keepsContext: false))
        return (assembler, codec)
    }

    private func compressed(
        _ opcode: Opcode, _ length: Int, isFinal: Bool = true, key: MaskingKey? = nil
    ) -> FrameHeader {
        var header = header(opcode, length, isFinal: isFinal, key: key)
        header.isCompressed = true
        return header
    }

    @Test("RFC 7692 6: a compressed message goes through the inflation, a plain one does not")
    func inflation() throws {
        var (assembler, codec) = inflating()
        #expect(assembler.inflation == nil)
        let wire = StoredCodec.wire([0xE2, 0x82, 0xAC])
        let (head, tail) = (Array(wire[..<6]), Array(wire[6...]))
        let key = MaskingKey(5, 6, 7, 8)
        let message = try assemble(
            &assembler,
            [
                (
                    compressed(.text, 6, isFinal: false, key: key), key.combined(with: head.span)
                ),
                (header(.continuation, tail.count), tail),
            ])
        #expect(message == .text("€"))
        #expect(!assembler.isInMessage)
        #expect(codec.log.entries == ["inflater 15", "forget received"])
        #expect(try assemble(&assembler, [(header(.binary, 1), [7])]) == .binary([7]))
        #expect(
            try assemble(&assembler, [(compressed(.binary, 1), [0x00])]) == .binary([]))
        #expect(codec.log.entries.count == 3)
        assembler.releaseStorage()
        #expect(assembler.allocated == 0)
        #expect(assembler.inflation?.holdsContext == false)
    }

    @Test("P4: what a compressed message takes on the wire is bounded, over all its frames")
    func compressedSize() throws {
        var limits = Limits()
        limits.messageBytes = 100
        var (assembler, _) = inflating(limits)
        let bound = 100 + 12 + 256
        #expect(admission(assembler, compressed(.binary, bound)) == nil)
        #expect(
            admission(assembler, compressed(.binary, bound + 1))?.closeCode == .messageTooBig)
        let start = [UInt8](StoredCodec.wire([1]).prefix(6))
        _ = try assemble(&assembler, [(compressed(.binary, 6, isFinal: false), start)])
        #expect(admission(assembler, header(.continuation, bound - 6)) == nil)
        #expect(admission(assembler, header(.continuation, bound - 5)) != nil)
        #expect(admission(assembler, header(.continuation, Int.max)) != nil)
    }

    @Test(
        "Storage of a compressed message is kept within it, and all goes when nothing is read any more"
    )
    func inflationStorage() throws {
        var (assembler, _) = inflating()
        let wire = StoredCodec.wire([1, 2, 3])
        _ = try assemble(
            &assembler, [(compressed(.binary, 6, isFinal: false), Array(wire[..<6]))])
        assembler.releaseStorage()
        #expect(assembler.inflation?.holdsContext == true)
        #expect(assembler.allocated > 0)
        let message = try assemble(&assembler, [(header(.continuation, 3), Array(wire[6...]))])
        #expect(message == .binary([1, 2, 3]))
        assembler.drop()
        #expect(assembler.allocated == 0)
        #expect(assembler.inflation == nil)
    }

    @Test("A small buffer is kept for the next text, a large one is given back")
    func keptStorage() throws {
        var assembler = MessageAssembler(limits: Limits().shared)
        let small = [UInt8](repeating: 0x41, count: 1_000)
        let large = [UInt8](repeating: 0x41, count: 100_000)
        _ = try assemble(&assembler, [(header(.text, 1_000), small)])
        #expect(assembler.allocated >= 1_000)
        _ = try assemble(&assembler, [(header(.text, 100_000), large)])
        #expect(assembler.allocated == 0)
        _ = try assemble(&assembler, [(header(.text, 1_000), small)])
        assembler.releaseStorage()
        #expect(assembler.allocated == 0)
        _ = try assemble(&assembler, [(header(.text, 1, isFinal: false), [0x41])])
        assembler.releaseStorage()
        #expect(try assemble(&assembler, [(header(.continuation, 1), [0x42])]) == .text("AB"))
    }
}
