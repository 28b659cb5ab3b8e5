import HeartwireSession
import Testing

@testable import HeartwireSocket

/// When what borrowers of the loop's turn queue goes out.
@Suite("What is queued in borrowed turns")
struct BorrowedBurstTests {
    private static let gap = BorrowedBurst.gap.wholeNanoseconds

    private func at(_ nanoseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: nanoseconds)
    }

    @Test("T2: what comes by itself goes out at once: as far apart as a thread takes to be woken")
    func single() {
        var burst = BorrowedBurst()
        for number in Int64(0)...3 {
            #expect(burst.add(at: at(number * Self.gap)) == .flush)
        }
    }

    @Test("T2: what follows sooner is held for the loop, which is woken once for all of it")
    func held() {
        var burst = BorrowedBurst()
        #expect(burst.add(at: at(0)) == .flush)
        #expect(burst.add(at: at(Self.gap - 1)) == .wakeAndHold)
        #expect(burst.add(at: at(Self.gap)) == .hold)
        #expect(burst.add(at: at(900 * Self.gap)) == .hold)
    }

    @Test("T2: behind the loop's turn what follows soon wakes it anew, and what is late goes out")
    func ended() {
        var burst = BorrowedBurst()
        #expect(burst.add(at: at(0)) == .flush)
        #expect(burst.add(at: at(1)) == .wakeAndHold)
        burst.end()
        #expect(burst.add(at: at(2)) == .wakeAndHold)
        burst.end()
        #expect(burst.add(at: at(2 + Self.gap)) == .flush)
    }

    @Test("T2: the answer to what has come in goes out at once, however soon it is")
    func answers() {
        var burst = BorrowedBurst()
        #expect(burst.add(at: at(0)) == .flush)
        burst.answersFollow()
        #expect(burst.add(at: at(1)) == .flush)
        #expect(burst.add(at: at(2)) == .wakeAndHold)
        burst.answersFollow()
        #expect(burst.add(at: at(3)) == .hold)
    }
}
