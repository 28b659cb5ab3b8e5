/// Judges how long a frame that has begun stands still (promise P4), by instants that its owner hands in.
///
/// Theory of operation. The owner tells of each read that leaves a frame unfinished, and has one timer, set to
/// ``due`` when there is none. A timer is not moved with every read: when it fires it looks again, so a read
/// costs a look at the clock and nothing else.
package struct FrameStallWatch: Sendable {
    /// What there is to be done when the timer has fired.
    package enum Verdict: Sendable, Hashable {
        /// Not a byte came for as long as a frame may stand still.
        case stalled
        /// Bytes came meanwhile: look again at this instant.
        case looksAgain(at: MonotonicInstant)
    }

    /// A timer that fires so late says that this process stood still, not the peer.
    static let tolerance = Duration.seconds(1)

    /// In nanoseconds, which is half of a duration.
    private let limit: Int64
    private var lastProgress = MonotonicInstant.origin

    /// Watches for frames that stand still for `limit`, that is for `Limits.frameStall`.
    package init(limit: Duration) {
        self.limit = limit.wholeNanoseconds
    }

    /// Takes note that bytes came, or that reading goes on, while a frame is under way.
    package mutating func progressed(at now: MonotonicInstant) {
        lastProgress = now
    }

    /// When the frame will have stood still for too long, if nothing more comes.
    package var due: MonotonicInstant { lastProgress.advanced(by: .nanoseconds(limit)) }

    /// Judges the frame at `now`, when a timer fires that was set to `timer`.
    package mutating func verdict(timer: MonotonicInstant, now: MonotonicInstant) -> Verdict {
        if now >= timer.advanced(by: Self.tolerance) { lastProgress = now }
        return due <= now ? .stalled : .looksAgain(at: due)
    }
}
