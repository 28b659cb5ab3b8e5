import HeartwireProtocol

@testable import HeartwireSession

// A finding as a test that can be pasted.
extension Explorer.Finding {
    /// Swift that takes the same steps.
    var source: String {
        var lines = [
            "@Test(\"G6: \(broken)\")", "func found() throws {",
            "    var session = try ExploredSession()",
        ]
        for (step, instant) in moves {
            lines.append("    #expect(session.take(\(step.source), at: \(instant.source)) == nil)")
        }
        return (lines + ["}"]).joined(separator: "\n")
    }
}

extension MonotonicInstant {
    fileprivate var source: String {
        let (milliseconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return rest == 0 ? "at(\(milliseconds))" : "MonotonicInstant(nanoseconds: \(nanoseconds))"
    }
}

extension ExplorerStep {
    fileprivate var source: String {
        switch self {
        case .tell(let event): ".tell(.\(event.source))"
        case .deliver: ".deliver"
        case .store(let succeeds): ".store(succeeds: \(succeeds))"
        case .write: ".write"
        case .read(let succeeds): ".read(succeeds: \(succeeds))"
        }
    }
}

extension SessionEvent {
    fileprivate var source: String {
        switch self {
        case .connectRequested: "connectRequested"
        case .disconnectRequested: "disconnectRequested(code: 1000, reason: \"\")"
        case .probeRequested: "probeRequested"
        case .suspendRequested: "suspendRequested"
        case .resumeRequested: "resumeRequested"
        case .pathChanged(let path): "pathChanged(.\(path.rawValue))"
        case .heartbeatChanged(nil): "heartbeatChanged(nil)"
        case .heartbeatChanged: "heartbeatChanged(try pulse(100, 200))"
        case .fenceRequested: "fenceRequested"
        case .requestProvided(let stamp): "requestProvided(\(stamp.source))"
        case .requestFailed(let stamp, let words): "requestFailed(\(stamp.source), \"\(words)\")"
        case .connectProgressed(let stamp, let progress):
            "connectProgressed(\(stamp.source), .\(progress.rawValue))"
        case .transportOpened(let stamp): "transportOpened(\(stamp.source))"
        case .pongReceived(let stamp, let id): "pongReceived(\(stamp.source), PingID(\(id.number)))"
        case .frameReceived(let stamp): "frameReceived(\(stamp.source))"
        case .readingPaused(let stamp): "readingPaused(\(stamp.source))"
        case .readingResumed(let stamp): "readingResumed(\(stamp.source))"
        case .transportClosed(let stamp, let cause):
            "transportClosed(\(stamp.source), Explorer."
                + "\(cause == Explorer.lost ? "lost" : "unauthorized"))"
        case .timerFired(let stamp): "timerFired(\(stamp.source))"
        }
    }
}

extension Generation {
    fileprivate var source: String { "Generation(\(number))" }
}
