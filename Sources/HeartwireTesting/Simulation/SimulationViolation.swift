public import HeartwireSession

/// A rule that the client broke in a simulated world.
public struct SimulationViolation: Sendable, Hashable, CustomStringConvertible {
    /// What has to hold, whatever happens.
    public enum Rule: String, Sendable, Hashable, CaseIterable {
        /// Each connection ends once, with one cause (G4).
        case oneCause = "one-cause"
        /// Generations strictly increase (H7).
        case increasingGenerations = "increasing-generations"
        /// A state is followed only by those that may follow it.
        case lawfulStates = "lawful-states"
        /// What an old connection reports, or what comes twice, changes nothing (G1–G3, H9).
        case staleReport = "stale-report"
        /// At most one ping is awaited on a connection (H3).
        case onePing = "one-ping"
        /// What was reported stored reaches the server (D2, D4).
        case nothingLost = "nothing-lost"
        /// Messages arrive for the first time in the order in which they were taken in (D2, D5).
        case order
        /// An id stands for the same bytes each time, and a repetition says that it may be one (D2, D5).
        case identity
        /// Nothing is confirmed that the server has not read (D3).
        case earlyConfirmation = "early-confirmation"
        /// What was sent without a guarantee arrives once at the most (D1).
        case atMostOnce = "at-most-once"
        /// What is bound to a session reaches the server on no other (K04-08).
        case sessionBound = "session-bound"
        /// The app gets what the current connection brought, in order and nothing else (G3, S1).
        case received
        /// A shutdown tells truly what it left (D6).
        case shutdownReport = "shutdown-report"
        /// A session that has stopped opens nothing, and leaves no timer and no connection (R5).
        case nothingAfterStop = "nothing-after-stop"
        /// Of a change of the paths an open connection is probed and a wait cut short, both in time; while the client is
        /// suspended nothing happens (L1, L3, R6).
        case paths
        /// While nothing is wrong the client gets on: it is open and what is stored arrives.
        case liveness
        /// A client of which nobody holds a reference is gone.
        case release
    }

    /// When it was seen, in virtual time.
    public let time: MonotonicInstant
    /// What did not hold.
    public let rule: Rule
    /// What was seen, in one line that holds numbers only.
    public let detail: String

    /// States what did not hold.
    public init(time: MonotonicInstant, rule: Rule, detail: String) {
        self.time = time
        self.rule = rule
        self.detail = detail
    }

    /// One line for people.
    public var description: String {
        let milliseconds = time.nanoseconds / 1_000_000
        return "\(rule.rawValue) at \(milliseconds) ms: \(detail)"
    }
}
