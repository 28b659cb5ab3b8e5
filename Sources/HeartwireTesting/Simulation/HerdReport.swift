/// What a herd did to its server under one policy.
public struct HerdReport: Sendable, Hashable {
    /// A second and how many attempts came in it.
    public struct Peak: Sendable, Hashable {
        /// The second, counted from the server's death.
        public let second: Int
        /// The attempts.
        public let attempts: Int
    }

    /// The policy's name.
    public let policy: String
    /// How many clients there were.
    public let clients: Int
    /// How long the server was away.
    public let outage: Duration
    /// The attempts in each second since the server's death.
    public internal(set) var perSecond: [Int] = []
    /// All attempts.
    public internal(set) var attempts = 0
    /// Clients that are connected again.
    public internal(set) var returned = 0
    /// Clients that used up their attempts, or whose next one lies beyond the end.
    public internal(set) var gaveUp = 0
    /// When the last client was connected again, counted from the server's death.
    public internal(set) var allBack = Duration.zero

    init(policy: String, clients: Int, outage: Duration) {
        self.policy = policy
        self.clients = clients
        self.outage = outage
    }

    /// The second with the most attempts, whether somebody was there to take them or not.
    public var peak: Peak { peak(from: 0) }

    /// The same among the seconds in which the server is back.
    public var peakOnReturn: Peak {
        peak(from: Int(clamping: outage.components.seconds))
    }

    private func peak(from first: Int) -> Peak {
        var peak = Peak(second: first, attempts: 0)
        for second in perSecond.indices.dropFirst(first) where perSecond[second] > peak.attempts {
            peak = Peak(second: second, attempts: perSecond[second])
        }
        return peak
    }
}
