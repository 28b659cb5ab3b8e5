/// The bounds on what a peer can make an endpoint hold or do (promise P4).
///
/// Every buffer and loop that the network feeds is bounded by one of these. A peer that goes over
/// a bound is failed with a close code or refused; nothing traps. Zero and negative bounds are
/// lawful and mean that nothing of the kind is allowed.
public struct Limits: Sendable, Hashable {
    /// The most bytes in the head of an opening request or response, its blank line included.
    /// Default 16,384: twice what common servers allow, and room for large cookies.
    public var headBytes = 16_384

    /// The most header lines in the head of an opening request or response.
    /// Default 128: proxies add a handful; nobody honest sends more.
    public var headLines = 128

    /// The most bytes that are kept of the body of a refusal, which says why.
    /// Default 4,096: enough for an error document in JSON, too little to be a burden.
    public var refusalBodyBytes = 4_096

    /// The most payload bytes in one received message, over all of its fragments.
    /// Default 16 MiB. Going over it fails the connection with 1009 as soon as a header tells. A compressed
    /// message is inflated piece by piece and fails with the first byte that is too many.
    public var messageBytes = 16 << 20

    /// The most bytes that one received byte of a compressed message may inflate to, over the message so far;
    /// looked at after every 4 KiB that arrived of it and at its end, so that no cut of the network decides.
    /// Default 1,032, which is all that deflate can do: an honest message of one character comes close, so
    /// ``messageBytes`` alone decides. Lower it where peers are not trusted with processor time, 100 for
    /// instance; going over it fails the connection with 1009.
    public var inflateRatio = 1_032

    /// How far a message may inflate before ``inflateRatio`` is looked at. Default 64 KiB, because short messages
    /// of one character are common and cheap.
    public var inflateRatioGraceBytes = 65_536

    /// The most frames in one received message. Default 131,072: bounds the work that empty
    /// fragments can ask for, and lets through 4 MiB in pieces of 64 bytes, which honest senders
    /// end with an empty frame. Going over it fails the connection with 1009.
    public var fragments = 131_072

    /// How long a frame that has begun may stand still: it is read, and not a byte of it comes. Default 30 s.
    /// At this age the connection is failed with 1008. Who trickles is the heartbeat's affair, whose pongs
    /// cannot come within a frame.
    public var frameStall = Duration.seconds(30)

    /// The most automatic pongs that wait unwritten in the outgoing buffer. Past it only the
    /// newest further ping is answered, as RFC 6455 §5.5.3 allows. Default 32, 4 KiB at the most.
    /// Less than one counts as one.
    public var pendingPongs = 32

    /// The most bytes that are reserved on the mere word of a frame header. Default 1 MiB: beyond
    /// it memory grows only with bytes that really arrived.
    public var eagerReservationBytes = 1 << 20

    /// A transport reports back-pressure once more than this many bytes wait to go out. Default 1 MiB. Less than zero
    /// counts as zero.
    public var outgoingHighWater = 1 << 20

    /// A transport reports room again once no more than this many bytes wait. Default 256 KiB. Less than zero counts as
    /// zero.
    public var outgoingLowWater = 1 << 18

    /// The defaults, each of which can then be changed.
    public init() {}

    /// The same limits, stored once for all connections where they are the defaults.
    package var shared: Shared<Limits> { Shared(self, unless: Self.usual) }

    private static let usual = Shared(Limits())

    /// The most compressed bytes in one message: what is random grows a little by being deflated, and each
    /// flush adds a few bytes.
    var compressedBytes: Int {
        let slack = (messageBytes >> 3) &+ 256
        let (sum, overflow) = messageBytes.addingReportingOverflow(slack)
        return messageBytes < 0 ? messageBytes : overflow ? Int.max : sum
    }
}
