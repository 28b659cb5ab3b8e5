/// A small generator of random numbers that is a value: the same seed replays the same run.
///
/// The finaliser is the published SplitMix64 (Steele, Lea and Flood, 2014). It spreads jitter and replays tests; it
/// is no source of secrets.
package struct SplitMix64: RandomNumberGenerator, Sendable, Hashable {
    private var state: UInt64

    /// Starts the sequence that belongs to `seed`.
    package init(seed: UInt64) {
        state = seed
    }

    /// The next number, uniform over all of `UInt64`.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed &>> 31)
    }
}
