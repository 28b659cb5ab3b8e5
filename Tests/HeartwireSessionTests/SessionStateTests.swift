import HeartwireSession
import Testing

@Suite("SessionState: where a client stands")
struct SessionStateTests {
    @Test("G3: only a state with a connection names one")
    func generation() {
        #expect(SessionState.connecting(g1, attempt: 0).generation == g1)
        #expect(SessionState.open(g2).generation == g2)
        #expect(SessionState.closing(g3).generation == g3)
        #expect(SessionState.idle.generation == nil)
        let waiting = SessionState.waiting(
            attempt: 1, delay: .seconds(1), cause: .heartbeatTimeout)
        #expect(waiting.generation == nil)
        #expect(SessionState.stopped(.disconnected(nil)).generation == nil)
    }
}
