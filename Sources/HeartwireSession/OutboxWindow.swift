/// How much of what waits in an ``Outbox`` has its contents in memory, where the store gives back what it keeps.
///
/// Of what lies beyond, the outbox holds what it decides by: the id, the size, the age and the state. The contents are read
/// back before their turn comes, at most half a window at a time.
public struct OutboxWindow: Sendable, Hashable {
    /// The messages whose contents are held at most. Default: 16,384.
    public var count = 16_384
    /// What they weigh at most, in bytes (``OutboxBounds/bytes``). One message is held whatever it weighs, or it could
    /// never go out. Default: 8 MiB.
    public var bytes = 8 << 20

    /// The defaults.
    public init() {}

    /// Whether one message more may be held.
    func takes(_ weight: Int, beside held: OutboxLoad) -> Bool {
        held.count == 0 || (held.count < count && weight <= bytes &- min(held.bytes, bytes))
    }

    /// Whether so little is held that it is worth reading.
    func isHalfEmpty(_ held: OutboxLoad) -> Bool {
        held.count <= count / 2 && held.bytes <= bytes / 2
    }

    /// What is read at a time.
    var half: OutboxWindow {
        var half = self
        half.count = count / 2
        half.bytes = bytes / 2
        return half
    }
}

/// How many messages, and what they weigh together.
struct OutboxLoad: Sendable, Hashable {
    var count = 0
    var bytes = 0

    mutating func add(_ weight: Int) {
        count &+= 1
        bytes = bytes &+ weight
    }

    mutating func remove(_ weight: Int) {
        count &-= 1
        bytes = bytes &- weight
    }
}
