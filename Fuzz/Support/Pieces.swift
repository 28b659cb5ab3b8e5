public import HeartwireProtocol

/// Replays from its seed, for keys and cuts (SplitMix64).
public final class FuzzRandom: RandomSource {
    private var random: SplitMix64

    /// Begins at `seed`.
    public init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// The next number.
    public func next() -> UInt64 { random.next() }

    /// A number from 0 up to `bound`, which is left out.
    public func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }
}

/// Cuts bytes as a network might: into single bytes, into small pieces and larger ones, some of them empty.
public func pieces(of bytes: [UInt8], seed: UInt8) -> [[UInt8]] {
    guard seed > 0 else { return bytes.map { [$0] } }
    let random = FuzzRandom(seed: UInt64(seed))
    var pieces: [[UInt8]] = []
    var offset = 0
    while offset < bytes.count {
        let size = random.below(3) == 0 ? random.below(64) : random.below(5)
        let end = min(bytes.count, offset + size)
        pieces.append(Array(bytes[offset..<end]))
        offset = end
    }
    return pieces
}

extension Limits {
    /// Bounds so low that short inputs reach them.
    public static let small: Limits = {
        var limits = Limits()
        limits.messageBytes = 300
        limits.fragments = 6
        limits.pendingPongs = 3
        limits.eagerReservationBytes = 32
        limits.headBytes = 600
        limits.headLines = 12
        limits.refusalBodyBytes = 40
        return limits
    }()
}
