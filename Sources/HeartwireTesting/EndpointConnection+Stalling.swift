import HeartwireProtocol
import HeartwireSession

// How long a client's frame may stand still (promise P4), as `SocketTransport` bounds a server's.
extension EndpointConnection {
    /// Notes that bytes came, or that reading goes on, and sees to it that somebody looks whether the frame does.
    func noteProgress() {
        guard state == .open, engine.isInFrame else { return }
        stallWatch.progressed(at: endpoint.executor.now())
        if !isLookingForStall { lookForStall(at: stallWatch.due) }
    }

    private func lookForStall(at due: MonotonicInstant) {
        isLookingForStall = true
        at(due) { $0.judgeStall(due: due) }
    }

    private func judgeStall(due: MonotonicInstant) {
        isLookingForStall = false
        // Where reading is paused it is this side that stands still; then it begins anew.
        guard state == .open, engine.isInFrame, isReading else { return }
        switch stallWatch.verdict(timer: due, now: endpoint.executor.now()) {
        case .looksAgain(let due): lookForStall(at: due)
        case .stalled:
            engine.frameStalled()
            handleEvents()
        }
    }
}
