import HeartwireProtocol
import HeartwireSession

// How a connection ends, or goes elsewhere before it has begun.
extension SocketTransport {
    // MARK: Redirects

    /// Goes where a redirect leads, or ends with what the server said.
    func refused(_ refusal: consuming Refusal) {
        if var trail, RedirectTrail.isRedirect(refusal.status) {
            do throws(RedirectFault) {
                let next = try trail.follow(refusal, from: request.opening)
                self.trail = trail
                return restart(request.redirected(to: next))
            } catch {
                refusal.redirectFault = error
            }
        }
        if refusal.needsReceiptTime { refusal.receivedSeconds = SystemClock.secondsSince1970() }
        finish(.refused(refusal))
    }

    func restart(_ next: ConnectionRequest) {
        channel?.abort(reset: false)
        channel = nil
        request = next
        engine = Self.makeEngine(next, engine.random)
        (isStreamUp, isBlocked) = (false, false)
        observer?.transportProgressed(generation, .resolving)
        guard state == .connecting else { return }
        channel = factory.connector(for: next).connect(to: next.url, handler: self)
    }

    // MARK: The end

    /// Answers the peer's end, if the closing handshake still wants that, and reports it.
    func settleEnding() {
        guard let ending = ending.take() else { return }
        switch ending {
        case .close(let close):
            engine.answerClose()
            finish(.closedByPeer(close))
        case .violation(let violation):
            engine.fail(violation.closeCode, reason: violation.description)
            finish(.protocolViolation(violation))
        }
    }

    func report(_ cause: CloseCause) {
        guard let observer else { return }
        self.observer = nil
        observer.transportFinishedBatch(generation)
        observer.transportClosed(generation, cause)
    }

    func finish(_ cause: CloseCause) {
        guard state == .connecting || state == .open else { return }
        let wasOpen = state == .open
        state = .lingering
        stopLookingForStall()
        report(cause)
        guard state == .lingering else { return }
        guard wasOpen else { return end(reset: false) }
        // Held by the timer while it lingers, for the session has let go by now.
        lingerTimer = executor.schedule(at: executor.now().advanced(by: Self.lingerTimeout)) {
            self.end(reset: false)
        }
        channel?.setReading(true)
        flushOutgoing()
    }

    /// Hands the stream back once nothing is owed to it any more.
    func windUp() {
        guard engine.outgoingCount == 0 else { return }
        let channel = self.channel
        self.channel = nil
        channel?.finish()
        end(reset: false)
    }

    func end(reset: Bool) {
        state = .ended
        stopLookingForStall()
        if let lingerTimer { executor.cancel(lingerTimer) }
        lingerTimer = nil
        channel?.abort(reset: reset)
        channel = nil
    }
}
