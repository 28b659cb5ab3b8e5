import Synchronization
import Testing

@testable import HeartwireCLI

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

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

    @Test(
        "K12-07: a hang-up may come twice without ending the process at once, and counts as the first"
    )
    func hangUp() {
        let pipe = TestPipe()
        let record = EndRecord()
        let state = HandlerState(endProcess: { record.status.store($0, ordering: .relaxed) })
        #expect(state.claim(writeEnd: pipe.writeEnd))
        state.arrived(StopSignal.hangUp.rawValue)
        state.arrived(StopSignal.hangUp.rawValue)
        #expect(record.status.load(ordering: .relaxed) == 0)
        state.arrived(StopSignal.interrupt.rawValue)
        #expect(record.status.load(ordering: .relaxed) == 130)
        #expect(Array(pipe.finish().utf8) == [1])
    }

    @Test("K12-07: a signal that is ignored is known, so that nohup still does what it is for")
    func ignored() {
        signal(SIGUSR2, SIG_IGN)
        #expect(SignalWatch.isIgnored(SIGUSR2))
        signal(SIGUSR2, SIG_DFL)
        #expect(!SignalWatch.isIgnored(SIGUSR2))
        #expect(!SignalWatch.isIgnored(-1))
    }

    @Test("K12-07: a real SIGTERM comes out of the sequence, and the process lives on")
    func realSignal() async {
        let signals = SignalWatch.signals(endingWithin: .seconds(1_000_000))
        let beganAgain = SignalWatch.begin { _ in }
        #expect(!beganAgain)
        kill(getpid(), SIGTERM)
        #expect(await signals.first { _ in true } == .terminate)
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
