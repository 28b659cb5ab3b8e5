public import HeartwireSession

/// A server with many clients that dies for a while.
public struct HerdSettings: Sendable, Hashable {
    /// The most clients.
    public static let clientLimit = 4_000_000
    /// The longest outage: an hour.
    public static let longestOutage = Duration.seconds(3_600)

    /// How many clients are connected when the server dies.
    public var clients: Int
    /// How long it is away.
    public var outage = Duration.seconds(60)
    /// How many connections it takes in a second once it is back; it refuses the others.
    public var capacity = 20_000
    /// Decides all jitter.
    public var seed: UInt64

    /// States a herd; the server is away for 60 s and takes 20,000 connections a second then.
    public init(clients: Int, seed: UInt64) {
        self.clients = min(max(clients, 1), Self.clientLimit)
        self.seed = seed
    }
}

/// A way in which the clients of a herd wait.
public struct HerdPolicy: Sendable, Hashable {
    /// What it is called, in a few words.
    public let name: String
    /// How long each attempt waits, and what an end means.
    public let policy: ReconnectPolicy

    /// Names a policy.
    public init(_ name: String, _ policy: ReconnectPolicy) {
        self.name = name
        self.policy = policy
    }

    /// What is compared: a fixed second without jitter and without end, the default policy, and the default with
    /// full jitter.
    public static let compared: [HerdPolicy] = {
        let naive = try? Backoff(base: .seconds(1), factor: 1, jitter: .none, attempts: nil)
        let full = try? Backoff(jitter: .full)
        return [
            HerdPolicy("fixed 1 s", ReconnectPolicy(backoff: naive ?? .standard)),
            HerdPolicy("default", ReconnectPolicy()),
            HerdPolicy("full jitter", ReconnectPolicy(backoff: full ?? .standard)),
        ]
    }()
}
