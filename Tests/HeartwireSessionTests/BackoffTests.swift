import HeartwireSession
import Testing

@Suite("Backoff: how long each attempt waits")
struct BackoffTests {
    static let rolls: [UInt64] = [0, 1, .max / 3, .max / 2, .max - 1, .max]
    static let numbers =
        Array(-1...130) + [1_000, 1_023, 1_024, 1_025, 5_000, 10_000, .max - 1, .max, .min]

    @Test("R1: attempt n waits base·2^(n-1) plus up to 30 %, for ten attempts")
    func standard() throws {
        let backoff = Backoff.standard
        for number in 1...10 {
            let plain = Duration.seconds(1 << (number - 1))
            let least = try #require(backoff.delay(attempt: number, roll: 0))
            let most = try #require(backoff.delay(attempt: number, roll: .max))
            #expect(least >= plain && least < plain + .microseconds(1))
            #expect(most == plain * 1.3)
        }
        #expect(backoff.delay(attempt: 11, roll: 0) == nil)
        #expect(backoff.delay(attempt: .max, roll: .max) == nil)
        #expect(try Backoff() == backoff)
    }

    @Test("R1: without jitter the delays double up to the cap")
    func doubling() throws {
        let backoff = try Backoff(cap: .seconds(60), jitter: .none, attempts: nil)
        let delays = (1...9).map { backoff.delay(attempt: $0, roll: .max) }
        #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    }

    @Test("R1: any factor from 1 on can be set")
    func factors() throws {
        let constant = try Backoff(base: .milliseconds(250), factor: 1, jitter: .none)
        #expect(constant.delay(attempt: 10, roll: 0) == .milliseconds(250))
        let half = try Backoff(base: .milliseconds(100), factor: 1.5, jitter: .none)
        #expect(half.delay(attempt: 3, roll: 0) == .milliseconds(225))
    }

    @Test("R1: zero attempts are none, and no number of them has no end")
    func attempts() throws {
        #expect(try Backoff(attempts: 0).delay(attempt: 1, roll: 0) == nil)
        #expect(try Backoff(attempts: 1).delay(attempt: 1, roll: 0) != nil)
        #expect(try Backoff(attempts: 1).delay(attempt: 2, roll: 0) == nil)
        #expect(try Backoff(attempts: nil).delay(attempt: .max, roll: 0) != nil)
    }

    @Test(
        "K03-02: every delay lies between its floor and the cap, for any attempt and any roll",
        arguments: [.none, .proportional(0), .proportional(0.5), .proportional(1), .full]
            as [Backoff.Jitter])
    func bounds(jitter: Backoff.Jitter) throws {
        let floor: Duration =
            switch jitter {
            case .none, .proportional: .seconds(1)
            case .full: .nanoseconds(1)
            }
        for factor in [1, 1.000_1, 2, 10, 1e300, .greatestFiniteMagnitude] {
            let backoff = try Backoff(
                factor: factor, cap: .seconds(30), jitter: jitter, attempts: nil)
            for number in Self.numbers {
                for roll in Self.rolls {
                    let delay = try #require(backoff.delay(attempt: number, roll: roll))
                    if delay < floor || delay > .seconds(30) {
                        Issue.record("attempt \(number), factor \(factor): \(delay)")
                    }
                }
            }
        }
    }

    @Test("K03-02: the longest and the shortest settings stay in bounds too")
    func extremes() throws {
        let longest = try Backoff(
            base: Backoff.longestDelay, factor: .greatestFiniteMagnitude,
            cap: Backoff.longestDelay, jitter: .none, attempts: nil)
        #expect(longest.delay(attempt: .max, roll: .max) == Backoff.longestDelay)
        let shortest = try Backoff(
            base: .nanoseconds(1), factor: 1, cap: .nanoseconds(1), jitter: .full)
        for roll in Self.rolls {
            #expect(shortest.delay(attempt: 1, roll: roll) == .nanoseconds(1))
        }
    }

    @Test("K03-14: at the cap a proportional jitter still spreads the delays")
    func spreadAtTheCap() throws {
        let backoff = try Backoff(cap: .seconds(60), jitter: .proportional(0.5), attempts: nil)
        let least = try #require(backoff.delay(attempt: 50, roll: 0))
        #expect(least >= .seconds(40) && least < .milliseconds(40_001))
        #expect(backoff.delay(attempt: 50, roll: .max) == .seconds(60))
    }

    @Test("R1: full jitter is anything from just above zero to the whole delay")
    func fullJitter() throws {
        let backoff = try Backoff(jitter: .full)
        #expect(backoff.delay(attempt: 3, roll: 0) == .nanoseconds(1))
        #expect(backoff.delay(attempt: 3, roll: .max) == .seconds(4))
        let middle = try #require(backoff.delay(attempt: 3, roll: .max / 2))
        #expect(middle > .milliseconds(1_999) && middle < .milliseconds(2_001))
    }

    @Test("R1: settings that cannot be kept are refused")
    func refused() {
        #expect(throws: BackoffError.baseNotPositive) { try Backoff(base: .zero) }
        #expect(throws: BackoffError.baseNotPositive) { try Backoff(base: .seconds(-1)) }
        #expect(throws: BackoffError.baseBeyondCap) {
            try Backoff(base: .seconds(2), cap: .seconds(1))
        }
        #expect(throws: BackoffError.capTooLong) { try Backoff(cap: .seconds(Int64.max)) }
        #expect(throws: BackoffError.capTooLong) {
            try Backoff(cap: Backoff.longestDelay + .nanoseconds(1))
        }
        for factor in [0.999, 0, -2, .nan, .infinity, -.infinity] {
            #expect(throws: BackoffError.factorBelowOne) { try Backoff(factor: factor) }
        }
        for part in [-0.001, 1.001, .nan, .infinity] {
            #expect(throws: BackoffError.jitterOutOfRange) {
                try Backoff(jitter: .proportional(part))
            }
        }
        #expect(throws: BackoffError.negativeAttempts) { try Backoff(attempts: -1) }
    }

    @Test("R1: each error says what is wrong", arguments: BackoffError.allCases)
    func errors(error: BackoffError) {
        #expect(error.description.hasPrefix("backoff: the "))
        #expect(Set(BackoffError.allCases.map(\.description)).count == 6)
    }
}
