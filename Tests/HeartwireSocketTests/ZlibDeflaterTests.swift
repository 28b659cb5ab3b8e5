import HeartwireProtocol
import Testing

@testable import HeartwireSocket

@Suite("P2: zlib compresses")
struct ZlibDeflaterTests {
    /// What an inflater with this window makes of flushed messages, one after the other.
    private func inflated(_ wires: [[UInt8]], windowBits: Int = 15) throws -> [[UInt8]] {
        let inflater = try #require(ZlibInflater(windowBits: windowBits))
        return wires.map { wire in
            var message: [UInt8] = []
            var room = [UInt8](repeating: 0, count: 8_192)
            var rest = wire[...]
            var isFull = true
            while !rest.isEmpty || isFull {
                let progress = rest.withUnsafeBytes { input in
                    room.withUnsafeMutableBytes { inflater.inflate(input, into: $0) }
                }
                message += room.prefix(progress.produced)
                rest = rest.dropFirst(progress.consumed)
                isFull = progress.produced == room.count
                guard progress.place != .corrupt else { break }
            }
            return message
        }
    }

    private func deflate(_ deflater: ZlibDeflater, _ message: [UInt8]) throws -> [UInt8] {
        try message.withUnsafeBytes { Array(try #require(deflater.deflate($0))) }
    }

    private func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    private let text = Array(String(repeating: "The quick brown fox. ", count: 200).utf8)

    @Test("RFC 7692 7.2.3.2: the second Hello refers to the first, unless that was forgotten")
    func context() throws {
        let deflater = try #require(ZlibDeflater(windowBits: 15, level: 9))
        let hello = Array("Hello".utf8)
        let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
        let first: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00] + tail
        #expect(try deflate(deflater, hello) == first)
        #expect(try deflate(deflater, hello) == [0xF2, 0x00, 0x11, 0x00, 0x00] + tail)
        deflater.reset()
        #expect(try deflate(deflater, hello) == first)
    }

    @Test("Every message ends with the tail and comes out as it went in, whatever the window")
    func roundTrip() throws {
        for bits in 9...15 {
            for level in [1, 9] {
                let deflater = try #require(ZlibDeflater(windowBits: bits, level: level))
                let messages = [
                    text, noise(5_000), text, [0x41], noise(5_000), noise(70_000), text,
                ]
                let wires = try messages.map { try deflate(deflater, $0) }
                for wire in wires { #expect(wire.suffix(4) == [0x00, 0x00, 0xFF, 0xFF]) }
                #expect(try inflated(wires, windowBits: bits) == messages)
                #expect(wires[0].count < text.count / 4)
            }
        }
    }

    @Test("A room of the usual size is used again, a larger one is given back")
    func room() throws {
        let deflater = try #require(ZlibDeflater(windowBits: 15, level: 1))
        _ = try deflate(deflater, noise(10_000))
        let usual = deflater.capacity
        deflater.trim()
        #expect(deflater.capacity == usual)
        _ = try deflate(deflater, text)
        #expect(deflater.capacity == usual)
        _ = try deflate(deflater, noise(ZlibDeflater.keptCapacity))
        #expect(deflater.capacity > ZlibDeflater.keptCapacity)
        deflater.trim()
        #expect(deflater.capacity == 0)
        #expect(try inflated([try deflate(deflater, [1, 2, 3])]).count == 1)
    }

    @Test("A stream that zlib does not have cannot be had")
    func unlawful() {
        #expect(ZlibDeflater(windowBits: 16, level: 1) == nil)
        #expect(ZlibDeflater(windowBits: 15, level: 10) == nil)
        #expect(ZlibDeflater(windowBits: 7, level: 1) == nil)
    }
}
