public import HeartwireProtocol

/// Random numbers that a seed replays: SplitMix64.
///
/// The same seed gives the same masks, keys and jitter, so a run under the virtual clock can be
/// repeated exactly. Not for production: who knows one number knows all that follow.
public final class SeededRandomSource: RandomSource {
    private var random: SplitMix64

    /// Starts the sequence that belongs to `seed`.
    public init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// The next number of the sequence.
    public func next() -> UInt64 {
        random.next()
    }
}
