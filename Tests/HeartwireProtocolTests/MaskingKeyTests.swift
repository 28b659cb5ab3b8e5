import Testing

@testable import HeartwireProtocol

@Suite("5.3: masking")
struct MaskingKeyTests {
    private let key = MaskingKey(0x37, 0xFA, 0x21, 0x3D)

    @Test("5.7: the masked Hello of the RFC")
    func vector() {
        let hello = Array("Hello".utf8)
        #expect(key.combined(with: hello.span) == [0x7F, 0x9F, 0x4D, 0x51, 0x58])
    }

    @Test("The key's bytes apply in the order in which they stand on the wire")
    func order() {
        #expect((0..<8).map(key.byte(at:)) == [0x37, 0xFA, 0x21, 0x3D, 0x37, 0xFA, 0x21, 0x3D])
        #expect(MaskingKey(random: 0xFFFF_FFFF_3D21_FA37) == key)
    }

    @Test("The fast kernel does what the plain one does, at every offset and length")
    func kernel() {
        let random = SeededSource(seed: 53)
        let bytes = (0..<264).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        var wrong: [(Int, Int)] = []
        for offset in 0..<64 {
            for length in 0..<200 {
                let payload = Array(bytes[offset..<(offset + length)])
                let expected = key.combined(with: payload.span)
                // Source and destination at the offset within a larger buffer: any alignment.
                var room = [UInt8](repeating: 0xEE, count: 264)
                bytes.withUnsafeBytes { source in
                    room.withUnsafeMutableBytes { destination in
                        let piece = UnsafeRawBufferPointer(
                            rebasing: source[offset..<(offset + length)])
                        key.combine(
                            piece,
                            into: UnsafeMutableRawBufferPointer(
                                rebasing: destination[offset..<(offset + length)]))
                    }
                }
                let isUntouchedAround =
                    room[..<offset].allSatisfy { $0 == 0xEE }
                    && room[(offset + length)...].allSatisfy { $0 == 0xEE }
                if Array(room[offset..<(offset + length)]) != expected || !isUntouchedAround {
                    wrong.append((offset, length))
                }
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test("In place it touches nothing before the start, at every start and length")
    func inPlace() {
        for start in 0..<20 {
            for length in 0..<40 {
                let payload = (0..<length).map { UInt8($0) }
                var bytes = [UInt8](repeating: 0x55, count: start) + payload
                key.unmask(&bytes, from: start)
                let expected = key.combined(with: payload.span)
                #expect(bytes == [UInt8](repeating: 0x55, count: start) + expected)
            }
        }
    }

    @Test("Advanced, the key applies to what comes behind, wherever a payload is cut")
    func advanced() {
        let payload = (0..<50).map { UInt8($0) }
        let whole = key.combined(with: payload.span)
        for cut in 0...50 {
            let (head, tail) = (Array(payload[..<cut]), Array(payload[cut...]))
            let pieces =
                key.combined(with: head.span) + key.advanced(by: cut).combined(with: tail.span)
            #expect(pieces == whole)
        }
    }

    @Test("Nothing at all can be combined")
    func empty() {
        var nothing: [UInt8] = []
        key.unmask(&nothing, from: 0)
        #expect(nothing.isEmpty)
        #expect(key.combined(with: nothing.span).isEmpty)
        key.combine(
            UnsafeRawBufferPointer(start: nil, count: 0),
            into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
    }

    @Test("Nothing is written past the room")
    func shortRoom() {
        let payload = [UInt8](repeating: 0, count: 40)
        var room = [UInt8](repeating: 0xEE, count: 40)
        payload.withUnsafeBytes { source in
            room.withUnsafeMutableBytes { all in
                key.combine(source, into: UnsafeMutableRawBufferPointer(rebasing: all[..<21]))
            }
        }
        #expect(Array(room[..<21]) == Array(key.combined(with: payload.span)[..<21]))
        #expect(room[21...].allSatisfy { $0 == 0xEE })
    }
}
