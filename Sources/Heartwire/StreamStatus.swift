/// What a client's streams hold, and what they have dropped since the client was made (promise S2).
public struct StreamStatus: Sendable, Hashable {
    /// Who reads messages now, queues included.
    public var messageConsumers = 0
    /// Who reads events now.
    public var eventConsumers = 0
    /// What the slowest consumer has not read, in bytes with ``BufferBounds/elementOverheadBytes`` for each element,
    /// among those that reading is suspended for; what waits for the first consumer included. Reading is suspended
    /// beyond ``ClientConfiguration/receiveBufferBytes``.
    public var backlogBytes = 0
    /// Messages that a consumer missed because it was too slow and drops, counted once for each such consumer; and
    /// messages that came while the app was closing and nobody had room for.
    public var droppedMessages = 0
    /// Events that a consumer missed because it was too slow and drops, counted once for each such consumer.
    public var droppedEvents = 0
    /// States that a consumer missed because a thousand newer ones came before it read, counted once for each such
    /// consumer.
    public var droppedStates = 0

    /// Nothing has happened.
    public init() {}
}
