import Testing

@testable import HeartwireProtocol

@Suite("RFC 7692 7.2.1: messages are compressed")
struct CompressorTests {
    private func make(
        _ codec: StoredCodec, windowBits: Int = 15, keepsContext: Bool = true, level: Int = 1
    ) -> Compressor {
        Compressor(codec: codec, windowBits: windowBits, keepsContext: keepsContext, level: level)
    }

    /// What is to go out with RSV1, or `nil` when the message goes plain.
    private func compress(_ compressor: Compressor, _ message: String) -> [UInt8]? {
        var sent: [UInt8]?
        let didSend = Array(message.utf8).withUnsafeBytes { message in
            compressor.compress(message) { sent = Array($0) }
        }
        #expect(didSend == (sent != nil))
        return sent
    }

    @Test("RFC 7692 7.2.1: the tail of the flush is taken off")
    func tail() {
        let codec = StoredCodec()
        let compressor = make(codec)
        #expect(compress(compressor, "Hello") == hex("00 0500 faff 48656c6c6f 00"))
        #expect(codec.log.entries == ["deflater 15 1", "deflate 5", "trim"])
    }

    @Test(
        "K07-05, RFC 7692 7.2.3.6: an empty message is one byte, and asks nothing of the deflater")
    func empty() {
        let codec = StoredCodec()
        let compressor = make(codec)
        #expect(compress(compressor, "") == [0x00])
        #expect(compress(compressor, "a") != nil)
        #expect(compress(compressor, "") == [0x00])
        #expect(codec.log.entries == ["deflater 15 1", "deflate 1", "trim"])
    }

    @Test("There is no context before the first message that needs one")
    func contextOnDemand() {
        let compressor = make(StoredCodec())
        #expect(compress(compressor, "") == [0x00])
        #expect(!compressor.holdsContext)
        #expect(compress(compressor, "fives") != nil)
        #expect(compressor.holdsContext)
    }

    @Test("RFC 7692 7.1.1: a context that is not kept is forgotten after each message")
    func contexts() {
        for keepsContext in [true, false] {
            let codec = StoredCodec()
            let compressor = make(codec, keepsContext: keepsContext)
            _ = compress(compressor, "a")
            #expect(codec.log.entries.last == (keepsContext ? "trim" : "forget sent"))
            compressor.releaseStorage()
            #expect(compressor.holdsContext == keepsContext)
            #expect(compress(compressor, "b") != nil)
        }
    }

    @Test("K07-01: with a window that nobody can keep to, messages go plain")
    func smallWindow() {
        let compressor = make(StoredCodec(), windowBits: 8)
        #expect(compress(compressor, "Hello") == nil)
        #expect(compress(compressor, "") == [0x00])
    }

    @Test("K07-07: what failed goes plain, and the deflater has forgotten it")
    func failure() {
        let codec = StoredCodec()
        let compressor = make(codec)
        #expect(compress(compressor, "!") == nil)
        #expect(compress(compressor, "?") != nil)
        #expect(codec.log.entries == ["deflater 15 1", "deflate 1", "deflate 1", "trim"])
    }
}
