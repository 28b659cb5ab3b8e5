public import HeartwireProtocol

/// Gathers messages and sends them as one (promise S5): when there are enough of them, or the first has waited long
/// enough, whichever comes first.
///
/// ```swift
/// let batch = try client.makeBatch(.jsonArray)
/// try batch.add(.text(#"{"x":3}"#))              // any thread, returns at once
/// ```
///
/// Texts and binary messages are never in one batch: one of the other kind lets go what waits, so that the
/// order is kept. ``WebSocketClient/shutdown(grace:)``, `disconnect()` and letting go of the batch flush it.
/// What fails to go out goes to the client's outbox as one message, and without an outbox, or where that
/// refuses it, back to ``OutgoingConfiguration/unsent`` as it was given.
public final class MessageBatch: Sendable {
    private let core: ClientCore
    private let outgoing: Outgoing

    init(_ core: ClientCore, _ configuration: OutgoingConfiguration, _ batch: Batch) {
        self.core = core
        outgoing = Outgoing(core, configuration, batch: batch)
        core.remember(outgoing)
    }

    deinit {
        core.executor.execute { [core, outgoing] in
            withExtendedLifetime(core) { outgoing.retire() }
        }
    }

    /// Puts a message behind those that were added before, and returns. Any thread may call this.
    ///
    /// - Throws: ``QueueError`` when the message was not taken. When that is for want of room, what is gathered is let
    ///   go.
    public func add(_ message: Message) throws(QueueError) {
        try outgoing.enqueue(message)
    }

    /// Lets go what is gathered, without waiting for more. Any thread may call this.
    public func flush() {
        outgoing.flush()
    }

    /// What has become of what was added.
    public var status: OutgoingStatus { outgoing.status }
}
