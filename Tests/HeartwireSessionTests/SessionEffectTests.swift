import HeartwireSession
import Testing

@Suite("SessionEffect: what a session asks for")
struct SessionEffectTests {
    @Test("G2: every effect on a connection carries its generation")
    func generations() {
        let effects: [SessionEffect] = [
            .askForRequest(g2, attempt: 0), .openTransport(g2), .sendPing(g2, ping1),
            .closeTransport(g2, code: nil, reason: ""), .abortTransport(g2),
            .publish(.open(g2)), .connectionEnded(g2, .heartbeatTimeout),
        ]
        for effect in effects { #expect(effect.generation == g2) }
        #expect(SessionEffect.publish(.idle).generation == nil)
    }
}
