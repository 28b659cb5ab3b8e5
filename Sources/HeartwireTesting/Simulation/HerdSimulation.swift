import HeartwireProtocol
import HeartwireSession

/// Many clients that have lost their server in the same instant and come back as their policy says.
///
/// Theory of operation. A client is a number: how many attempts it has made in this row. Its waits are those that
/// `ReconnectPolicy` and `Backoff` give, the same values that a session's machine takes; only sockets are left out. What
/// is due stands in buckets of 10 ms, one list of clients each, so a million clients take a million small
/// numbers, and time is one walk over the buckets. While the server is away every attempt fails at once; once it is
/// back it takes so many in a second and refuses the others at once. That is the hardest way to lose a
/// server: a network notices at different times.
public struct HerdSimulation {
    /// The length of a bucket.
    static let tick = Duration.milliseconds(10)
    /// Nothing is simulated beyond this time: two hours.
    public static let horizon = Duration.seconds(7_200)

    private static let ticksPerSecond = 100

    private let settings: HerdSettings
    private let policy: HerdPolicy

    /// Prepares the simulation of one policy.
    public init(_ settings: HerdSettings, _ policy: HerdPolicy) {
        self.settings = settings
        self.policy = policy
    }

    /// Runs until all clients are back or have given up.
    ///
    /// - Parameter isStopped: Asked once for each simulated second.
    /// - Returns: what came to the server; `nil` when it was stopped.
    public func run(isStopped: () -> Bool = { false }) -> HerdReport? {
        var herd = Herd(settings, policy)
        let last = Self.ticks(Self.horizon)
        herd.lose()
        for tick in 0..<last where herd.remaining > 0 {
            if tick % Self.ticksPerSecond == 0 {
                if isStopped() { return nil }
                herd.beginSecond()
            }
            herd.pass(tick)
        }
        return herd.report
    }

    static func ticks(_ duration: Duration) -> Int {
        Int(clamping: duration.wholeNanoseconds / tick.wholeNanoseconds)
    }
}

/// The clients of one simulation and what they did.
private struct Herd {
    private let settings: HerdSettings
    private let policy: HerdPolicy
    private let returns: Int
    private var random: SplitMix64
    private var buckets: [[UInt32]]
    /// How many attempts each client has begun or waits for.
    private var attempts: [UInt16]
    private var taken = 0
    private(set) var remaining: Int
    private(set) var report: HerdReport

    init(_ settings: HerdSettings, _ policy: HerdPolicy) {
        self.settings = settings
        self.policy = policy
        returns = HerdSimulation.ticks(settings.outage)
        random = SplitMix64(seed: settings.seed)
        buckets = Array(repeating: [], count: HerdSimulation.ticks(HerdSimulation.horizon))
        attempts = Array(repeating: 0, count: settings.clients)
        remaining = settings.clients
        report = HerdReport(policy: policy.name, clients: settings.clients, outage: settings.outage)
    }

    /// Every client loses its connection, at the beginning of time.
    mutating func lose() {
        let cause = CloseCause.connectionLost(ConnectionFailure(.reset))
        for client in 0..<attempts.count { wait(client, after: cause, at: 0) }
    }

    mutating func beginSecond() {
        report.perSecond.append(0)
        taken = 0
    }

    mutating func pass(_ tick: Int) {
        let due = buckets[tick]
        guard !due.isEmpty else { return }
        buckets[tick] = []
        report.attempts += due.count
        report.perSecond[report.perSecond.count - 1] += due.count
        let isBack = tick >= returns
        let refused = CloseCause.connectFailed(ConnectionFailure(.refused))
        for client in due {
            if isBack, taken < settings.capacity {
                taken += 1
                remaining -= 1
                report.returned += 1
                report.allBack = HerdSimulation.tick * tick
            } else {
                wait(Int(client), after: refused, at: tick)
            }
        }
    }

    /// A connection or an attempt of the client has ended: the next attempt waits, if there is one.
    private mutating func wait(_ client: Int, after cause: CloseCause, at tick: Int) {
        var least = Duration.zero
        switch policy.policy.verdict(for: cause) {
        case .retry, .refreshCredentials: break
        case .retryAfter(let delay): least = delay
        case .stop: return giveUp()
        }
        let attempt = Int(attempts[client]) + 1
        guard
            let usual = policy.policy.backoff.delay(attempt: attempt, roll: random.next())
        else { return giveUp() }
        attempts[client] = UInt16(clamping: attempt)
        // A delay is never zero, so what is due never lies in a bucket that was passed.
        let due = tick + max(1, HerdSimulation.ticks(max(usual, least)))
        guard due < buckets.count else { return giveUp() }
        buckets[due].append(UInt32(truncatingIfNeeded: client))
    }

    private mutating func giveUp() {
        remaining -= 1
        report.gaveUp += 1
    }
}
