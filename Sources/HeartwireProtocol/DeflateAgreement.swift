/// What one connection has agreed on for permessage-deflate, as far as it matters later: enough to make what compresses
/// and what inflates when the first message asks for it. Many connections never see such a message.
@usableFromInline
final class DeflateAgreement: Sendable {
    /// Shorter messages are sent plain.
    let thresholdBytes: Int
    private let codec: any DeflateCodec
    private let (ownWindowBits, peerWindowBits): (UInt8, UInt8)
    private let (keepsOwnContext, keepsPeerContext): (Bool, Bool)
    private let level: UInt8

    init(
        _ parameters: DeflateParameters, of role: Role, options: DeflateOptions,
        codec: any DeflateCodec
    ) {
        self.codec = codec
        thresholdBytes = options.thresholdBytes
        ownWindowBits = UInt8(clamping: parameters.windowBits(of: role))
        peerWindowBits = UInt8(clamping: parameters.windowBits(of: role.peer))
        keepsOwnContext = parameters.keepsContext(of: role)
        keepsPeerContext = parameters.keepsContext(of: role.peer)
        level = UInt8(clamping: min(9, max(1, options.level)))
    }

    /// What compresses the messages of this side.
    func makeCompressor() -> Compressor {
        Compressor(
            codec: codec, windowBits: Int(ownWindowBits), keepsContext: keepsOwnContext,
            level: Int(level))
    }

    /// What inflates the messages of the peer.
    func makeInflation(limits: Shared<Limits>) -> Inflation {
        Inflation(
            codec: codec, windowBits: Int(peerWindowBits), keepsContext: keepsPeerContext,
            limits: limits)
    }
}
