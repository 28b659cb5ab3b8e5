public import HeartwireProtocol

/// Compresses and inflates by zlib.
public struct ZlibCodec: DeflateCodec {
    /// Has nothing to set.
    public init() {}

    /// A compressor, or `nil` for a window of 2^8 bytes: zlib has none for raw deflate, and silently takes one of
    /// 2^9 or refuses, depending on its version.
    public func makeDeflater(windowBits: Int, level: Int) -> (any MessageDeflater)? {
        guard windowBits > 8 else { return nil }
        return ZlibDeflater(windowBits: windowBits, level: level)
    }

    /// An inflater for any of the windows.
    public func makeInflater(windowBits: Int) -> (any MessageInflater)? {
        ZlibInflater(windowBits: windowBits)
    }
}
