/// Whether and how messages are compressed (permessage-deflate, RFC 7692).
public enum Compression: Sendable, Hashable {
    /// Every message goes as it is, and nothing is offered or accepted.
    case off
    /// Compression is offered or accepted; what the peer makes of it decides.
    case deflate(DeflateOptions = DeflateOptions())

    /// What is wanted, unless that is nothing or there is no `codec` to do it.
    func options(with codec: (any DeflateCodec)?) -> DeflateOptions? {
        switch self {
        case .off: nil
        case .deflate(let options): codec == nil ? nil : options
        }
    }
}

/// What one side wants of permessage-deflate (RFC 7692 §7.1), for both directions.
///
/// A window of 2^15 bytes in each direction and contexts that are kept from message to message compress
/// best and cost the most memory: with zlib about 256 KiB for what is sent and 40 KiB for what is
/// received, from the first compressed message in that direction on.
public struct DeflateOptions: Sendable, Hashable {
    /// Whether the server must begin every message with an empty window (§7.1.1.1). Default `false`.
    public var serverNoContextTakeover = false

    /// Whether the client begins every message with an empty window (§7.1.1.2). Default `false`.
    public var clientNoContextTakeover = false

    /// The largest window that the server may use, as the exponent of a power of two (§7.1.2.1).
    /// Default 15; outside of 8 to 15 the nearest of them counts.
    public var serverMaxWindowBits = 15

    /// The largest window that the client may use, as the exponent of a power of two (§7.1.2.2).
    /// Default 15; outside of 8 to 15 the nearest of them counts.
    ///
    /// With 8 the client sends plain messages: zlib cannot keep to a window of 256 bytes. The same
    /// holds for a server and ``serverMaxWindowBits``.
    public var clientMaxWindowBits = 15

    /// Messages of fewer bytes are sent plain. Default 1,024: what fits into one packet gains
    /// nothing, and a connection with nothing but small messages never needs a context.
    public var thresholdBytes = 1_024

    /// How hard to try, from 1, the fastest, to 9; outside of that the nearest counts.
    /// Default 1: a connection should not wait for its processor.
    public var level = 1

    /// The defaults, each of which can then be changed.
    public init() {}
}
