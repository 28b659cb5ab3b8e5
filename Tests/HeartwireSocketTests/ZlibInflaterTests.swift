import HeartwireProtocol
import Testing

@testable import HeartwireSocket

@Suite("P2: zlib inflates")
struct ZlibInflaterTests {
    /// Inflates all of `input` into rooms of `size` bytes; gives the last place too.
    private func inflate(
        _ inflater: any MessageInflater, _ input: [UInt8], room size: Int = 1_000
    ) -> (bytes: [UInt8], place: InflateProgress.Place) {
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: size)
        var offset = 0
        var progress = InflateProgress(consumed: 0, produced: size, place: .insideBlock)
        while offset < input.count || progress.produced == size, progress.place != .corrupt {
            progress = input[offset...].withUnsafeBytes { rest in
                room.withUnsafeMutableBytes { inflater.inflate(rest, into: $0) }
            }
            bytes += room.prefix(progress.produced)
            offset += progress.consumed
        }
        return (bytes, progress.place)
    }

    private let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    private let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

    @Test(
        "RFC 7692 7.2.3: the clause's examples, one after the other", arguments: [1, 3, 5, 1_000])
    func examples(room: Int) throws {
        let inflater = try #require(ZlibInflater(windowBits: 15))
        let wires: [[UInt8]] = [
            hello, [0xF2, 0x00, 0x11, 0x00, 0x00],
            [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
            [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
            [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
        ]
        for wire in wires {
            let (bytes, place) = inflate(inflater, wire + tail, room: room)
            #expect(String(decoding: bytes, as: UTF8.self) == "Hello")
            #expect(place == .betweenBlocks)
        }
    }

    @Test("K07-05: only the end of a block is an end, whatever zlib's status says")
    func ends() throws {
        for (input, isEnd) in [([0x00], true), ([], false), (Array(hello.dropLast(3)), false)]
            as [([UInt8], Bool)]
        {
            let inflater = try #require(ZlibInflater(windowBits: 15))
            let place = inflate(inflater, input + tail).place
            #expect((place == .betweenBlocks) == isEnd)
        }
    }

    @Test("K07-04: what follows a final block is read, and may refer to what came before it")
    func finalBlock() throws {
        let inflater = try #require(ZlibInflater(windowBits: 15))
        let final: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        let first = inflate(inflater, final)
        #expect(first.place == .behindFinalBlock)
        let rest = inflate(inflater, [0x00] + tail)
        #expect(rest.bytes.isEmpty && rest.place == .betweenBlocks)
        let second = inflate(inflater, [0xF2, 0x00, 0x11, 0x00, 0x00] + tail)
        #expect(String(decoding: second.bytes, as: UTF8.self) == "Hello")
        let both = inflate(inflater, final + final + [0x00] + tail)
        #expect(String(decoding: both.bytes, as: UTF8.self) == "HelloHello")
    }

    @Test("RFC 7692 7.1.1: after a reset a reference to earlier messages is corrupt")
    func reset() throws {
        let inflater = try #require(ZlibInflater(windowBits: 15))
        _ = inflate(inflater, hello + tail)
        inflater.reset()
        #expect(inflate(inflater, [0xF2, 0x00, 0x11, 0x00, 0x00] + tail).place == .corrupt)
    }

    @Test("P2: bytes that are no deflate are corrupt", arguments: [0x06, 0x07, 0xFF] as [UInt8])
    func corrupt(byte: UInt8) throws {
        let inflater = try #require(ZlibInflater(windowBits: 15))
        #expect(inflate(inflater, [byte, byte, byte, byte] + tail).place == .corrupt)
    }

    @Test("K07-01: every window from 8 to 15 can be inflated, others cannot be had")
    func windows() throws {
        for bits in 8...15 {
            let inflater = try #require(ZlibInflater(windowBits: bits))
            #expect(inflate(inflater, hello + tail).bytes.count == 5)
        }
        #expect(ZlibInflater(windowBits: 16) == nil)
        #expect(ZlibInflater(windowBits: 7) == nil)
        #expect(ZlibInflater(windowBits: Int.max) == nil)
    }

    @Test("Nothing in gives nothing out")
    func nothing() throws {
        let inflater = try #require(ZlibInflater(windowBits: 15))
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        var room: [UInt8] = [0]
        let progress = room.withUnsafeMutableBytes { inflater.inflate(empty, into: $0) }
        #expect(progress.consumed == 0)
        #expect(progress.produced == 0)
        #expect(progress.place != .corrupt)
    }
}
