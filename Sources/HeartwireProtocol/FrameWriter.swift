/// Writes frames (RFC 6455 §5.2) into the outgoing buffer: header and payload in one piece of room,
/// masked while it is copied.
enum FrameWriter {
    /// Appends one frame.
    ///
    /// - Parameters:
    ///   - payload: at most 125 bytes in a control frame; the caller has seen to that.
    ///   - isCompressed: whether RSV1 says that the message is compressed (RFC 7692 §6.1).
    ///   - key: given by a client, fresh for this frame (§5.3); `nil` for a server.
    static func append(
        _ opcode: Opcode, isFinal: Bool = true, isCompressed: Bool = false,
        payload: UnsafeRawBufferPointer, key: MaskingKey?, to buffer: inout OutgoingBuffer
    ) {
        let length = payload.count
        let lengthSize = length <= 125 ? 0 : length <= 0xFFFF ? 2 : 8
        let headerSize = 2 &+ lengthSize &+ (key == nil ? 0 : 4)
        unsafe buffer.append(headerSize + length) { room in
            let first = opcode.rawValue | (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0)
            let maskBit: UInt8 = key == nil ? 0 : 0x80
            unsafe room.storeBytes(of: first, as: UInt8.self)
            switch lengthSize {
            case 0:
                let second = maskBit | UInt8(truncatingIfNeeded: length)
                unsafe room.storeBytes(of: second, toByteOffset: 1, as: UInt8.self)
            case 2:
                let wide = UInt16(truncatingIfNeeded: length).bigEndian
                unsafe room.storeBytes(of: maskBit | 126, toByteOffset: 1, as: UInt8.self)
                unsafe room.storeBytes(of: wide, toByteOffset: 2, as: UInt16.self)
            default:
                let wide = UInt64(truncatingIfNeeded: length).bigEndian
                unsafe room.storeBytes(of: maskBit | 127, toByteOffset: 1, as: UInt8.self)
                unsafe room.storeBytes(of: wide, toByteOffset: 2, as: UInt64.self)
            }
            let body = unsafe UnsafeMutableRawBufferPointer(
                start: room + headerSize, count: length)
            if let key {
                unsafe room.storeBytes(
                    of: key.bits.littleEndian, toByteOffset: headerSize &- 4, as: UInt32.self)
                unsafe key.combine(payload, into: body)
            } else {
                unsafe body.copyMemory(from: payload)
            }
        }
    }

    /// Appends one frame whose payload is an array.
    static func append(
        _ opcode: Opcode, payload: [UInt8], key: MaskingKey?, to buffer: inout OutgoingBuffer
    ) {
        unsafe payload.withUnsafeBytes {
            unsafe append(opcode, payload: $0, key: key, to: &buffer)
        }
    }
}
