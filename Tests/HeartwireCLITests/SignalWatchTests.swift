import Synchronization
import Testing

@testable import HeartwireCLI

@Suite("SignalWatch")
struct SignalWatchTests {
    @Test("K12-07: the first signal is passed on, the second ends the process with its own status")
    func firstAndSecond() {
        let pipe = TestPipe()
        let record = EndRecord()
        let state = HandlerState(endProcess: { record.status.store($0, ordering: .relaxed) })
        #expect(state.claim(writeEnd: pipe.writeEnd))
        state.arrived(StopSignal.interrupt.rawValue)
        #expect(record.status.load(ordering: .relaxed) == 0)
        state.arrived(StopSignal.terminate.rawValue)
        #expect(record.status.load(ordering: .relaxed) == 143)
        #expect(Array(pipe.finish().utf8) == [2])
    }

    @Test("the signals are watched once in a process")
    func once() {
        let pipe = TestPipe()
        let state = HandlerState(endProcess: { _ in })
        #expect(state.claim(writeEnd: pipe.writeEnd))
        #expect(!state.claim(writeEnd: pipe.writeEnd))
        _ = pipe.finish()
    }
}

/// The status that a process would have ended with; 0 while it runs.
private final class EndRecord: Sendable {
    let status = Atomic<Int32>(0)
}
