@testable import HeartwireProtocol

/// The reader and the writer of frames, and the mask.
enum Frames {
    /// How many frames lie in one piece: as many as a read brings that is worth its while.
    private static let framesInPiece = 256
    private static let payloadBytes = 64
    private static let key = MaskingKey(0x37, 0xFA, 0x21, 0x3D)

    static let all = [
        Micro(name: "frame-read-64", bytes: payloadBytes, reference: "steps") {
            reading(from: .server)
        },
        Micro(name: "frame-read-64-masked", bytes: payloadBytes, reference: "steps") {
            reading(from: .client)
        },
        Micro(name: "frame-write-64", bytes: payloadBytes, reference: "steps") {
            writing(payloadBytes, key)
        },
        Micro(name: "frame-write-64k", bytes: blockBytes, reference: "sum-64k") {
            writing(blockBytes, key)
        },
        Micro(name: "mask-64k", bytes: blockBytes, reference: "sum-64k", prepare: masking),
        Micro(
            name: "mask-64k-memcpy", bytes: blockBytes, reference: "memcpy-64k", prepare: masking),
    ]

    /// Binary messages of 64 bytes, out of one piece, to events that are taken.
    private static func reading(from sender: Role) -> (Int) -> Void {
        var buffer = OutgoingBuffer()
        let payload = [UInt8](repeating: 0x78, count: payloadBytes)
        for _ in 0..<framesInPiece {
            FrameWriter.append(
                .binary, payload: payload, key: sender == .client ? key : nil, to: &buffer)
        }
        let bytes = buffer.withBytes { [UInt8]($0) }
        return { count in
            var reader = FrameReader(sender: sender, limits: Limits().shared)
            var events = EventQueue()
            var left = count
            while left > 0 {
                var offset = 0
                let span = bytes.span
                while offset < span.count, left > 0 {
                    do throws(ProtocolViolation) {
                        keep(try reader.step(span, &offset, &events))
                    } catch {
                        fatalError("\(error)")
                    }
                    left -= 1
                }
                while let event = events.popFirst() { keep(event) }
            }
        }
    }

    private static func writing(_ size: Int, _ key: MaskingKey) -> (Int) -> Void {
        let payload = [UInt8](repeating: 0x78, count: size)
        return { count in
            var buffer = OutgoingBuffer()
            for number in 0..<count {
                FrameWriter.append(.binary, payload: payload, key: key, to: &buffer)
                if number % 16 == 15 { buffer.removeFirst(buffer.count) }
            }
            keep(buffer.count)
        }
    }

    private static func masking() -> (Int) -> Void {
        let source = lastingBytes([UInt8](repeating: 0x78, count: blockBytes))
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: blockBytes, alignment: 64)
        return { count in
            for _ in 0..<count {
                key.combine(source, into: room)
                keep(room)
            }
        }
    }
}
