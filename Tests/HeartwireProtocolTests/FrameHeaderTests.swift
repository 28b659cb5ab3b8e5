import Testing

@testable import HeartwireProtocol

@Suite("5.2: frame headers")
struct FrameHeaderTests {
    private func read(_ bytes: [UInt8], from sender: Role = .server) throws -> FrameHeader? {
        try FrameHeader.read(bytes.span, at: 0, from: sender)
    }

    private func violation(_ bytes: [UInt8], from sender: Role = .server) -> ProtocolViolation? {
        do throws(ProtocolViolation) {
            _ = try FrameHeader.read(bytes.span, at: 0, from: sender)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "5.2: the short way reads each header as the long one does, or leaves it",
        arguments: [Role.client, .server])
    func plain(_ sender: Role) throws {
        let tails: [[UInt8]] = [
            [], [0], [0, 125], [0, 126], [1, 0, 9, 9, 9], [9, 8, 7, 6], [0, 126, 1, 2, 3, 4],
            [0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 3, 4],
        ]
        var plain = 0
        for first in UInt8.min...UInt8.max {
            for second in [0, 1, 125, 126, 127].flatMap({ [$0, $0 | 0x80] as [UInt8] }) {
                for tail in tails {
                    let bytes = [0xEE, first, second] + tail
                    let found = FrameHeader.plain(bytes.span, at: 1, from: sender)
                    guard let found else { continue }
                    plain += 1
                    let known = try FrameHeader.read(bytes.span, at: 1, from: sender)
                    #expect(found == known)
                    #expect(found.isFinal && (found.opcode == .text || found.opcode == .binary))
                }
            }
        }
        // Two opcodes, with each short length and with the longer ones that are whole and lawful.
        #expect(plain == (sender == .server ? 2 * (3 * 8 + 4 + 1) : 2 * (3 * 4 + 1 + 1)))
    }

    @Test(
        "5.2: the short way leaves lengths that are too large, cut off or longer than they need be",
        arguments: [
            "827f8000000000010000", "827fffffffffffffffff", "827f00000000000100",
            "827f000000000000ffff", "827e007d", "827e00",
        ])
    func plainLengths(_ text: String) {
        #expect(FrameHeader.plain(hex(text).span, at: 0, from: .server) == nil)
    }

    @Test("RFC 7692 6: a frame is not compressed unless that is said")
    func plainByDefault() {
        let header = FrameHeader(
            isFinal: true, opcode: .text, payloadLength: 3, maskingKey: nil, size: 2)
        #expect(!header.isCompressed)
    }

    @Test(
        "K06-15: each length in its form",
        arguments: [
            ("8200", 0, 2), ("827d", 125, 2), ("827e007e", 126, 4), ("827e007f", 127, 4),
            ("827effff", 65_535, 4), ("827f0000000000010000", 65_536, 10),
            ("827f0000000000010001", 65_537, 10), ("827f0000000001000000", 1 << 24, 10),
            ("827f7fffffffffffffff", Int.max, 10),
        ])
    func lengths(_ text: String, length: Int, size: Int) throws {
        let header = try #require(try read(hex(text)))
        #expect(header.payloadLength == length)
        #expect(header.size == size)
        #expect(header.opcode == .binary)
        #expect(header.isFinal)
        #expect(header.maskingKey == nil)
    }

    @Test("5.3: a client's header ends with its key")
    func key() throws {
        let header = try #require(try read(hex("018537fa213d"), from: .client))
        #expect(header.maskingKey == MaskingKey(0x37, 0xFA, 0x21, 0x3D))
        #expect(header.size == 6)
        #expect(!header.isFinal)
    }

    @Test("A header is read wherever it begins")
    func offset() throws {
        let bytes = hex("ffff 8a03 ff")
        let header = try FrameHeader.read(bytes.span, at: 2, from: .server)
        #expect(header?.opcode == .pong)
        #expect(header?.payloadLength == 3)
    }

    @Test(
        "A header that is not whole is waited for",
        arguments: [
            ("827e0100", Role.server), ("827f0000000000010000", .server),
            ("8185 01020304", .client),
            ("81fe 0100 01020304", .client), ("81ff 0000000000010000 01020304", .client),
        ])
    func incomplete(_ text: String, sender: Role) throws {
        let bytes = hex(text)
        for count in bytes.indices {
            #expect(try read(Array(bytes[..<count]), from: sender) == nil)
        }
        #expect(try read(bytes, from: sender) != nil)
    }

    @Test(
        "Each rule is judged at its byte, with the clause and what was seen",
        arguments: [
            ("c1", Role.server, "5.2", "RSV1"),
            ("f1", .server, "5.2", "RSV1 and RSV2 and RSV3"),
            ("83", .server, "5.2", "reserved opcode 3"),
            ("8f", .client, "5.2", "reserved opcode 15"),
            ("09", .server, "5.5", "a fragmented ping frame"),
            ("08", .client, "5.5", "a fragmented close frame"),
            ("8180", .server, "5.1", "a masked server frame (text)"),
            ("8000", .client, "5.1", "an unmasked continuation frame"),
            ("827f8000000000000000", .server, "5.2", "its top bit set"),
            ("8a7e", .server, "5.5", "a longer pong frame"),
            ("89ff", .client, "5.5", "a longer ping frame"),
            ("827e007d", .server, "5.2", "a length in 2 bytes that fits in fewer"),
            ("827f000000000000ffff", .server, "5.2", "a length in 8 bytes that fits in fewer"),
        ])
    func violations(_ text: String, sender: Role, clause: String, seen: String) throws {
        let bytes = hex(text)
        let found = try #require(violation(bytes, from: sender))
        #expect(found.closeCode == .protocolError)
        #expect(found.clause == clause)
        #expect(found.seen == seen)
        #expect(violation(Array(bytes.dropLast()), from: sender) == nil)
        #expect(violation(bytes + [0, 0, 0, 0], from: sender) == found)
    }

    @Test(
        "RFC 7692 6: once agreed on, RSV1 is lawful on the first frame of a message, and only there"
    )
    func compressed() throws {
        for first in UInt8.min...UInt8.max where first & 0x70 != 0 {
            let bytes = [first, 0x00]
            let opcode = first & 0x0F
            let isLawful = first & 0x70 == 0x40 && (opcode == 1 || opcode == 2)
            let header = try? FrameHeader.read(
                bytes.span, at: 0, from: .server, allowsCompression: true)
            #expect((header?.isCompressed == true) == isLawful, "\(hexText([first]))")
            #expect(violation(bytes)?.clause == "5.2")
        }
        let plain = hex("8100")
        let header = try FrameHeader.read(
            plain.span, at: 0, from: .server, allowsCompression: true)
        #expect(header?.isCompressed == false)
    }

    @Test("Every pair of first bytes is either lawful or a violation with 1002")
    func everyPair() {
        var lawful = 0
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let bytes = [first, second] + [UInt8](repeating: 0x01, count: 12)
                if let violation = violation(bytes) {
                    #expect(violation.closeCode == .protocolError)
                } else {
                    lawful += 1
                }
            }
        }
        // Three data opcodes, final or not, with 128 lengths; three control opcodes with 126.
        #expect(lawful == 3 * 2 * 128 + 3 * 126)
    }
}
