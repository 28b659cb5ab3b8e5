import Testing

@testable import HeartwireProtocol

@Suite("5.2: writing frames")
struct FrameWriterTests {
    private func write(
        _ opcode: Opcode, _ payload: [UInt8], key: MaskingKey? = nil, isFinal: Bool = true
    ) -> [UInt8] {
        var buffer = OutgoingBuffer()
        payload.withUnsafeBytes {
            FrameWriter.append(opcode, isFinal: isFinal, payload: $0, key: key, to: &buffer)
        }
        return buffer.withBytes { Array($0) }
    }

    @Test("Header and pieces make the same frame", arguments: [0, 5, 126, 65_536])
    func pieces(_ length: Int) {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for key in [nil, MaskingKey(9, 8, 7, 6)] {
            var buffer = OutgoingBuffer()
            FrameWriter.appendHeader(.binary, length: length, key: key, to: &buffer)
            payload.withUnsafeBytes { bytes in
                let middle = length / 3
                FrameWriter.appendPayload(
                    UnsafeRawBufferPointer(rebasing: bytes[..<middle]), key: key, to: &buffer)
                FrameWriter.appendPayload(
                    UnsafeRawBufferPointer(rebasing: bytes[middle...]),
                    key: key?.advanced(by: middle), to: &buffer)
            }
            #expect(buffer.withBytes { Array($0) } == write(.binary, payload, key: key))
        }
    }

    @Test("5.3: an echo has no mask, whatever mask its message came with", arguments: [0, 5, 126])
    func echo(_ length: Int) {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for key in [nil, MaskingKey(9, 8, 7, 6)] {
            let received = key?.combined(with: payload.span) ?? payload
            var buffer = OutgoingBuffer()
            received.withUnsafeBytes {
                FrameWriter.appendEcho(.binary, payload: $0, maskedWith: key, to: &buffer)
            }
            #expect(buffer.withBytes { Array($0) } == write(.binary, payload))
        }
    }

    @Test("5.7: the examples of the RFC")
    func examples() {
        let hello = Array("Hello".utf8)
        let key = MaskingKey(0x37, 0xFA, 0x21, 0x3D)
        #expect(hexText(write(.text, hello)) == "810548656c6c6f")
        #expect(hexText(write(.text, hello, key: key)) == "818537fa213d7f9f4d5158")
        #expect(hexText(write(.text, Array("Hel".utf8), isFinal: false)) == "010348656c")
        #expect(hexText(write(.continuation, Array("lo".utf8))) == "80026c6f")
        #expect(hexText(write(.ping, hello)) == "890548656c6c6f")
        #expect(hexText(write(.pong, hello, key: key)) == "8a8537fa213d7f9f4d5158")
    }

    @Test(
        "K06-15: the length takes its shortest form",
        arguments: [
            (0, "8200"), (1, "8201"), (125, "827d"), (126, "827e007e"), (127, "827e007f"),
            (65_535, "827effff"), (65_536, "827f0000000000010000"),
            (65_537, "827f0000000000010001"),
            (1 << 24, "827f0000000001000000"),
        ])
    func lengths(_ length: Int, header: String) {
        let payload = [UInt8](repeating: 0xA5, count: length)
        let plain = write(.binary, payload)
        #expect(hexText(plain.prefix(plain.count - length)) == header)
        // The largest is only for its header: comparing it takes seconds in a debug build.
        guard length < 1 << 20 else { return }
        #expect(plain.suffix(length).elementsEqual(payload))
        let key = MaskingKey(1, 2, 3, 4)
        let secret = write(.binary, payload, key: key)
        #expect(secret.count == plain.count + 4)
        #expect(secret[1] == plain[1] | 0x80)
        #expect(
            WireFrame.all(in: secret) == [
                WireFrame(first: 0x82, key: [1, 2, 3, 4], payload: payload)
            ])
    }

    @Test("What was written is read again as the same header")
    func roundTrip() throws {
        for length in [0, 1, 125, 126, 65_535, 65_536] {
            for opcode in [Opcode.text, .binary, .continuation] {
                let key = MaskingKey(random: UInt64(length))
                let bytes = write(opcode, [UInt8](repeating: 0, count: length), key: key)
                let header = try #require(
                    try FrameHeader.read(bytes.span, at: 0, from: .client))
                #expect(header.opcode == opcode)
                #expect(header.payloadLength == length)
                #expect(header.maskingKey == key)
                #expect(header.size + length == bytes.count)
            }
        }
    }

    @Test("RFC 7692 6: RSV1 marks a compressed message")
    func compressed() {
        var buffer = OutgoingBuffer()
        let payload = hex("f248cdc9c90700")
        payload.withUnsafeBytes {
            FrameWriter.append(.text, isCompressed: true, payload: $0, key: nil, to: &buffer)
        }
        #expect(hexText(buffer.withBytes { Array($0) }) == "c107f248cdc9c90700")
    }

    @Test("Frames stand behind one another")
    func sequence() {
        var buffer = OutgoingBuffer()
        FrameWriter.append(.ping, payload: [1], key: nil, to: &buffer)
        FrameWriter.append(.close, payload: [], key: nil, to: &buffer)
        #expect(hexText(buffer.withBytes { Array($0) }) == "8901018800")
    }
}
