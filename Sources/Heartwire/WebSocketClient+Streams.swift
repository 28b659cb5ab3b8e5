public import HeartwireSession

// Beside messages and states: events, and what serves code outside of concurrency.
extension WebSocketClient {
    /// Everything that happens, typed (promise S6). See ``Events`` for consumers and back-pressure.
    public nonisolated var events: Events { Events(core: core) }

    /// What the client's streams hold, and what they have dropped.
    public var streamStatus: StreamStatus { core.streamStatus }

    /// How many bytes of what was sent, with their framing and TLS, wait in this client or in the system until the peer's
    /// system acknowledges them (RFC 9293 §3.8). 0 without an open connection.
    ///
    /// 0 does not mean that the peer's program has read them; only a delivery or a confirmed close tells that. It means
    /// that the close timeout of a `disconnect()` that follows is not spent on what the network still has to take. Through a
    /// proxy it is the proxy that acknowledges. A transport that cannot tell, such as `URLSession`'s, always says 0.
    public var unacknowledgedBytes: Int { core.transport?.unacknowledgedBytes ?? 0 }

    /// A queue for code outside of concurrency (promise S3).
    ///
    /// - Parameters:
    ///   - configuration: Which way messages go out, and how many may wait. Default: as `send`.
    ///   - receiving: What happens when messages come that nobody dequeues.
    /// - Throws: ``DeliveryError/noOutbox`` for the route `deliver` where the client has no outbox.
    public nonisolated func makeQueue(
        _ configuration: OutgoingConfiguration = OutgoingConfiguration(.send),
        receiving: MessageQueue.Receiving = .suspendReading
    ) throws(DeliveryError) -> MessageQueue {
        try checkOutbox(for: configuration.route)
        return MessageQueue(core, configuration, receiving)
    }

    /// A batch buffer (promise S5).
    ///
    /// - Parameters:
    ///   - encoding: How the messages of a batch become one.
    ///   - bounds: When a batch is full. Default: 100 messages, 64 KiB or 100 ms.
    ///   - configuration: Which way batches go out, and how many messages may wait. Default: as `send` where a
    ///     connection is open, and otherwise to the outbox.
    /// - Throws: ``DeliveryError/noOutbox`` for the route `deliver` where the client has no outbox.
    public nonisolated func makeBatch(
        _ encoding: BatchEncoding, bounds: BatchBounds = BatchBounds(),
        _ configuration: OutgoingConfiguration = OutgoingConfiguration(.sendOrDeliver)
    ) throws(DeliveryError) -> MessageBatch {
        try checkOutbox(for: configuration.route)
        return MessageBatch(core, configuration, Batch(bounds, encoding: encoding))
    }

    private nonisolated func checkOutbox(
        for route: OutgoingConfiguration.Route
    ) throws(DeliveryError) {
        switch route {
        case .deliver: if core.delivery == nil { throw .noOutbox }
        case .send, .sendOrDeliver: return
        }
    }
}
