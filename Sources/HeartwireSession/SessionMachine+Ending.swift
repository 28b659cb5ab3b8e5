import HeartwireProtocol

// How a connection ends, and what follows.
extension SessionMachine {
    /// The one way in which a live connection ends other than by a disconnect before it was open (G4).
    /// `atOnce`: it failed a probe, so it is replaced without a backoff, where it is the first to fail (L2).
    mutating func end(
        _ cause: CloseCause, aborts: Bool, atOnce: Bool = false, _ now: MonotonicInstant
    ) -> SessionEffects {
        var effects: SessionEffects = aborts ? [.abortTransport(generation)] : []
        guard case .closing(let closing) = phase else {
            effects.append(.connectionEnded(generation, cause))
            return effects + followUp(cause, atOnce: atOnce, now)
        }
        let own = cause.asAnswer(to: closing.sent)
        effects.append(.connectionEnded(generation, own))
        return effects + (closing.reconnects ? beginAnew(now) : stop(.disconnected(own)))
    }

    /// Waits for the next attempt or stops, as the policy decides (R1–R3).
    private mutating func followUp(
        _ cause: CloseCause, atOnce: Bool, _ now: MonotonicInstant
    ) -> SessionEffects {
        guard let policy = configuration.reconnect else { return stop(.refusedToRetry(cause)) }
        var least = Duration.zero
        switch policy.verdict(for: cause) {
        case .retry: break
        case .retryAfter(let delay): least = delay
        case .refreshCredentials:
            guard !row.hasRefreshed else { return stop(.refusedToRetry(cause)) }
            row.hasRefreshed = true
        case .stop: return stop(.refusedToRetry(cause))
        }
        let attempt = row.attempt &+ 1
        guard let usual = policy.backoff.delay(attempt: attempt, roll: random.next()) else {
            return stop(.attemptsExhausted(cause))
        }
        let delay = max(atOnce && row.attempt == 0 ? .zero : usual, least)
        row.attempt = attempt
        // The wait has a generation of its own, which becomes that of the next attempt (G3).
        generation = generation.next
        let waiting = Waiting(
            until: now.advanced(by: delay), delay: delay, cause: cause, isImposed: least > .zero)
        phase =
            isSuspended
            ? .suspended(Suspended(wait: waiting, isWanted: false)) : .waiting(waiting)
        return [.publish(state)]
    }
}

extension CloseCause {
    /// This end as seen by an app that had asked for it: the app's wish came first, so it is the cause;
    /// what the transport tells can only add the peer's answer.
    fileprivate func asAnswer(to sent: CloseCode?) -> CloseCause {
        switch self {
        case .closedByApp: self
        case .closedByPeer(let answer): .closedByApp(sent: sent, answer: answer)
        case .heartbeatTimeout, .connectTimeout, .connectFailed, .refused, .badHandshake,
            .protocolViolation, .connectionLost, .requestFailed:
            .closedByApp(sent: sent, answer: nil)
        }
    }
}
