import HeartwireProtocol

// What the app wants (R5, R6). Two connects make one connection; a disconnect ends every phase.
extension SessionMachine {
    /// A connect during a wait goes ahead at once and counts as the attempt that was waited for. After
    /// a stop, or behind a close, the row of attempts begins anew.
    mutating func connect(_ now: MonotonicInstant) -> SessionEffects {
        switch phase {
        case .idle, .stopped:
            return beginAnew(now)
        case .connecting, .open:
            return []
        case .closing(var closing):
            closing.reconnects = true
            phase = .closing(closing)
            return []
        case .waiting:
            return beginAttempt(now)
        case .suspended(var suspended):
            suspended.isWanted = true
            phase = .suspended(suspended)
            return []
        }
    }

    /// It ends a suspension too: nothing is left to be kept through it, and the closing handshake needs its timer.
    mutating func disconnect(
        _ code: CloseCode?, _ reason: String, _ now: MonotonicInstant
    ) -> SessionEffects {
        suspendedSince = nil
        switch phase {
        case .idle, .waiting, .suspended:
            return stop(.disconnected(nil))
        case .connecting:
            // There is no open connection on which a Close frame could have gone out.
            let cause = CloseCause.closedByApp(sent: nil, answer: nil)
            return [.abortTransport(generation), .connectionEnded(generation, cause)]
                + stop(.disconnected(cause))
        case .open:
            let deadline = now.advanced(by: configuration.closeTimeout)
            phase = .closing(Closing(sent: code, deadline: deadline, reconnects: false))
            return [.closeTransport(generation, code: code, reason: reason), .publish(state)]
        case .closing(var closing):
            closing.reconnects = false
            phase = .closing(closing)
            return []
        case .stopped:
            return []
        }
    }

    /// An open connection is asked for a sign of life. A wait is cut short, unless the server asked for it
    /// or another was cut short a moment ago (R6, K03-11).
    mutating func probe(_ now: MonotonicInstant) -> SessionEffects {
        switch phase {
        case .idle, .connecting, .closing, .suspended, .stopped:
            return []
        case .open:
            return beat(now) { $0.probe(at: now) }
        case .waiting(let waiting):
            guard !waiting.isImposed, wakeDeadline(now) <= now else { return [] }
            return wake(now)
        }
    }

    /// An open connection's pulse is taken anew by the new settings; an older ping no longer counts.
    mutating func changeHeartbeat(
        _ settings: Heartbeat<MonotonicInstant>.Configuration?, _ now: MonotonicInstant
    ) -> SessionEffects {
        configuration.heartbeat = settings
        guard case .open(var open) = phase else { return [] }
        open.heartbeat = startedHeartbeat(now)
        open.fence = nil
        if open.isReadingPaused { open.heartbeat?.readingPaused(generation) }
        phase = .open(open)
        return []
    }

    /// At most one ping is out (H3): where a pong is awaited already, its owner asks again when that has come.
    mutating func fence(_ now: MonotonicInstant) -> SessionEffects {
        guard case .open(var open) = phase else { return [] }
        guard open.heartbeat == nil else { return beat(now) { $0.fence(at: now) } }
        guard open.fence == nil, !open.isReadingPaused, !isSuspended else { return [] }
        lastPing = PingID(lastPing.number &+ 1)
        open.fence = lastPing
        phase = .open(open)
        return [.sendPing(generation, lastPing)]
    }

    /// Begins a new row of attempts with a connection of its own generation.
    mutating func beginAnew(_ now: MonotonicInstant) -> SessionEffects {
        row = Row()
        generation = generation.next
        return beginAttempt(now)
    }

    /// Begins a connection for the current generation, which has had none yet. In a suspended session that has to
    /// wait for the resume.
    mutating func beginAttempt(_ now: MonotonicInstant) -> SessionEffects {
        guard !isSuspended else {
            phase = .suspended(Suspended(wait: nil, isWanted: true))
            return [.publish(state)]
        }
        let deadline = now.advanced(by: configuration.connectTimeout)
        phase = .connecting(Connecting(deadline: deadline, progress: .request, hasRequest: false))
        return [.publish(state), .askForRequest(generation, attempt: row.attempt)]
    }

    mutating func stop(_ cause: StopCause) -> SessionEffects {
        phase = .stopped(cause)
        return [.publish(state)]
    }
}
