import Testing

@testable import HeartwireProtocol

extension DeflateAgreement {
    /// What a client with this codec has agreed on: full windows, and contexts that both sides keep, or neither.
    static func stored(_ codec: StoredCodec, keepsContext: Bool = true) -> DeflateAgreement {
        var parameters = DeflateParameters()
        parameters.serverNoContextTakeover = !keepsContext
        parameters.clientNoContextTakeover = !keepsContext
        return DeflateAgreement(
            parameters, of: .client, options: DeflateOptions(), codec: codec)
    }
}

@Suite("RFC 7692 7.1: what was agreed on is kept until a message asks for it")
struct DeflateAgreementTests {
    private func use(_ compressor: Compressor, _ message: [UInt8]) {
        message.withUnsafeBytes { message in _ = compressor.compress(message) { _ in } }
    }

    private func use(_ inflation: Inflation, _ message: [UInt8]) throws {
        inflation.begin(isText: false)
        try inflation.append(StoredCodec.wire(message).span, key: nil)
        #expect(try inflation.end() == .binary(message))
    }

    @Test("RFC 7692 7.1.2: each side keeps to its own window and its own context")
    func sides() throws {
        var parameters = DeflateParameters()
        parameters.clientMaxWindowBits = 10
        parameters.serverMaxWindowBits = 12
        parameters.clientNoContextTakeover = true
        for (role, own, peer) in [(Role.client, 10, 12), (.server, 12, 10)] {
            let codec = StoredCodec()
            let agreement = DeflateAgreement(
                parameters, of: role, options: DeflateOptions(), codec: codec)
            #expect(codec.log.entries == [])
            let (compressor, inflation) = (
                agreement.makeCompressor(), agreement.makeInflation(limits: Limits().shared)
            )
            use(compressor, [1])
            try use(inflation, [1])
            #expect(codec.log.entries.contains("deflater \(own) 1"))
            #expect(codec.log.entries.contains("inflater \(peer)"))
            compressor.releaseStorage()
            inflation.releaseStorage()
            #expect(compressor.holdsContext == (role == .server))
            #expect(inflation.holdsContext == (role == .client))
        }
    }

    @Test("A level out of bounds counts as the nearest")
    func level() {
        for (level, used) in [(Int.min, 1), (0, 1), (6, 6), (10, 9)] {
            let codec = StoredCodec()
            var options = DeflateOptions()
            options.level = level
            options.thresholdBytes = 7
            let agreement = DeflateAgreement(
                DeflateParameters(), of: .server, options: options, codec: codec)
            #expect(agreement.thresholdBytes == 7)
            use(agreement.makeCompressor(), [1])
            #expect(codec.log.entries.first == "deflater 15 \(used)")
        }
    }
}
