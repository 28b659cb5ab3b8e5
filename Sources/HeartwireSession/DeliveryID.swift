/// The identity of one message in an outbox: strictly increasing in the order of delivery, never
/// reused, and kept over reconnects and restarts (promises D2, D4).
public struct DeliveryID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number of this message; the first is 1.
    public let number: UInt64

    /// Names the message with this number.
    public init(_ number: UInt64) {
        self.number = number
    }

    /// Before the first message.
    public static let none = DeliveryID(0)

    /// The id that follows this one. Like ``Generation/next`` it wraps rather than traps.
    public var next: DeliveryID { DeliveryID(number &+ 1) }

    /// Whether the left message was taken in earlier.
    public static func < (left: DeliveryID, right: DeliveryID) -> Bool {
        left.number < right.number
    }

    /// `delivery1`, `delivery2`, …
    public var description: String { "delivery\(number)" }
}
