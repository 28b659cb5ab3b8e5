import HeartwireProtocol
import Testing

@Suite("The engine's window to a library for deflate")
struct DeflateCodecTests {
    @Test("A progress says how much was taken, how much was given and where that ends")
    func progress() {
        let progress = InflateProgress(consumed: 3, produced: 7, place: .betweenBlocks)
        #expect(progress.consumed == 3)
        #expect(progress.produced == 7)
        #expect(progress.place == .betweenBlocks)
        #expect(progress != InflateProgress(consumed: 3, produced: 7, place: .behindFinalBlock))
    }

    @Test("The tests' own codec reads what it writes, in pieces of any size")
    func stored() throws {
        let inflater = try #require(StoredCodec().makeInflater(windowBits: 15))
        let message = [UInt8](repeating: 7, count: 70_000)
        let wire = StoredCodec.wire(message) + [0x00, 0x00, 0xFF, 0xFF]
        var found: [UInt8] = []
        var rest = wire[...]
        var room = [UInt8](repeating: 0, count: 999)
        while !rest.isEmpty {
            let piece = Array(rest.prefix(777))
            let step = piece.withUnsafeBytes { input in
                room.withUnsafeMutableBytes { inflater.inflate(input, into: $0) }
            }
            found += room.prefix(step.produced)
            rest = rest.dropFirst(step.consumed)
            if rest.isEmpty { #expect(step.place == .betweenBlocks) }
        }
        #expect(found == message)
    }
}
