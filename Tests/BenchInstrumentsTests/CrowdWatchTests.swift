import Heartwire
import Testing

@testable import BenchInstruments

@Suite("How late clients are back")
struct CrowdWatchTests {
    private let start = ContinuousClock.now
    private let cause = CloseCause.heartbeatTimeout

    private func waiting(_ seconds: Int, attempt: Int = 1) -> SessionState {
        .waiting(attempt: attempt, delay: .seconds(seconds), cause: cause)
    }

    @Test("Lateness counts from the end of the wait to the opening")
    func late() throws {
        var follower = StateFollower()
        #expect(follower.take(.open(Generation(1)), at: start) == nil)
        #expect(follower.take(waiting(2), at: start) == nil)
        let connecting = SessionState.connecting(Generation(2), attempt: 1)
        #expect(follower.take(connecting, at: start.advanced(by: .seconds(2))) == nil)
        let back = follower.take(
            .open(Generation(2)), at: start.advanced(by: .milliseconds(2_030)))
        #expect(
            back
                == BackFigures(
                    count: 1, lateness: .milliseconds(30), delay: .seconds(2), attempts: 1))
    }

    @Test("After several attempts the last wait counts")
    func lastWait() throws {
        var follower = StateFollower()
        _ = follower.take(waiting(1), at: start)
        _ = follower.take(waiting(2, attempt: 2), at: start.advanced(by: .seconds(1)))
        let back = follower.take(.open(Generation(3)), at: start.advanced(by: .seconds(3)))
        #expect(back == BackFigures(count: 1, lateness: .zero, delay: .seconds(2), attempts: 2))
    }

    @Test("A client that is open a second time without a wait was not away")
    func once() {
        var follower = StateFollower()
        _ = follower.take(waiting(1), at: start)
        let later = start.advanced(by: .seconds(1))
        #expect(follower.take(.open(Generation(2)), at: later) != nil)
        #expect(follower.take(.open(Generation(2)), at: later) == nil)
    }

    @Test("A client that is back before its wait is over is not late")
    func early() {
        var follower = StateFollower()
        _ = follower.take(waiting(5), at: start)
        let back = follower.take(.open(Generation(2)), at: start.advanced(by: .seconds(1)))
        #expect(back?.lateness == .zero)
    }

    @Test("Of many clients the worst of each figure counts")
    func join() {
        var all = BackFigures()
        all.join(
            BackFigures(count: 1, lateness: .milliseconds(5), delay: .seconds(2), attempts: 1))
        all.join(
            BackFigures(count: 1, lateness: .milliseconds(9), delay: .seconds(1), attempts: 3))
        #expect(all.description == "2 9 2000 3")
    }
}
