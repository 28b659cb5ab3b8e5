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
        let headerSize = headerSize(length, key)
        unsafe buffer.append(headerSize + length) { room in
            let first = opcode.rawValue | (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0)
            unsafe writeHeader(first, length: length, key: key, to: room)
            unsafe copy(payload, to: room + headerSize, key: key)
        }
    }

    /// Appends a message that came as one frame of a client, as one frame of a server: unmasked while it is copied.
    ///
    /// - Parameter key: what the payload is masked with.
    static func appendEcho(
        _ opcode: Opcode, payload: UnsafeRawBufferPointer, maskedWith key: MaskingKey?,
        to buffer: inout OutgoingBuffer
    ) {
        let headerSize = headerSize(payload.count, nil)
        unsafe buffer.append(headerSize + payload.count) { room in
            unsafe writeHeader(opcode.rawValue | 0x80, length: payload.count, key: nil, to: room)
            unsafe copy(payload, to: room + headerSize, key: key)
        }
    }

    /// Appends the header of a final frame that is not compressed; its payload is to follow.
    static func appendHeader(
        _ opcode: Opcode, length: Int, key: MaskingKey?, to buffer: inout OutgoingBuffer
    ) {
        unsafe buffer.append(headerSize(length, key)) { room in
            unsafe writeHeader(opcode.rawValue | 0x80, length: length, key: key, to: room)
        }
    }

    /// Appends a piece of a payload.
    ///
    /// - Parameter key: already advanced to the piece's place in its frame.
    static func appendPayload(
        _ piece: UnsafeRawBufferPointer, key: MaskingKey?, to buffer: inout OutgoingBuffer
    ) {
        unsafe buffer.append(piece.count) { unsafe copy(piece, to: $0, key: key) }
    }

    @inline(__always)
    private static func headerSize(_ length: Int, _ key: MaskingKey?) -> Int {
        2 &+ (length <= 125 ? 0 : length <= 0xFFFF ? 2 : 8) &+ (key == nil ? 0 : 4)
    }

    @inline(__always)
    private static func writeHeader(
        _ first: UInt8, length: Int, key: MaskingKey?, to room: UnsafeMutableRawPointer
    ) {
        let maskBit: UInt8 = key == nil ? 0 : 0x80
        unsafe room.storeBytes(of: first, as: UInt8.self)
        if length <= 125 {
            let second = maskBit | UInt8(truncatingIfNeeded: length)
            unsafe room.storeBytes(of: second, toByteOffset: 1, as: UInt8.self)
        } else if length <= 0xFFFF {
            let wide = UInt16(truncatingIfNeeded: length).bigEndian
            unsafe room.storeBytes(of: maskBit | 126, toByteOffset: 1, as: UInt8.self)
            unsafe room.storeBytes(of: wide, toByteOffset: 2, as: UInt16.self)
        } else {
            let wide = UInt64(truncatingIfNeeded: length).bigEndian
            unsafe room.storeBytes(of: maskBit | 127, toByteOffset: 1, as: UInt8.self)
            unsafe room.storeBytes(of: wide, toByteOffset: 2, as: UInt64.self)
        }
        guard let key else { return }
        unsafe room.storeBytes(
            of: key.bits.littleEndian, toByteOffset: headerSize(length, key) &- 4, as: UInt32.self)
    }

    @inline(__always)
    private static func copy(
        _ payload: UnsafeRawBufferPointer, to room: UnsafeMutableRawPointer, key: MaskingKey?
    ) {
        let body = unsafe UnsafeMutableRawBufferPointer(start: room, count: payload.count)
        if let key {
            unsafe key.combine(payload, into: body)
        } else {
            unsafe body.copyMemory(from: payload)
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
