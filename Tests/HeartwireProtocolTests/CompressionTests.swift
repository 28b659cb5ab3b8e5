import Testing

@testable import HeartwireProtocol

@Suite("P2: what one side wants of compression")
struct CompressionTests {
    @Test("P2: the defaults are those that are documented")
    func defaults() {
        let options = DeflateOptions()
        #expect(!options.serverNoContextTakeover)
        #expect(!options.clientNoContextTakeover)
        #expect(options.serverMaxWindowBits == 15)
        #expect(options.clientMaxWindowBits == 15)
        #expect(options.thresholdBytes == 1_024)
        #expect(options.level == 1)
        #expect(Compression.deflate() == .deflate(options))
    }

    @Test("P2: nothing is wanted when it is off, or when nobody can do it")
    func options() {
        var options = DeflateOptions()
        options.level = 9
        #expect(Compression.off.options(with: StoredCodec()) == nil)
        #expect(Compression.deflate(options).options(with: nil) == nil)
        #expect(Compression.deflate(options).options(with: StoredCodec()) == options)
    }
}
