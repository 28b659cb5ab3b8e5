import HeartwireProtocol
import HeartwireSession

// What the journal is told (promise J1).
extension ClientCore {
    /// Tells of an event that the machine has just seen in the state `old`, ahead of its effects.
    func record(_ event: SessionEvent, _ old: JournalEvent.State, isStale: Bool) {
        let generation = event.generation ?? machine.generation
        if isStale { return record(.stale, generation, in: old) }
        switch event {
        case .connectRequested: record(.connectRequested, generation, in: old)
        case .disconnectRequested: record(.disconnectRequested, generation, in: old)
        case .probeRequested: record(.checkRequested, generation, in: old)
        case .suspendRequested: record(.suspendRequested, generation, in: old)
        case .resumeRequested: record(.resumeRequested, generation, in: old)
        case .pathChanged: record(.pathChanged, generation, in: old)
        case .heartbeatChanged: record(.heartbeatChanged, generation, in: old)
        case .requestProvided: record(.requestProvided, generation, in: old)
        case .connectProgressed(_, let phase):
            record(.progressed, generation, in: old, phase: phase)
        case .transportOpened: record(.opened, generation, in: old)
        case .pongReceived: record(.pongReceived, generation, in: old)
        case .readingPaused: record(.readingPaused, generation, in: old)
        case .readingResumed: record(.readingResumed, generation, in: old)
        case .transportClosed(_, let cause) where old == .closing && cause.isFailure:
            record(.symptom, generation, in: old, cause: cause.kind, number: cause.number)
        // Their effects say what came of them.
        case .requestFailed, .transportClosed, .timerFired, .fenceRequested: return
        // Too many to be told one by one.
        case .frameReceived: return
        }
    }

    /// Tells of something that leaves the state as it is.
    func record(
        _ kind: JournalEvent.Kind, _ generation: Generation, in state: JournalEvent.State? = nil,
        cause: CloseCause.Kind? = nil, number: Int? = nil, phase: ConnectPhase? = nil
    ) {
        guard let journal else { return }
        let state = state ?? JournalEvent.State(machine.state)
        journal(
            JournalEvent(
                time: handledInstant ?? executor.now(), generation: generation, kind: kind,
                oldState: state,
                newState: state, cause: cause, number: number, phase: phase))
    }

    /// Tells of a new state.
    func record(_ state: SessionState, after old: JournalEvent.State) {
        guard let journal else { return }
        journal(
            JournalEvent(
                time: handledInstant ?? executor.now(), generation: machine.generation,
                kind: .stateChanged,
                oldState: old, newState: JournalEvent.State(state)))
    }
}
