// From the provider's answer to the last pong.
extension SessionMachine {
    mutating func takeRequest(_ now: MonotonicInstant) -> SessionEffects {
        guard case .connecting(var connecting) = phase else { return [] }
        guard isSuspended || now < connecting.deadline else { return timerFired(now) }
        connecting.hasRequest = true
        connecting.progress = .resolving
        phase = .connecting(connecting)
        return [.openTransport(generation)]
    }

    mutating func note(_ progress: ConnectPhase) -> SessionEffects {
        guard case .connecting(var connecting) = phase else { return [] }
        connecting.progress = progress
        phase = .connecting(connecting)
        return []
    }

    /// An opening at the deadline is too late, whichever of the two is told first.
    mutating func open(_ now: MonotonicInstant) -> SessionEffects {
        guard case .connecting(let connecting) = phase else { return [] }
        guard isSuspended || now < connecting.deadline else { return timerFired(now) }
        let stableAt = now.advanced(by: configuration.reconnect?.stability ?? .zero)
        let heartbeat = startedHeartbeat(now)
        phase = .open(
            Open(
                stableAt: row == Row() ? nil : stableAt, heartbeat: heartbeat,
                isReadingPaused: false))
        settleStability(now)
        return [.publish(state)]
    }

    /// The row of attempts ends once the connection has been open for long enough (R2), at whichever
    /// event this is seen first. A suspended one may long be dead.
    mutating func settleStability(_ now: MonotonicInstant) {
        guard !isSuspended, case .open(let open) = phase, let stableAt = open.stableAt,
            now >= stableAt
        else { return }
        phase.changeOpen { $0.stableAt = nil }
        row = Row()
    }

    mutating func timerFired(_ now: MonotonicInstant) -> SessionEffects {
        switch phase {
        case .idle, .suspended, .stopped:
            return []
        case .connecting(let connecting):
            guard now >= connecting.deadline else { return [] }
            return end(.connectTimeout(connecting.progress), aborts: true, now)
        case .open:
            return pulse(now)
        case .closing(let closing):
            guard now >= closing.deadline else { return [] }
            return end(.closedByApp(sent: closing.sent, answer: nil), aborts: true, now)
        case .waiting(let waiting):
            if now >= waiting.until { return beginAttempt(now) }
            guard let wakesAt = waiting.wakesAt, now >= wakesAt else { return [] }
            return wake(now)
        }
    }

    /// A connection that is lost while a probe doubts it is replaced at once, as if the probe had failed (L2).
    mutating func transportClosed(_ cause: CloseCause, _ now: MonotonicInstant) -> SessionEffects {
        var wasProbing = false
        if case .open(let open) = phase, cause.kind == .connectionLost {
            wasProbing = open.heartbeat?.isProbing ?? false
        }
        return end(cause, aborts: false, atOnce: wasProbing, now)
    }

    mutating func takePong(
        _ stamp: Generation, _ id: PingID, _ now: MonotonicInstant
    ) -> SessionEffects {
        if case .open(let open) = phase, open.fence == id {
            phase.changeOpen { $0.fence = nil }
        }
        return beat(now) { heartbeat in
            heartbeat.pong(stamp, id, at: now)
            return nil
        }
    }

    mutating func pauseReading(_ now: MonotonicInstant) -> SessionEffects {
        guard case .open(var open) = phase else { return [] }
        open.isReadingPaused = true
        open.heartbeat?.readingPaused(generation)
        phase = .open(open)
        return []
    }

    mutating func resumeReading(_ now: MonotonicInstant) -> SessionEffects {
        guard case .open(var open) = phase else { return [] }
        open.isReadingPaused = false
        phase = .open(open)
        guard !isSuspended else { return [] }
        let current = generation
        return beat(now) { $0.readingResumed(current, at: now) }
    }

    /// A pulse for the current connection as if it had opened now; `nil` where none is taken.
    func startedHeartbeat(_ now: MonotonicInstant) -> Heartbeat<MonotonicInstant>? {
        guard let settings = configuration.heartbeat else { return nil }
        var heartbeat = Heartbeat(settings, after: lastPing)
        heartbeat.connect(as: generation)
        heartbeat.opened(generation, at: now)
        if isSuspended { heartbeat.suspended(generation) }
        return heartbeat
    }

    /// Lets the open connection's heartbeat see an event, and turns its action into effects.
    mutating func beat(
        _ now: MonotonicInstant,
        _ see: (inout Heartbeat<MonotonicInstant>) -> Heartbeat<MonotonicInstant>.Action?
    ) -> SessionEffects {
        var wasProbing = false
        let action = phase.changeOpen { open in
            wasProbing = open.heartbeat?.isProbing ?? false
            return open.heartbeat?.see(see)
        }
        switch action ?? nil {
        case nil: return []
        case .sendPing(let stamp, let id):
            lastPing = id
            return [.sendPing(stamp, id)]
        case .close: return end(.heartbeatTimeout, aborts: true, atOnce: wasProbing, now)
        }
    }
}

extension Heartbeat {
    @inline(__always) fileprivate mutating func see(_ event: (inout Self) -> Action?) -> Action? {
        event(&self)
    }
}
