import HeartwireProtocol
import HeartwireSocket
import Testing

@Suite("P2: zlib as the engine's codec")
struct ZlibCodecTests {
    @Test("K07-01: a window of 2^8 can be inflated, and nothing compresses within it")
    func windows() {
        let codec = ZlibCodec()
        for bits in 9...15 {
            #expect(codec.makeDeflater(windowBits: bits, level: 1) != nil)
            #expect(codec.makeInflater(windowBits: bits) != nil)
        }
        #expect(codec.makeDeflater(windowBits: 8, level: 1) == nil)
        #expect(codec.makeInflater(windowBits: 8) != nil)
    }
}
