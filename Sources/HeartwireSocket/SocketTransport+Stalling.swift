import HeartwireProtocol
import HeartwireSession

// How long a frame may stand still (promise P4). One timer, which looks again when it is due: a read that does
// not end a frame costs a look at the clock, and any other nothing.
extension SocketTransport {
    /// A timer that fires so late says that this process stood still, not the peer.
    static let stallTolerance = Duration.seconds(1)

    /// Notes that bytes came, or that reading goes on, and sees to it that somebody looks whether the frame does.
    func noteProgress() {
        guard state == .open, engine.isInFrame else { return }
        lastProgress = executor.now()
        if stallTimer == nil { lookForStall() }
    }

    func stopLookingForStall() {
        if let stallTimer { executor.cancel(stallTimer) }
        stallTimer = nil
    }

    private func lookForStall() {
        let due = lastProgress.advanced(by: request.limits.frameStall)
        stallTimer = executor.schedule(at: due) { self.judgeStall(due: due) }
    }

    private func judgeStall(due: MonotonicInstant) {
        stallTimer = nil
        // Where reading is paused it is this side that stands still; then it begins anew.
        guard state == .open, engine.isInFrame, isReading, withheld.isEmpty else { return }
        let now = executor.now()
        if now >= due.advanced(by: Self.stallTolerance) { lastProgress = now }
        guard lastProgress.advanced(by: request.limits.frameStall) <= now else {
            return lookForStall()
        }
        engine.frameStalled()
        pump()
    }
}
