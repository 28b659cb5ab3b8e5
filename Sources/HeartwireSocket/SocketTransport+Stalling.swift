import HeartwireProtocol
import HeartwireSession

// How long a frame may stand still (promise P4). One timer, which looks again when it is due: a read that does
// not end a frame costs a look at the clock, and any other nothing.
extension SocketTransport {
    /// Notes that bytes came, or that reading goes on, and sees to it that somebody looks whether the frame does.
    func noteProgress() {
        guard state == .open, engine.isInFrame else { return }
        stallWatch.progressed(at: executor.now())
        if stallTimer == nil { lookForStall(at: stallWatch.due) }
    }

    func stopLookingForStall() {
        if let stallTimer { executor.cancel(stallTimer) }
        stallTimer = nil
    }

    private func lookForStall(at due: MonotonicInstant) {
        stallTimer = executor.schedule(at: due) { self.judgeStall(due: due) }
    }

    private func judgeStall(due: MonotonicInstant) {
        stallTimer = nil
        // Where reading is paused it is this side that stands still; then it begins anew.
        guard state == .open, engine.isInFrame, isReading, withheld.isEmpty else { return }
        switch stallWatch.verdict(timer: due, now: executor.now()) {
        case .looksAgain(let due): lookForStall(at: due)
        case .stalled:
            engine.frameStalled()
            pump()
        }
    }
}
