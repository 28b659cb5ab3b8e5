public import HeartwireProtocol

/// Random numbers that a seed replays: SplitMix64.
///
/// The same seed gives the same masks, keys and jitter, so a run under the virtual clock can be
/// repeated exactly. Not for production: who knows one number knows all that follow.
public final class SeededRandomSource: RandomSource {
    private var state: UInt64

    /// Starts the sequence that belongs to `seed`.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next number of the sequence.
    public func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
