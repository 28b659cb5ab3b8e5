public import HeartwireProtocol

/// One message on its way out of an ``Outbox``.
public struct OutboxEntry: Sendable, Hashable {
    /// The message's own identity: the same each time that it goes out.
    public let id: DeliveryID
    /// What is sent.
    public let message: Message
    /// Whether it may have arrived already: it went out on an earlier connection, or comes from the store
    /// of an earlier process, of which nobody knows how far it came.
    public let isPossibleDuplicate: Bool

    /// States what goes out.
    public init(id: DeliveryID, message: Message, isPossibleDuplicate: Bool = false) {
        self.id = id
        self.message = message
        self.isPossibleDuplicate = isPossibleDuplicate
    }
}

/// A message that a store keeps and has not read.
public struct UnreadEntry: Sendable, Hashable {
    /// The message's own identity.
    public let id: DeliveryID
    /// How long the message is: its UTF-8 bytes, or its bytes.
    public let byteCount: Int

    /// States what the store keeps.
    public init(id: DeliveryID, byteCount: Int) {
        self.id = id
        self.byteCount = byteCount
    }
}

/// A delivery that has not ended.
public struct UnsettledDelivery: Sendable, Hashable {
    /// Which.
    public let id: DeliveryID
    /// Whether it was written, on this connection or an earlier one, so that the peer may have it.
    public let mayHaveArrived: Bool

    /// States how far a delivery has come.
    public init(_ id: DeliveryID, mayHaveArrived: Bool) {
        self.id = id
        self.mayHaveArrived = mayHaveArrived
    }
}

/// A delivery that has ended.
public struct SettledDelivery: Sendable, Hashable {
    /// Which.
    public let id: DeliveryID
    /// How.
    public let outcome: DeliveryOutcome

    /// States how a delivery ended.
    public init(_ id: DeliveryID, _ outcome: DeliveryOutcome) {
        self.id = id
        self.outcome = outcome
    }
}
