/// When a ``Batch`` is full: whichever of the three comes first (promise S5).
public struct BatchBounds: Sendable, Hashable {
    /// The messages of one batch at most. Less than 1 counts as 1. Default: 100.
    public var count: Int
    /// The bytes of one batch at most, as its encoding makes them. A message that is larger by itself goes
    /// out alone. Default: 64 KiB.
    public var bytes: Int
    /// How long the first message of a batch waits for others at most. `nil`: until the batch is full
    /// or flushed. Default: 100 ms.
    public var age: Duration?

    /// The defaults, but for what is told.
    public init(count: Int = 100, bytes: Int = 64 << 10, age: Duration? = .milliseconds(100)) {
        self.count = count
        self.bytes = bytes
        self.age = age
    }
}
