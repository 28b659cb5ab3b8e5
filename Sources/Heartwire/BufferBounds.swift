/// How much may wait for one consumer, or in one queue (promise S2).
public struct BufferBounds: Sendable, Hashable {
    /// What an element weighs beside its payload, in bytes: its place and its allocation.
    public static let elementOverheadBytes = 64

    /// The elements that may wait. Less than 1 counts as 1. Default: 1,000.
    public var count: Int
    /// The bytes that may wait, with ``elementOverheadBytes`` for each element. Default: 4 MiB.
    public var bytes: Int

    /// The defaults, but for what is told.
    public init(count: Int = 1_000, bytes: Int = 4 << 20) {
        self.count = count
        self.bytes = bytes
    }

    /// Whether so much may wait.
    func admit(count: Int, weight: Int) -> Bool {
        count <= max(1, self.count) && weight <= bytes
    }
}

/// A consumer was farther behind than its bounds allow, so its sequence has ended; the connection goes on.
public struct BufferOverflow: Error, Sendable, Hashable, CustomStringConvertible {
    /// The bounds of the consumer.
    public let bounds: BufferBounds

    /// States which bounds were passed.
    public init(bounds: BufferBounds) {
        self.bounds = bounds
    }

    /// One line for people.
    public var description: String {
        "the consumer is behind by more than \(bounds.count) elements or \(bounds.bytes) bytes"
    }
}
