public import HeartwireProtocol

/// A client's messages for code outside of concurrency: a thread, a callback of a C library, a game's loop (promise
/// S3). Neither function waits for anything.
///
/// ```swift
/// let queue = try client.makeQueue()
/// try queue.enqueue(.text("position 3 4"))       // any thread
/// for message in queue.dequeueAll() { … }        // any thread
/// ```
///
/// Everything in it is bounded. Letting go of the queue lets what was enqueued go its way, and drops what was not
/// dequeued. The queue does not keep the client.
public final class MessageQueue: Sendable {
    /// What happens when messages come that nobody dequeues.
    public enum Receiving: Sendable, Hashable {
        /// Reading from the socket is suspended (``ClientConfiguration/receiveBufferBytes``), so nothing is lost.
        case suspendReading
        /// The oldest go, and are counted by ``MessageQueue/dropped``.
        case dropOldest(BufferBounds)

        var buffering: Buffering {
            switch self {
            case .suspendReading: .suspendReading
            case .dropOldest(let bounds): .dropOldest(bounds, Tally())
            }
        }
    }

    private let core: ClientCore
    let outgoing: Outgoing
    private let inbox: MessageInbox

    init(_ core: ClientCore, _ configuration: OutgoingConfiguration, _ receiving: Receiving) {
        self.core = core
        outgoing = Outgoing(core, configuration)
        inbox = MessageInbox(core, receiving.buffering)
        core.remember(outgoing)
    }

    deinit {
        core.executor.execute { [core, outgoing, inbox] in
            withExtendedLifetime(core) {
                outgoing.retire()
                inbox.detach()
            }
        }
    }

    /// Puts a message behind those that were enqueued before, and returns. What is enqueued by one thread goes out in
    /// that order. The message goes the way of ``OutgoingConfiguration/route``; when it cannot, it comes back to
    /// ``OutgoingConfiguration/unsent``.
    ///
    /// - Throws: ``QueueError`` when the message was not taken.
    public func enqueue(_ message: Message) throws(QueueError) {
        try outgoing.enqueue(message)
    }

    /// Takes everything that has been received since the last call, in order; nothing is no error.
    ///
    /// The queue is a consumer of the client's messages beside others from the first call on. That call makes it one, and
    /// gives nothing yet; what was received before and nobody has read comes with the next. It goes on
    /// over all connections and sessions.
    public func dequeueAll() -> [Message] {
        inbox.takeAll()
    }

    /// What has become of what was enqueued.
    public var status: OutgoingStatus { outgoing.status }

    /// How many received messages were dropped because nobody dequeued them in time.
    public var dropped: Int { inbox.dropped }
}
