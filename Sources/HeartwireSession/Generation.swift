/// The identity of one connection in the life of a client.
///
/// Generations are strictly increasing and never reused. Everything that belongs to a connection
/// (callback, timer, continuation, effect) carries the generation that was current when it was
/// made, and the session's gate compares it (promises G1–G3, H7, H8).
public struct Generation: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number of this connection; the first is 1.
    public let number: UInt64

    /// Names the connection with this number.
    public init(_ number: UInt64) {
        self.number = number
    }

    /// Before the first connection.
    public static let none = Generation(0)

    /// The generation that follows this one.
    ///
    /// At a million connections a second the numbers last for 584,000 years, so the sum wraps
    /// rather than traps.
    public var next: Generation { Generation(number &+ 1) }

    /// Whether the left connection is the older one.
    public static func < (left: Generation, right: Generation) -> Bool {
        left.number < right.number
    }

    /// `g1`, `g2`, …
    public var description: String { "g\(number)" }
}

/// The identity of one ping within the life of a client; never reused (promise H9).
public struct PingID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number of this ping; the first is 1.
    public let number: UInt64

    /// Names the ping with this number.
    public init(_ number: UInt64) {
        self.number = number
    }

    /// Whether the left ping is the older one.
    public static func < (left: PingID, right: PingID) -> Bool {
        left.number < right.number
    }

    /// `ping1`, `ping2`, …
    public var description: String { "ping\(number)" }
}
