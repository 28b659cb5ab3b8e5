/// Bounds what a flood of pings can make an endpoint queue (promise P4).
///
/// It knows which automatic pongs are still unwritten, by their ends in the outgoing stream. When
/// there are as many as the limit, only the newest further ping is kept, to be answered when there is
/// room again: RFC 6455 §5.5.3 lets an endpoint answer just the most recent ping.
struct PongLedger {
    private let limit: Int
    private var ends: [UInt64] = []
    /// The payload of the newest ping that found no room; `nil` when all are answered.
    private(set) var held: [UInt8]?

    /// - Parameter limit: the most unwritten pongs; less than one counts as one, lest a held ping
    ///   be held for ever.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Whether another pong may be queued, once `written` bytes are gone.
    mutating func hasRoom(written: UInt64) -> Bool {
        if let last = ends.last, last <= written {
            ends.removeAll(keepingCapacity: true)
        } else if ends.count >= limit {
            ends.removeAll { $0 <= written }
        }
        return ends.count < limit
    }

    /// Notes that a pong was queued which ends at `end`.
    mutating func noteQueued(end: UInt64) {
        ends.append(end)
    }

    /// Keeps the payload of a ping that found no room, in place of an older one.
    mutating func hold(_ payload: [UInt8]) {
        held = payload
    }

    /// Takes the payload that is held.
    mutating func takeHeld() -> [UInt8]? {
        held.take()
    }

    /// Forgets all, with the storage.
    mutating func reset() {
        ends = []
        held = nil
    }
}
