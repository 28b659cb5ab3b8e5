public import HeartwireProtocol

/// A frame as a plain reader finds it, written from RFC 6455 §5.2 and from none of our sources.
public struct WireFrame: Hashable {
    /// FIN and the reserved bits, in place.
    public let flags: UInt8
    /// The opcode.
    public let opcode: UInt8
    /// Whether there was a masking key.
    public let isMasked: Bool
    /// The payload, unmasked.
    public let payload: [UInt8]

    /// Reads what an engine in the role `sender` wants to write, and insists on every rule of §5 that binds a
    /// sender: whole frames, no reserved bits and opcodes, the shortest length, control frames that
    /// are short and whole, a mask from clients alone, and behind a Close nothing but pongs.
    public static func lawful(_ bytes: [UInt8], from sender: Role) -> [WireFrame] {
        var frames: [WireFrame] = []
        var offset = 0
        var isClosed = false
        while offset < bytes.count {
            let frame = one(bytes, &offset)
            // §5.5.1 forbids data alone; pings are answered until the peer's Close is there (§5.5.2).
            require(!isClosed || frame.opcode == 0xA, "only pongs are written behind a Close")
            isClosed = isClosed || frame.opcode == 0x8
            require(frame.isMasked == (sender == .client), "clients mask, servers do not")
            require(frame.flags & 0x70 == 0, "reserved bits are zero")
            require([0x0, 0x1, 0x2, 0x8, 0x9, 0xA].contains(frame.opcode), "the opcode is defined")
            if frame.opcode >= 0x8 {
                require(frame.flags & 0x80 != 0, "a control frame is whole")
                require(frame.payload.count <= 125, "a control frame is short")
            }
            frames.append(frame)
        }
        return frames
    }

    private static func one(_ bytes: [UInt8], _ offset: inout Int) -> WireFrame {
        func next() -> UInt8 {
            require(offset < bytes.count, "frames are written whole")
            defer { offset += 1 }
            return bytes[offset]
        }
        let first = next()
        let second = next()
        var length = Int(second & 0x7F)
        switch length {
        case 126:
            length = Int(next()) << 8 | Int(next())
            require(length > 125, "the shortest length is taken")
        case 127:
            length = (0..<8).reduce(0) { sum, _ in sum << 8 | Int(next()) }
            require(length > 0xFFFF, "the shortest length is taken")
        default: break
        }
        let isMasked = second & 0x80 != 0
        let key = isMasked ? (0..<4).map { _ in next() } : [0, 0, 0, 0]
        require(length <= bytes.count - offset, "frames are written whole")
        let payload = (0..<length).map { bytes[offset + $0] ^ key[$0 % 4] }
        offset += length
        return WireFrame(
            flags: first & 0xF0, opcode: first & 0xF, isMasked: isMasked, payload: payload)
    }
}
