import HeartwireProtocol
import Testing

@testable import HeartwireSession

/// Every event that belongs to a connection, stamped with `generation`.
func stampedEvents(_ generation: Generation) -> [SessionEvent] {
    [
        .requestProvided(generation), .requestFailed(generation, "no token"),
        .connectProgressed(generation, .tls), .transportOpened(generation),
        .pongReceived(generation, ping1), .frameReceived(generation), .readingPaused(generation),
        .readingResumed(generation), .transportClosed(generation, .heartbeatTimeout),
        .timerFired(generation),
    ]
}

/// Every event that belongs to no connection.
let intents: [SessionEvent] = [
    .connectRequested, .disconnectRequested(code: 1000, reason: ""), .probeRequested,
    .suspendRequested, .resumeRequested, .pathChanged(.usable), .heartbeatChanged(nil),
    .fenceRequested,
]

@Suite("SessionEvent: what a session is told")
struct SessionEventTests {
    @Test("G1: every event of a connection carries its generation, an intent carries none")
    func generations() {
        for event in stampedEvents(g2) { #expect(event.generation == g2) }
        for event in intents { #expect(event.generation == nil) }
    }

    @Test("G1: the gate tells the kinds of events apart")
    func kinds() {
        #expect(intents.map(\.kind) == Array(repeating: .intent, count: 8))
        let kinds: [SessionEvent.Kind] = [
            .request, .request, .opening, .opening, .pulse, .pulse, .pulse, .pulse, .end, .timer,
        ]
        #expect(stampedEvents(g1).map(\.kind) == kinds)
    }
}
