import Heartwire
import HeartwireSession

/// Sees that a client acts upon a change of the network's paths, in time, and not at all while it is suspended (L1, L3, R6).
///
/// It knows of the change from the world, and of what the client made of it by the journal. A probe is a ping, of whatever
/// kind, between the change and the end of the time in which paths settle; an older ping that is out then has its verdict
/// first. A wait that was not imposed by the server is over by then, or when the last one that was left is long enough ago.
final class SimulationPathAudit {
    /// How much later than its deadline something is looked for.
    static let margin = Duration.milliseconds(1)

    private let auditor: SimulationAuditor
    private let alarms: SimulationAlarms
    private let settings: SimulationClientSettings
    private var state = JournalEvent.State.idle
    private var isSuspended = false
    private var isReadingPaused = false
    private var isImposed = false
    /// When a session last stopped waiting.
    private var lastLeft: MonotonicInstant?
    /// Counts what takes back whatever is expected.
    private var era = 0
    private var pings = 0
    /// Whether a suspended client is being told of a change at this moment.
    private var isTelling = false

    init(
        _ auditor: SimulationAuditor, alarms: SimulationAlarms, settings: SimulationClientSettings
    ) {
        self.auditor = auditor
        self.alarms = alarms
        self.settings = settings
    }

    // MARK: The journal

    func heard(_ event: JournalEvent) {
        switch event.kind {
        case .suspendRequested:
            isSuspended = true
            era += 1
        // Nothing is left to be kept then, so it ends a suspension, too.
        case .resumeRequested, .disconnectRequested:
            isSuspended = false
            era += 1
        case .readingPaused:
            isReadingPaused = true
            era += 1
        case .readingResumed:
            isReadingPaused = false
            era += 1
        case .heartbeatChanged: era += 1
        case .requestAsked: isReadingPaused = false
        case .closed: isImposed = event.cause == .refused
        case .pingSent:
            pings += 1
            expectNothing(event)
        case .stateChanged:
            if event.oldState == .waiting || event.oldState == .suspended {
                lastLeft = auditor.now
            }
            state = event.newState
            era += 1
            expectNothing(event)
        case .connectRequested, .checkRequested, .pathChanged,
            .requestProvided, .progressed, .opened, .pongReceived, .pingReceived, .closeSent,
            .aborted, .symptom, .stale:
            return
        }
    }

    /// The client is gone, or about to go: of it nothing is expected any more.
    func clientIsGone() {
        state = .stopped
        era += 1
    }

    private func expectNothing(_ event: JournalEvent) {
        guard isTelling else { return }
        auditor.violated(.paths, "a suspended session is told of a path: \(event.kind)")
    }

    // MARK: The world

    /// The paths change now; `tell` tells the client.
    func told(_ path: NetworkPath, isPingOut: Bool, _ tell: () -> Void) {
        guard !isSuspended else {
            isTelling = true
            tell()
            isTelling = false
            return
        }
        switch (state, path) {
        case (.open, _): if !isReadingPaused { expectProbe(isPingOut: isPingOut) }
        case (.waiting, .usable): if !isImposed { expectAttempt() }
        case (.waiting, .unusable): era += 1
        case (.idle, _), (.connecting, _), (.closing, _), (.suspended, _), (.stopped, _): break
        }
        tell()
    }

    private func expectProbe(isPingOut: Bool) {
        let (era, pings) = (era, pings)
        let verdict = isPingOut ? settings.heartbeat.timeout : .zero
        alarms.after(settings.pathSettling + verdict + Self.margin) { [weak self] in
            guard let self, era == self.era, pings == self.pings else { return }
            self.auditor.violated(.paths, "an open connection was not probed in time")
        }
    }

    private func expectAttempt() {
        let era = era
        let now = auditor.now
        let settled = now.advanced(by: settings.pathSettling)
        let spaced = lastLeft?.advanced(by: settings.wakeSpacing) ?? now
        let delay = now.duration(to: max(settled, spaced))
        alarms.after(delay + Self.margin) { [weak self] in
            guard let self, era == self.era else { return }
            self.auditor.violated(.paths, "a wait went on though there is a path")
        }
    }
}
