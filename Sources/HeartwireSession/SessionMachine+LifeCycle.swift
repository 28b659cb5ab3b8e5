import HeartwireProtocol

// Sleep, the background and the network's paths (L1–L3, R6).
//
//     phase        suspend                      resume
//     idle         –                            –
//     connecting   the attempt goes on          its time goes on where it stood
//     open         the pulse rests              a fresh probe decides; stability counts from now
//     closing      the connection is dropped    –
//     waiting      suspended                    –
//     suspended    –                            an attempt begins; an imposed wait goes on until its end, and so does
//                                               any where another was cut short a moment ago
//     stopped      –                            –
//
// A second suspend or resume changes nothing.
extension SessionMachine {
    /// From here on no time counts. A close cannot be bounded then, so it is not waited for.
    mutating func suspend(_ now: MonotonicInstant) -> SessionEffects {
        guard !isSuspended else { return [] }
        suspendedSince = now
        switch phase {
        case .idle, .connecting, .suspended, .stopped:
            return []
        case .open(var open):
            open.heartbeat?.suspended(generation)
            open.probesAt = nil
            phase = .open(open)
            return []
        case .closing(let closing):
            return end(.closedByApp(sent: closing.sent, answer: nil), aborts: true, now)
        case .waiting(var waiting):
            waiting.wakesAt = nil
            phase = .suspended(Suspended(wait: waiting, isWanted: false))
            return [.publish(state)]
        }
    }

    /// What there is must prove itself; what there is not, is made.
    mutating func resume(_ now: MonotonicInstant) -> SessionEffects {
        guard let since = suspendedSince else { return [] }
        suspendedSince = nil
        switch phase {
        case .idle, .closing, .waiting, .stopped:
            return []
        case .connecting(var connecting):
            connecting.deadline = connecting.deadline.advanced(by: since.duration(to: now))
            phase = .connecting(connecting)
            return []
        case .open(var open):
            if open.stableAt != nil {
                open.stableAt = now.advanced(by: configuration.reconnect?.stability ?? .zero)
            }
            phase = .open(open)
            // While nothing is read, the probe waits until reading goes on.
            guard !open.isReadingPaused else { return [] }
            let current = generation
            return beat(now) { $0.readingResumed(current, at: now) }
        case .suspended(let suspended):
            guard let wait = suspended.wait, !suspended.isWanted, now < wait.until else {
                return beginAttempt(now)
            }
            return goOn(with: wait, now)
        }
    }

    /// A wait that is not over when the session is resumed.
    private mutating func goOn(with wait: Waiting, _ now: MonotonicInstant) -> SessionEffects {
        let wakesAt = wait.isImposed ? nil : wakeDeadline(now)
        if let wakesAt, wakesAt <= now { return wake(now) }
        phase = .waiting(
            Waiting(
                until: wait.until, delay: now.duration(to: wait.until), cause: wait.cause,
                isImposed: wait.isImposed, wakesAt: wakesAt))
        return [.publish(state)]
    }

    /// The first change begins the time in which the paths may settle; later ones do not extend it, so that a
    /// network that never comes to rest is acted upon all the same.
    mutating func takePath(_ path: NetworkPath, _ now: MonotonicInstant) -> SessionEffects {
        guard !isSuspended else { return [] }
        let settled = now.advanced(by: configuration.pathSettling)
        switch phase {
        case .idle, .connecting, .closing, .suspended, .stopped:
            return []
        case .open(var open):
            open.probesAt = open.probesAt ?? settled
            phase = .open(open)
            return []
        case .waiting(var waiting):
            guard !waiting.isImposed else { return [] }
            switch path {
            case .usable: waiting.wakesAt = waiting.wakesAt ?? max(settled, wakeDeadline(now))
            // Attempts go on as the backoff has them: the machine may be wrong about its network.
            case .unusable: waiting.wakesAt = nil
            }
            phase = .waiting(waiting)
            return []
        }
    }

    /// The pulse of an open connection, or the probe for paths that have changed and settled. What an older ping has
    /// come to is decided first; the answer to a probe that went out before the change proves nothing for after
    /// it, so another follows.
    mutating func pulse(_ now: MonotonicInstant) -> SessionEffects {
        guard case .open(let open) = phase, let probesAt = open.awaitedProbe, now >= probesAt,
            open.heartbeat?.isVerdictDue(at: now) != true
        else { return beat(now) { $0.tick(at: now) } }
        phase.changeOpen { $0.probesAt = nil }
        return beat(now) { $0.probe(at: now) }
    }

    /// Cuts a wait short.
    mutating func wake(_ now: MonotonicInstant) -> SessionEffects {
        lastWake = now
        return beginAttempt(now)
    }

    /// When a wait may next be cut short, at the earliest.
    func wakeDeadline(_ now: MonotonicInstant) -> MonotonicInstant {
        lastWake?.advanced(by: configuration.wakeSpacing) ?? now
    }
}
