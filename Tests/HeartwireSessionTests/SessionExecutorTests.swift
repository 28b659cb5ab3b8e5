import HeartwireSession
import Testing

@Suite("SessionExecutor: timers by their numbers")
struct SessionExecutorTests {
    @Test("T5: a timer is the one that was scheduled, by its number")
    func timerID() {
        #expect(TimerID(3).number == 3)
        #expect(TimerID(3) == TimerID(3))
        #expect(TimerID(3) != TimerID(4))
    }
}
