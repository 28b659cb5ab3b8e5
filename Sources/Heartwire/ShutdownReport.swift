public import HeartwireSession

/// What ``WebSocketClient/shutdown(grace:)`` has left (promise D6).
public struct ShutdownReport: Sendable, Hashable {
    /// What was stored and not confirmed, in order. It stays in the store, so the next client that opens it delivers
    /// it, with the same ids; a store in memory goes with its last reference.
    public let left: [UnsettledDelivery]
    /// Why the session is stopped; `nil` when it never began.
    public let cause: StopCause?

    /// Whether everything was confirmed.
    public var isDrained: Bool { left.isEmpty }

    /// States what was left.
    public init(left: [UnsettledDelivery], cause: StopCause?) {
        self.left = left
        self.cause = cause
    }
}
