import HeartwireSession

/// The pings of a connection whose handlers are still to be called (promises T1, T3, H9).
///
/// Foundation's handler may be called twice, late, with an error, or never: each ping has a slot that counts once.
struct PongSlots {
    /// Handlers that may be outstanding; the oldest ones beyond it count as called.
    static let limit = 32

    /// What a call of a handler means.
    enum Verdict: Equatable {
        /// The pong for the newest ping.
        case pong
        /// The connection does not work.
        case fault
        /// Nothing: it was called before, or for an earlier ping.
        case nothing
    }

    private var waiting: [PingID] = []
    private var newest: PingID?

    /// A ping goes out.
    mutating func add(_ id: PingID) {
        newest = id
        waiting.append(id)
        if waiting.count > Self.limit { waiting.removeFirst() }
    }

    /// A ping's handler was called.
    mutating func settle(_ id: PingID, hasFailed: Bool) -> Verdict {
        guard let index = waiting.firstIndex(of: id) else { return .nothing }
        waiting.remove(at: index)
        if hasFailed { return .fault }
        return id == newest ? .pong : .nothing
    }
}
