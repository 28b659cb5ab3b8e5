/// Where randomness comes from: masking keys, handshake nonces, back-off jitter.
///
/// In production a source must be unpredictable (RFC 6455 §10.3 wants that of masking keys); in a
/// test or a simulation it is seeded, so that a run can be replayed.
public protocol RandomSource: AnyObject {
    /// The next 64 random bits.
    func next() -> UInt64
}
