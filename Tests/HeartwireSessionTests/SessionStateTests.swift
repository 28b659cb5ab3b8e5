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
        #expect(SessionState.suspended(cause: .heartbeatTimeout).generation == nil)
        #expect(SessionState.stopped(.disconnected(nil)).generation == nil)
    }

    @Test("Why a client has stopped is told in one line, with the cause that led to it")
    func stopCauses() {
        #expect("\(StopCause.disconnected(nil))" == "disconnected by the app")
        #expect("\(StopCause.disconnected(.heartbeatTimeout))" == "no pong in time")
        #expect(
            "\(StopCause.refusedToRetry(.heartbeatTimeout))" == "no pong in time; not tried again")
        #expect(
            "\(StopCause.attemptsExhausted(.heartbeatTimeout))"
                == "no pong in time; no attempt is left")
    }
}
