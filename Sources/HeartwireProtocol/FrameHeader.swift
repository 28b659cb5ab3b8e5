/// The first 2 to 14 bytes of a frame (RFC 6455 §5.2), read and judged.
///
/// A header that breaks a rule is never made: `read` throws at the first byte that decides it, in
/// the order of the bytes, so that the verdict is the same however the bytes were cut up.
struct FrameHeader: Sendable, Hashable {
    /// Whether this is the last frame of its message.
    var isFinal: Bool
    /// What the frame is.
    var opcode: Opcode
    /// The payload bytes that follow; at most 2^63 − 1.
    var payloadLength: Int
    /// Whether RSV1 was set: the message that the frame begins is compressed (RFC 7692 §6).
    var isCompressed = false
    /// The key that the payload is masked with; always there from a client, never from a server.
    var maskingKey: MaskingKey?
    /// The bytes that the header itself took.
    var size: Int

    /// Reads a header at `start`.
    ///
    /// - Parameters:
    ///   - sender: the side that sent the bytes, which settles masking (§5.1).
    ///   - allowsCompression: whether RSV1 may stand on the first frame of a message, and there alone
    ///     (RFC 7692 §6.1).
    /// - Returns: `nil` when the header is not whole yet and nothing in it is wrong so far.
    /// - Throws: the violation, with 1002, as soon as its byte is there.
    @inline(__always)
    static func read(
        _ bytes: Span<UInt8>, at start: Int, from sender: Role, allowsCompression: Bool = false
    ) throws(ProtocolViolation) -> FrameHeader? {
        let available = bytes.count &- start
        guard available > 0 else { return nil }
        let first = bytes[start]
        let isCompressed = first & 0x70 != 0
        if isCompressed {
            guard allowsCompression, isCompressedStart(first) else { throw .reservedBits(first) }
        }
        guard let opcode = Opcode(rawValue: first & 0x0F) else {
            throw .reservedOpcode(first & 0x0F)
        }
        let isFinal = first & 0x80 != 0
        guard isFinal || !opcode.isControl else { throw .fragmentedControl(opcode) }

        guard available > 1 else { return nil }
        let second = bytes[start &+ 1]
        let isMasked = second & 0x80 != 0
        guard isMasked == (sender == .client) else {
            throw .masking(by: sender, opcode)
        }
        let shortLength = second & 0x7F
        guard shortLength <= 125 || !opcode.isControl else { throw .longControl(opcode) }

        var size = 2
        var length = UInt64(shortLength)
        if shortLength > 125 {
            let width = shortLength == 126 ? 2 : 8
            guard available >= 2 &+ width else { return nil }
            length = longLength(bytes, at: start &+ 2, width: width)
            try judge(length, width: width)
            size = 2 &+ width
        }

        var key: MaskingKey?
        if isMasked {
            guard available >= size &+ 4 else { return nil }
            key = maskingKey(bytes, at: start &+ size)
            size &+= 4
        }
        return FrameHeader(
            isFinal: isFinal, opcode: opcode, payloadLength: Int(clamping: length),
            isCompressed: isCompressed, maskingKey: key, size: size)
    }

    /// The header at `start` where it is whole and lawful, and its frame a message by itself and not compressed: the same
    /// as ``read(_:at:from:allowsCompression:)`` gives, with less to look at. `nil` for all else.
    @inline(__always)
    static func plain(_ bytes: Span<UInt8>, at start: Int, from sender: Role) -> FrameHeader? {
        guard bytes.count &- start >= 2 else { return nil }
        let first = bytes[start]
        let second = bytes[start &+ 1]
        let isMasked = second & 0x80 != 0
        guard first == 0x81 || first == 0x82, isMasked == (sender == .client) else { return nil }
        var length = Int(second & 0x7F)
        var size = 2
        if length > 125 {
            let (width, shorter) = length == 126 ? (2, 125) : (8, 0xFFFF)
            size &+= width
            guard bytes.count &- start >= size else { return nil }
            let wide = longLength(bytes, at: start &+ 2, width: width)
            guard let exact = Int(exactly: wide), exact > shorter else { return nil }
            length = exact
        }
        var key: MaskingKey?
        if isMasked {
            guard bytes.count &- start >= size &+ 4 else { return nil }
            key = maskingKey(bytes, at: start &+ size)
            size &+= 4
        }
        return FrameHeader(
            isFinal: true, opcode: first == 0x81 ? .text : .binary, payloadLength: length,
            maskingKey: key, size: size)
    }

    /// The length in the 2 or 8 bytes at `start`, which are there.
    @inline(__always)
    private static func longLength(_ bytes: Span<UInt8>, at start: Int, width: Int) -> UInt64 {
        var length: UInt64 = 0
        for index in start..<(start &+ width) { length = length &<< 8 | UInt64(bytes[index]) }
        return length
    }

    /// The key in the four bytes at `start`, which are there.
    @inline(__always)
    private static func maskingKey(_ bytes: Span<UInt8>, at start: Int) -> MaskingKey {
        MaskingKey(bytes[start], bytes[start &+ 1], bytes[start &+ 2], bytes[start &+ 3])
    }

    /// RSV1 alone, on the opcode of a text or binary message.
    private static func isCompressedStart(_ first: UInt8) -> Bool {
        let opcode = Opcode(rawValue: first & 0x0F)
        return first & 0x70 == 0x40 && (opcode == .text || opcode == .binary)
    }

    /// The top bit of a 64-bit length is zero, and the shortest form is used (§5.2).
    private static func judge(_ length: UInt64, width: Int) throws(ProtocolViolation) {
        guard length <= UInt64(Int64.max) else { throw .lengthTopBit }
        guard length > (width == 2 ? 125 : 0xFFFF) else { throw .longerLengthForm(width) }
    }
}

extension ProtocolViolation {
    @inline(never)
    fileprivate static func reservedBits(_ byte: UInt8) -> ProtocolViolation {
        var names: [String] = []
        if byte & 0x40 != 0 { names.append("RSV1") }
        if byte & 0x20 != 0 { names.append("RSV2") }
        if byte & 0x10 != 0 { names.append("RSV3") }
        return .breach(
            "5.2", expected: "reserved bits to be zero", seen: names.joined(separator: " and "))
    }

    @inline(never)
    fileprivate static func reservedOpcode(_ number: UInt8) -> ProtocolViolation {
        .breach("5.2", expected: "a known opcode", seen: "reserved opcode \(number)")
    }

    @inline(never)
    fileprivate static func fragmentedControl(_ opcode: Opcode) -> ProtocolViolation {
        .breach(
            "5.5", expected: "control frames in one piece",
            seen: "a fragmented \(opcode.name) frame")
    }

    @inline(never)
    fileprivate static func masking(by sender: Role, _ opcode: Opcode) -> ProtocolViolation {
        switch sender {
        case .client:
            .breach(
                "5.1", expected: "client frames to be masked",
                seen: "an unmasked \(opcode.name) frame")
        case .server:
            .breach(
                "5.1", expected: "server frames to be unmasked",
                seen: "a masked server frame (\(opcode.name))")
        }
    }

    @inline(never)
    fileprivate static func longControl(_ opcode: Opcode) -> ProtocolViolation {
        .breach(
            "5.5", expected: "at most 125 bytes in a control frame",
            seen: "a longer \(opcode.name) frame")
    }

    @inline(never)
    fileprivate static func longerLengthForm(_ width: Int) -> ProtocolViolation {
        .breach(
            "5.2", expected: "the shortest form of the length",
            seen: "a length in \(width) bytes that fits in fewer")
    }

    fileprivate static var lengthTopBit: ProtocolViolation {
        .breach("5.2", expected: "a length below 2 to the power of 63", seen: "its top bit set")
    }
}
