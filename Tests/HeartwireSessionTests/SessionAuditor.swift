import HeartwireProtocol

@testable import HeartwireSession

/// Watches a session machine from outside and states the first invariant that a step breaks (G6).
struct SessionAuditor {
    /// The newest generation that was begun.
    private(set) var lastBegun = Generation.none
    /// The one that was begun and has not ended.
    private(set) var running: Generation?
    private(set) var lastPing = PingID(0)

    /// Judges one step. Gives the broken rule, `nil` when all hold.
    mutating func judge(
        _ event: SessionEvent, _ now: MonotonicInstant, from before: SessionMachine,
        to after: SessionMachine, _ effects: [SessionEffect]
    ) -> String? {
        if let stamp = event.generation, stamp != before.generation {
            guard effects.isEmpty, after.state == before.state,
                after.nextDeadline == before.nextDeadline, after.generation == before.generation
            else { return "a stale event changed something" }
            guard after.staleEvents == before.staleEvents + 1 else { return "it was not counted" }
        }
        if let broken = judgeState(event, now, from: before, to: after, effects) { return broken }
        for effect in effects {
            if let broken = judge(effect, from: before, to: after) { return broken }
        }
        guard running == nil || (after.phase.isLive && running == after.generation) else {
            return "a generation ended without a cause"
        }
        return nil
    }

    private func judgeState(
        _ event: SessionEvent, _ now: MonotonicInstant, from before: SessionMachine,
        to after: SessionMachine, _ effects: [SessionEffect]
    ) -> String? {
        guard after.generation >= before.generation else { return "a generation went backwards" }
        guard Self.isLawful(before.state, after.state) else {
            return "\(before.state) was followed by \(after.state)"
        }
        let published = effects.compactMap { effect -> SessionState? in
            guard case .publish(let state) = effect else { return nil }
            return state
        }
        guard published == (before.state == after.state ? [] : [after.state]) else {
            return "the new state was not published once"
        }
        if let broken = Self.judgeSuspension(event, from: before, to: after, effects) {
            return broken
        }
        switch after.state {
        case .idle, .suspended, .stopped:
            guard after.nextDeadline == nil else { return "a timer is left when stopped" }
        case .connecting, .closing, .waiting:
            guard after.isSuspended || after.nextDeadline != nil else {
                return "a wait without an end"
            }
        case .open: break
        }
        // A failed probe is followed by a wait of no time, which ends with the next timer.
        if case .waiting(_, .zero, _) = after.state { return nil }
        if case .timerFired = event, let due = after.nextDeadline, due <= now,
            after.staleEvents == before.staleEvents
        {
            return "the timer fired and is due again at once"
        }
        return nil
    }

    /// What a suspended session may not do, and what a resumed one must (L1, L2).
    private static func judgeSuspension(
        _ event: SessionEvent, from before: SessionMachine, to after: SessionMachine,
        _ effects: [SessionEffect]
    ) -> String? {
        if after.isSuspended {
            guard after.nextDeadline == nil else { return "a timer while suspended" }
            for effect in effects {
                switch effect {
                case .askForRequest: return "a connection was begun while suspended"
                case .sendPing: return "a ping while suspended"
                case .openTransport, .closeTransport, .abortTransport, .publish, .connectionEnded:
                    continue
                }
            }
        }
        switch after.phase {
        case .closing where after.isSuspended, .waiting where after.isSuspended:
            return "a wait that nothing ends while suspended"
        case .suspended where !after.isSuspended: return "suspended for ever"
        case .open(let open)
        where event == .resumeRequested && before.isSuspended && open.heartbeat != nil
            && !open.isReadingPaused:
            guard effects == [.sendPing(after.generation, after.lastPing)],
                open.heartbeat?.isProbing == true, open.heartbeat?.awaitedPing == after.lastPing
            else { return "no fresh probe on the resume" }
            return nil
        case .idle, .connecting, .open, .closing, .waiting, .suspended, .stopped: return nil
        }
    }

    private mutating func judge(
        _ effect: SessionEffect, from before: SessionMachine, to after: SessionMachine
    ) -> String? {
        guard after.permits(effect) else { return "\(effect) is not permitted at once" }
        switch effect {
        case .askForRequest(let generation, _):
            guard generation > lastBegun else { return "\(generation) begun twice" }
            guard running == nil else { return "two connections at once" }
            lastBegun = generation
            running = generation
        case .openTransport(let generation), .closeTransport(let generation, _, _):
            guard running == generation else { return "an action for a dead generation" }
        case .sendPing(let generation, let id):
            guard running == generation else { return "a ping for a dead generation" }
            guard id > lastPing else { return "a ping id was used again" }
            lastPing = id
        case .abortTransport(let generation):
            guard running == generation else { return "an abort of another generation" }
        case .connectionEnded(let generation, _):
            guard generation <= lastBegun else { return "an end without a beginning" }
            guard running == generation else { return "two causes of \(generation)" }
            running = nil
        case .publish: break
        }
        return nil
    }

    /// The successors that each state names.
    private static func isLawful(_ old: SessionState, _ new: SessionState) -> Bool {
        if old == new { return true }
        return switch (old, new) {
        case (.idle, .connecting), (.idle, .suspended), (.idle, .stopped): true
        case (.connecting, .open), (.connecting, .waiting), (.connecting, .suspended),
            (.connecting, .stopped):
            true
        case (.open, .closing), (.open, .waiting), (.open, .suspended), (.open, .stopped): true
        case (.closing, .stopped), (.closing, .connecting), (.closing, .suspended): true
        case (.waiting, .connecting), (.waiting, .suspended), (.waiting, .stopped): true
        case (.suspended, .connecting), (.suspended, .waiting), (.suspended, .stopped): true
        case (.stopped, .connecting), (.stopped, .suspended): true
        default: false
        }
    }
}
